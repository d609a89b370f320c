;; Quicksort of 1024 numbers of 16 bits, n times over.
(module
  (memory 1)
  (global $iterations (export "iterations") (mut i32) (i32.const 0))
  (func $sort (param $low i32) (param $high i32)
    (local $pivot i32) (local $i i32) (local $j i32) (local $number i32)
    (if (i32.ge_s (local.get $low) (local.get $high)) (then (return)))
    (local.set $pivot
      (i32.load16_s
        (i32.shl
          (i32.add
            (local.get $low)
            (i32.div_s (i32.sub (local.get $high) (local.get $low)) (i32.const 2)))
          (i32.const 1))))
    (local.set $i (local.get $low))
    (local.set $j (local.get $high))
    (block $done
      (loop $on
        (br_if $done (i32.gt_s (local.get $i) (local.get $j)))
        (block $found
          (loop $up
            (br_if $found
              (i32.ge_s (i32.load16_s (i32.shl (local.get $i) (i32.const 1))) (local.get $pivot)))
            (global.set $iterations (i32.add (global.get $iterations) (i32.const 1)))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br $up)))
        (block $found
          (loop $down
            (br_if $found
              (i32.le_s (i32.load16_s (i32.shl (local.get $j) (i32.const 1))) (local.get $pivot)))
            (global.set $iterations (i32.add (global.get $iterations) (i32.const 1)))
            (local.set $j (i32.sub (local.get $j) (i32.const 1)))
            (br $down)))
        (if (i32.le_s (local.get $i) (local.get $j))
          (then
            (local.set $number (i32.load16_s (i32.shl (local.get $i) (i32.const 1))))
            (i32.store16
              (i32.shl (local.get $i) (i32.const 1))
              (i32.load16_s (i32.shl (local.get $j) (i32.const 1))))
            (i32.store16 (i32.shl (local.get $j) (i32.const 1)) (local.get $number))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (local.set $j (i32.sub (local.get $j) (i32.const 1)))))
        (global.set $iterations (i32.add (global.get $iterations) (i32.const 2)))
        (br $on)))
    (call $sort (local.get $low) (local.get $j))
    (call $sort (local.get $i) (local.get $high)))
  (func (export "run") (param $n i32) (result i32)
    (local $seed i32) (local $round i32) (local $i i32) (local $sum i32)
    (global.set $iterations (i32.const 0))
    (local.set $seed (i32.const 1))
    (loop $rounds
      (local.set $i (i32.const 0))
      (loop $fill
        (local.set $seed
          (i32.add (i32.mul (local.get $seed) (i32.const 1664525)) (i32.const 1013904223)))
        (i32.store16 (i32.shl (local.get $i) (i32.const 1)) (i32.shr_u (local.get $seed) (i32.const 17)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $fill (i32.lt_s (local.get $i) (i32.const 1024))))
      (call $sort (i32.const 0) (i32.const 1023))
      (local.set $round (i32.add (local.get $round) (i32.const 1)))
      (br_if $rounds (i32.lt_u (local.get $round) (local.get $n))))
    (local.set $i (i32.const 0))
    (loop $total
      (local.set $sum
        (i32.add
          (local.get $sum)
          (i32.mul (i32.load16_s (i32.shl (local.get $i) (i32.const 1))) (local.get $i))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $total (i32.lt_s (local.get $i) (i32.const 1024))))
    (local.get $sum)))

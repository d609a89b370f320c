;; Functions that walk over arrays behind pointers, n times over 1024 elements: at 16 and 4096.
(module
  (memory 1)
  (global $iterations (export "iterations") (mut i32) (i32.const 0))
  (func $add (param $to i32) (param $from i32) (param $count i32)
    (local $i i32) (local $at i32)
    (block $done
      (loop $on
        (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
        (local.set $at (i32.add (local.get $to) (i32.shl (local.get $i) (i32.const 1))))
        (i32.store16
          (local.get $at)
          (i32.add
            (i32.load16_s (local.get $at))
            (i32.load16_s (i32.add (local.get $from) (i32.shl (local.get $i) (i32.const 1))))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $on))))
  (func $dot (param $x i32) (param $y i32) (param $count i32) (result i32)
    (local $i i32) (local $sum i32)
    (block $done
      (loop $on
        (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
        (local.set $sum
          (i32.add
            (local.get $sum)
            (i32.mul
              (i32.load16_s (i32.add (local.get $x) (i32.shl (local.get $i) (i32.const 1))))
              (i32.load16_s (i32.add (local.get $y) (i32.shl (local.get $i) (i32.const 1)))))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $on)))
    (local.get $sum))
  (func $change (param $sum i32) (param $by i32)
    (i32.store (local.get $sum) (i32.add (i32.load (local.get $sum)) (local.get $by))))
  (func (export "run") (param $n i32) (result i32)
    (local $i i32) (local $round i32)
    (i32.store (i32.const 0) (i32.const 0))
    (loop $fill
      (i32.store16 offset=16 (i32.shl (local.get $i) (i32.const 1)) (i32.const 0))
      (i32.store16 offset=4096
        (i32.shl (local.get $i) (i32.const 1))
        (i32.sub (i32.rem_u (local.get $i) (i32.const 3)) (i32.const 1)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $fill (i32.lt_u (local.get $i) (i32.const 1024))))
    (loop $rounds
      (call $add (i32.const 16) (i32.const 4096) (i32.const 1024))
      (call $change
        (i32.const 0)
        (i32.and (call $dot (i32.const 16) (i32.const 4096) (i32.const 1024)) (i32.const 255)))
      (local.set $round (i32.add (local.get $round) (i32.const 1)))
      (br_if $rounds (i32.lt_u (local.get $round) (local.get $n))))
    (global.set $iterations (i32.mul (local.get $n) (i32.const 2048)))
    (i32.load (i32.const 0))))

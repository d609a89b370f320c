;; 64 particles that move in a box and bounce off its walls, n steps; a particle has four numbers of 16 bits.
(module
  (memory 1)
  (global $iterations (export "iterations") (mut i32) (i32.const 0))
  (func $move (param $p i32)
    (i32.store16 (local.get $p)
      (i32.add (i32.load16_s (local.get $p)) (i32.load16_s offset=4 (local.get $p))))
    (i32.store16 offset=2 (local.get $p)
      (i32.add (i32.load16_s offset=2 (local.get $p)) (i32.load16_s offset=6 (local.get $p))))
    (block $turned
      (block $out
        (br_if $out (i32.lt_s (i32.load16_s (local.get $p)) (i32.const 0)))
        (br_if $turned (i32.le_s (i32.load16_s (local.get $p)) (i32.const 1000))))
      (i32.store16 offset=4 (local.get $p)
        (i32.sub (i32.const 0) (i32.load16_s offset=4 (local.get $p)))))
    (block $turned
      (block $out
        (br_if $out (i32.lt_s (i32.load16_s offset=2 (local.get $p)) (i32.const 0)))
        (br_if $turned (i32.le_s (i32.load16_s offset=2 (local.get $p)) (i32.const 1000))))
      (i32.store16 offset=6 (local.get $p)
        (i32.sub (i32.const 0) (i32.load16_s offset=6 (local.get $p))))))
  (func (export "run") (param $n i32) (result i32)
    (local $i i32) (local $p i32) (local $round i32) (local $sum i32)
    (loop $fill
      (local.set $p (i32.shl (local.get $i) (i32.const 3)))
      (i32.store16 (local.get $p) (i32.mul (i32.const 10) (local.get $i)))
      (i32.store16 offset=2 (local.get $p)
        (i32.sub (i32.const 1000) (i32.mul (i32.const 10) (local.get $i))))
      (i32.store16 offset=4 (local.get $p)
        (i32.add (i32.const 1) (i32.rem_s (local.get $i) (i32.const 5))))
      (i32.store16 offset=6 (local.get $p)
        (i32.add (i32.const 2) (i32.rem_s (local.get $i) (i32.const 7))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $fill (i32.lt_u (local.get $i) (i32.const 64))))
    (loop $rounds
      (local.set $i (i32.const 0))
      (loop $on
        (call $move (i32.shl (local.get $i) (i32.const 3)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $on (i32.lt_u (local.get $i) (i32.const 64))))
      (local.set $round (i32.add (local.get $round) (i32.const 1)))
      (br_if $rounds (i32.lt_u (local.get $round) (local.get $n))))
    (global.set $iterations (i32.mul (local.get $n) (i32.const 64)))
    (local.set $i (i32.const 0))
    (loop $total
      (local.set $p (i32.shl (local.get $i) (i32.const 3)))
      (local.set $sum
        (i32.add
          (local.get $sum)
          (i32.mul
            (i32.add (i32.load16_s (local.get $p)) (i32.const 100))
            (i32.add (i32.load16_s offset=2 (local.get $p)) (i32.const 100)))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $total (i32.lt_u (local.get $i) (i32.const 64))))
    (local.get $sum)))

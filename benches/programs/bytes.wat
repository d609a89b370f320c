;; Writes 4096 bytes, counts each value from 8192 on, and sums them as Adler-32 does, n times over.
(module
  (memory 1)
  (global $iterations (export "iterations") (mut i32) (i32.const 0))
  (func $checksum (result i32)
    (local $low i32) (local $high i32) (local $i i32)
    (local.set $low (i32.const 1))
    (loop $on
      (local.set $low (i32.add (local.get $low) (i32.load8_u (local.get $i))))
      (if (i32.ge_u (local.get $low) (i32.const 65521))
        (then (local.set $low (i32.sub (local.get $low) (i32.const 65521)))))
      (local.set $high (i32.add (local.get $high) (local.get $low)))
      (if (i32.ge_u (local.get $high) (i32.const 65521))
        (then (local.set $high (i32.sub (local.get $high) (i32.const 65521)))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $on (i32.lt_u (local.get $i) (i32.const 4096))))
    (i32.or (i32.shl (local.get $high) (i32.const 16)) (local.get $low)))
  (func (export "run") (param $n i32) (result i32)
    (local $round i32) (local $i i32) (local $at i32) (local $result i32)
    (loop $rounds
      (local.set $i (i32.const 0))
      (loop $fill
        (i32.store8
          (local.get $i)
          (i32.and
            (i32.add (i32.mul (local.get $i) (i32.const 7)) (i32.shr_u (local.get $i) (i32.const 3)))
            (i32.const 255)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $fill (i32.lt_u (local.get $i) (i32.const 4096))))
      (local.set $i (i32.const 0))
      (loop $clear
        (i32.store16 offset=8192 (i32.shl (local.get $i) (i32.const 1)) (i32.const 0))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $clear (i32.lt_u (local.get $i) (i32.const 256))))
      (local.set $i (i32.const 0))
      (loop $count
        (local.set $at (i32.shl (i32.load8_u (local.get $i)) (i32.const 1)))
        (i32.store16 offset=8192
          (local.get $at)
          (i32.add (i32.load16_u offset=8192 (local.get $at)) (i32.const 1)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $count (i32.lt_u (local.get $i) (i32.const 4096))))
      (local.set $result (i32.add (call $checksum) (i32.load16_u (i32.const 8224))))
      (local.set $round (i32.add (local.get $round) (i32.const 1)))
      (br_if $rounds (i32.lt_u (local.get $round) (local.get $n))))
    (global.set $iterations (i32.mul (local.get $n) (i32.const 4096)))
    (local.get $result)))

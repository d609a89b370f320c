;; A generator of random numbers in 16 bits, n steps.
(module
  (memory 1)
  (global $iterations (export "iterations") (mut i32) (i32.const 0))
  (func $next (param $state i32) (result i32)
    (local $x i32)
    (local.set $x (i32.load16_u (local.get $state)))
    (local.set $x
      (i32.xor
        (local.get $x)
        (i32.and (i32.shl (local.get $x) (i32.const 7)) (i32.const 65535))))
    (local.set $x (i32.xor (local.get $x) (i32.shr_u (local.get $x) (i32.const 9))))
    (local.set $x
      (i32.xor
        (local.get $x)
        (i32.and (i32.shl (local.get $x) (i32.const 8)) (i32.const 65535))))
    (i32.store16 (local.get $state) (local.get $x))
    (local.get $x))
  (func (export "run") (param $n i32) (result i32)
    (local $k i32) (local $sum i32)
    (i32.store16 (i32.const 0) (i32.const 1))
    (global.set $iterations (local.get $n))
    (loop $on
      (local.set $sum
        (i32.add (local.get $sum) (i32.and (call $next (i32.const 0)) (i32.const 255))))
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br_if $on (i32.lt_u (local.get $k) (local.get $n))))
    (local.get $sum)))

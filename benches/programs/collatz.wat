;; The Collatz sequences of the numbers from 1 to n.
(module
  (global $iterations (export "iterations") (mut i32) (i32.const 0))
  (func $steps (param $x i32) (result i32)
    (local $count i32)
    (block $done
      (loop $on
        (br_if $done (i32.eq (local.get $x) (i32.const 1)))
        (if (i32.eqz (i32.rem_u (local.get $x) (i32.const 2)))
          (then (local.set $x (i32.div_u (local.get $x) (i32.const 2))))
          (else (local.set $x (i32.add (i32.mul (i32.const 3) (local.get $x)) (i32.const 1)))))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (br $on)))
    (local.get $count))
  (func (export "run") (param $n i32) (result i32)
    (local $longest i32) (local $k i32) (local $count i32) (local $result i32)
    (global.set $iterations (i32.const 0))
    (local.set $k (i32.const 1))
    (block $done
      (loop $on
        (br_if $done (i32.gt_u (local.get $k) (local.get $n)))
        (local.set $count (call $steps (local.get $k)))
        (global.set $iterations (i32.add (global.get $iterations) (local.get $count)))
        (if (i32.gt_u (local.get $count) (local.get $longest))
          (then
            (local.set $longest (local.get $count))
            (local.set $result (local.get $k))))
        (local.set $k (i32.add (local.get $k) (i32.const 1)))
        (br $on)))
    (local.get $result)))

;; Calls: fib(n) without a table.
(module
  (global $iterations (export "iterations") (mut i32) (i32.const 0))
  (func $fib (param $k i32) (result i32)
    (global.set $iterations (i32.add (global.get $iterations) (i32.const 1)))
    (if (i32.lt_u (local.get $k) (i32.const 2))
      (then (return (local.get $k))))
    (i32.add
      (call $fib (i32.sub (local.get $k) (i32.const 1)))
      (call $fib (i32.sub (local.get $k) (i32.const 2)))))
  (func (export "run") (param $n i32) (result i32)
    (global.set $iterations (i32.const 0))
    (call $fib (local.get $n))))

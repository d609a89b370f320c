;; Two nested loops over integers.
(module
  (global $iterations (export "iterations") (mut i32) (i32.const 0))
  (func (export "run") (param $n i32) (result i32)
    (local $sum i32) (local $i i32) (local $j i32)
    (block $done
      (loop $rows
        (br_if $done (i32.ge_u (local.get $i) (local.get $n)))
        (local.set $j (i32.const 0))
        (block $end
          (loop $row
            (br_if $end (i32.ge_u (local.get $j) (local.get $n)))
            (local.set $sum
              (i32.add (local.get $sum) (i32.xor (local.get $i) (local.get $j))))
            (local.set $j (i32.add (local.get $j) (i32.const 1)))
            (br $row)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $rows)))
    (global.set $iterations (i32.mul (local.get $n) (local.get $n)))
    (local.get $sum)))

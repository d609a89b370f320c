;; Greatest common divisors of all pairs of numbers up to n.
(module
  (global $iterations (export "iterations") (mut i32) (i32.const 0))
  (func $gcd (param $a i32) (param $b i32) (result i32)
    (local $rest i32)
    (block $done
      (loop $on
        (br_if $done (i32.eqz (local.get $b)))
        (local.set $rest (i32.rem_u (local.get $a) (local.get $b)))
        (local.set $a (local.get $b))
        (local.set $b (local.get $rest))
        (global.set $iterations (i32.add (global.get $iterations) (i32.const 1)))
        (br $on)))
    (local.get $a))
  (func (export "run") (param $n i32) (result i32)
    (local $i i32) (local $j i32) (local $sum i32)
    (global.set $iterations (i32.const 0))
    (local.set $i (i32.const 1))
    (loop $rows
      (local.set $j (i32.const 1))
      (loop $row
        (local.set $sum (i32.add (local.get $sum) (call $gcd (local.get $i) (local.get $j))))
        (local.set $j (i32.add (local.get $j) (i32.const 1)))
        (br_if $row (i32.le_u (local.get $j) (local.get $n))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $rows (i32.le_u (local.get $i) (local.get $n))))
    (local.get $sum)))

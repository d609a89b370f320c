;; Escape times of n x n points, at most 50 steps each.
(module
  (global $iterations (export "iterations") (mut i32) (i32.const 0))
  (func $escape (param $cx f32) (param $cy f32) (result i32)
    (local $x f32) (local $y f32) (local $steps i32) (local $next f32)
    (block $out
      (loop $on
        (br_if $out (i32.ge_u (local.get $steps) (i32.const 50)))
        (br_if $out
          (i32.eqz
            (f32.lt
              (f32.add
                (f32.mul (local.get $x) (local.get $x))
                (f32.mul (local.get $y) (local.get $y)))
              (f32.const 4))))
        (local.set $next
          (f32.add
            (f32.sub
              (f32.mul (local.get $x) (local.get $x))
              (f32.mul (local.get $y) (local.get $y)))
            (local.get $cx)))
        (local.set $y
          (f32.add
            (f32.mul (f32.mul (f32.const 2) (local.get $x)) (local.get $y))
            (local.get $cy)))
        (local.set $x (local.get $next))
        (local.set $steps (i32.add (local.get $steps) (i32.const 1)))
        (br $on)))
    (local.get $steps))
  (func (export "run") (param $n i32) (result i32)
    (local $step f32) (local $sum i32) (local $i i32) (local $j i32)
    (local.set $step (f32.div (f32.const 3) (f32.convert_i32_u (local.get $n))))
    (block $done
      (loop $rows
        (br_if $done (i32.ge_u (local.get $i) (local.get $n)))
        (local.set $j (i32.const 0))
        (block $end
          (loop $row
            (br_if $end (i32.ge_u (local.get $j) (local.get $n)))
            (local.set $sum
              (i32.add
                (local.get $sum)
                (call $escape
                  (f32.sub (f32.mul (f32.convert_i32_u (local.get $i)) (local.get $step)) (f32.const 2))
                  (f32.sub (f32.mul (f32.convert_i32_u (local.get $j)) (local.get $step)) (f32.const 1.5)))))
            (local.set $j (i32.add (local.get $j) (i32.const 1)))
            (br $row)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $rows)))
    (global.set $iterations (local.get $sum))
    (local.get $n)))

;; A five-point stencil over a grid of 32 x 32, n times over: at 0, the new one at 4096.
(module
  (memory 1)
  (global $iterations (export "iterations") (mut i32) (i32.const 0))
  (func $step
    (local $i i32) (local $j i32)
    (local.set $i (i32.const 1))
    (loop $rows
      (local.set $j (i32.const 1))
      (loop $row
        (f32.store offset=4096
          (i32.shl (i32.add (i32.mul (local.get $i) (i32.const 32)) (local.get $j)) (i32.const 2))
          (f32.mul
            (f32.const 0.25)
            (f32.add
              (f32.add
                (f32.add
                  (f32.load
                    (i32.shl
                      (i32.add
                        (i32.mul (i32.sub (local.get $i) (i32.const 1)) (i32.const 32))
                        (local.get $j))
                      (i32.const 2)))
                  (f32.load
                    (i32.shl
                      (i32.add
                        (i32.mul (i32.add (local.get $i) (i32.const 1)) (i32.const 32))
                        (local.get $j))
                      (i32.const 2))))
                (f32.load
                  (i32.shl
                    (i32.add
                      (i32.mul (local.get $i) (i32.const 32))
                      (i32.sub (local.get $j) (i32.const 1)))
                    (i32.const 2))))
              (f32.load
                (i32.shl
                  (i32.add
                    (i32.mul (local.get $i) (i32.const 32))
                    (i32.add (local.get $j) (i32.const 1)))
                  (i32.const 2))))))
        (local.set $j (i32.add (local.get $j) (i32.const 1)))
        (br_if $row (i32.lt_s (local.get $j) (i32.const 31))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $rows (i32.lt_s (local.get $i) (i32.const 31))))
    (local.set $i (i32.const 1))
    (loop $rows
      (local.set $j (i32.const 1))
      (loop $row
        (f32.store
          (i32.shl (i32.add (i32.mul (local.get $i) (i32.const 32)) (local.get $j)) (i32.const 2))
          (f32.load offset=4096
            (i32.shl (i32.add (i32.mul (local.get $i) (i32.const 32)) (local.get $j)) (i32.const 2))))
        (local.set $j (i32.add (local.get $j) (i32.const 1)))
        (br_if $row (i32.lt_s (local.get $j) (i32.const 31))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $rows (i32.lt_s (local.get $i) (i32.const 31)))))
  (func (export "run") (param $n i32) (result i32)
    (local $k i32)
    ;; It begins anew, as the others do.
    (loop $clear
      (f32.store (i32.shl (local.get $k) (i32.const 2))
        (select (f32.const 1024) (f32.const 0) (i32.lt_u (local.get $k) (i32.const 32))))
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br_if $clear (i32.lt_u (local.get $k) (i32.const 1024))))
    (local.set $k (i32.const 0))
    (loop $rounds
      (call $step)
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br_if $rounds (i32.lt_u (local.get $k) (local.get $n))))
    (global.set $iterations (i32.mul (local.get $n) (i32.const 900)))
    (i32.trunc_f32_u (f32.load (i32.const 192)))))

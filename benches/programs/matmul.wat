;; The product of two matrices of 32 x 32 f32, n times over: at 0, 4096 and 8192.
(module
  (memory 1)
  (global $iterations (export "iterations") (mut i32) (i32.const 0))
  (func $multiply
    (local $i i32) (local $j i32) (local $k i32) (local $sum f32)
    (loop $rows
      (local.set $j (i32.const 0))
      (loop $columns
        (local.set $sum (f32.const 0))
        (local.set $k (i32.const 0))
        (loop $products
          (local.set $sum
            (f32.add
              (local.get $sum)
              (f32.mul
                (f32.load (i32.shl (i32.add (i32.mul (local.get $i) (i32.const 32)) (local.get $k)) (i32.const 2)))
                (f32.load offset=4096
                  (i32.shl (i32.add (i32.mul (local.get $k) (i32.const 32)) (local.get $j)) (i32.const 2))))))
          (local.set $k (i32.add (local.get $k) (i32.const 1)))
          (br_if $products (i32.lt_u (local.get $k) (i32.const 32))))
        (f32.store offset=8192
          (i32.shl (i32.add (i32.mul (local.get $i) (i32.const 32)) (local.get $j)) (i32.const 2))
          (local.get $sum))
        (local.set $j (i32.add (local.get $j) (i32.const 1)))
        (br_if $columns (i32.lt_u (local.get $j) (i32.const 32))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $rows (i32.lt_u (local.get $i) (i32.const 32)))))
  (func (export "run") (param $n i32) (result i32)
    (local $k i32) (local $sum f32)
    (loop $fill
      (f32.store (i32.shl (local.get $k) (i32.const 2))
        (f32.convert_i32_u (i32.rem_u (local.get $k) (i32.const 7))))
      (f32.store offset=4096 (i32.shl (local.get $k) (i32.const 2))
        (f32.convert_i32_u (i32.rem_u (local.get $k) (i32.const 5))))
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br_if $fill (i32.lt_u (local.get $k) (i32.const 1024))))
    (local.set $k (i32.const 0))
    (loop $rounds
      (call $multiply)
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br_if $rounds (i32.lt_u (local.get $k) (local.get $n))))
    (global.set $iterations (i32.mul (local.get $n) (i32.const 32768)))
    (local.set $k (i32.const 0))
    (loop $total
      (local.set $sum (f32.add (local.get $sum) (f32.load offset=8192 (i32.shl (local.get $k) (i32.const 2)))))
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br_if $total (i32.lt_u (local.get $k) (i32.const 1024))))
    (i32.trunc_f32_u (local.get $sum))))

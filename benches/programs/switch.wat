;; A machine with eight instructions in a table of branches, n steps.
(module
  (global $iterations (export "iterations") (mut i32) (i32.const 0))
  (func (export "run") (param $n i32) (result i32)
    (local $a i32) (local $b i32) (local $k i32)
    (local.set $a (i32.const 1))
    (local.set $b (i32.const 2))
    (global.set $iterations (local.get $n))
    (block $done
      (loop $on
        (br_if $done (i32.ge_u (local.get $k) (local.get $n)))
        (block $next
          (block $7
            (block $6
              (block $5
                (block $4
                  (block $3
                    (block $2
                      (block $1
                        (block $0
                          (br_table $0 $1 $2 $3 $4 $5 $6 $7
                            (i32.and (i32.xor (local.get $a) (local.get $k)) (i32.const 7))))
                        (local.set $a (i32.add (local.get $a) (local.get $b)))
                        (br $next))
                      (local.set $a (i32.xor (local.get $a) (local.get $k)))
                      (br $next))
                    (local.set $b (i32.add (local.get $b) (i32.const 3)))
                    (br $next))
                  (local.set $a (i32.or (i32.shl (local.get $a) (i32.const 1)) (i32.const 1)))
                  (br $next))
                (local.set $b (i32.xor (local.get $b) (local.get $a)))
                (br $next))
              (local.set $a (i32.sub (local.get $a) (local.get $k)))
              (br $next))
            (local.set $b (i32.shr_u (local.get $b) (i32.const 1)))
            (br $next))
          (local.set $a (i32.add (local.get $a) (i32.const 7))))
        (local.set $k (i32.add (local.get $k) (i32.const 1)))
        (br $on)))
    (i32.xor (local.get $a) (local.get $b))))

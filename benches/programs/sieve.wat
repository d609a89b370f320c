;; Primes below 16384, n times over; an element takes a word of 16 bits, as a CSL bool does.
(module
  (memory 1)
  (global $iterations (export "iterations") (mut i32) (i32.const 0))
  (global $result (mut i32) (i32.const 0))
  (func $sieve (result i32)
    (local $visits i32) (local $primes i32) (local $i i32) (local $j i32)
    (block $cleared
      (loop $clear
        (br_if $cleared (i32.ge_u (local.get $i) (i32.const 16384)))
        (i32.store16 (i32.shl (local.get $i) (i32.const 1)) (i32.const 0))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $clear)))
    (local.set $i (i32.const 2))
    (block $done
      (loop $numbers
        (br_if $done (i32.ge_u (local.get $i) (i32.const 16384)))
        (local.set $visits (i32.add (local.get $visits) (i32.const 1)))
        (if (i32.eqz (i32.load16_u (i32.shl (local.get $i) (i32.const 1))))
          (then
            (local.set $primes (i32.add (local.get $primes) (i32.const 1)))
            (local.set $j (i32.add (local.get $i) (local.get $i)))
            (block $end
              (loop $multiples
                (br_if $end (i32.ge_u (local.get $j) (i32.const 16384)))
                (i32.store16 (i32.shl (local.get $j) (i32.const 1)) (i32.const 1))
                (local.set $visits (i32.add (local.get $visits) (i32.const 1)))
                (local.set $j (i32.add (local.get $j) (local.get $i)))
                (br $multiples)))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $numbers)))
    (global.set $result (local.get $primes))
    (local.get $visits))
  (func (export "run") (param $n i32) (result i32)
    (local $round i32)
    (global.set $iterations (i32.const 0))
    (block $done
      (loop $rounds
        (br_if $done (i32.ge_u (local.get $round) (local.get $n)))
        (global.set $iterations (i32.add (global.get $iterations) (call $sieve)))
        (local.set $round (i32.add (local.get $round) (i32.const 1)))
        (br $rounds)))
    (global.get $result)))

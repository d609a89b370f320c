//! What the arms of superinstructions do, in the scalar loop: macros, because they are compiled into it. They use
//! the macros of the loop: `reg!` for registers, `then!` between two parts, `jump!`, `attempt!`, and those that
//! read and write memory.

macro_rules! call {
    ($f:expr, $base:expr) => {
        break Some(($f, $base))
    };
}
macro_rules! hand_back {
    ($op:expr) => {
        stop!(Ok(StopReason::Service($op)))
    };
}
macro_rules! float {
    ($d:ident = $a:ident $op:tt $b:ident) => {
        set!($d, (single(reg!($a)) $op single(reg!($b))).to_bits())
    };
}
macro_rules! place {
    ($base:ident $b:ident $len:ident $kind:ident) => {
        attempt!(element_of($base, reg!($b), Access::$kind, $len))
    };
}
macro_rules! place_of {
    ($base:ident $b:ident $len:ident $kind:ident) => {
        attempt!(element_of($base, reg!($b), $kind, $len))
    };
}
macro_rules! read_byte {
    ($memory:ident, $at:expr) => {
        attempt!(byte_at($memory, watch!(reads $at, Access::U8)))
    };
}
macro_rules! write_byte {
    ($memory:ident, $at:expr, $value:expr) => {{
        let at = watch!(writes $at, Access::U8);
        attempt!(store_byte($memory, at, $value as u8))
    }};
}
macro_rules! divided {
    ($d:ident = $a:ident $op:tt $b:ident, $sh:ident) => {{
        let (x, y) = attempt!(arithmetic::dividend(reg!($a), reg!($b), $sh));
        set!($d, x $op y)
    }};
}
macro_rules! math {
    ($r:ident[$base:ident]) => {{
        let Some(value) = arithmetic::math($r, $base) else {
            hand_back!(Op::Intrinsic { id: Intrinsic::Math32, base: $base })
        };
        reg!($base) = value;
    }};
}
macro_rules! behind {
    ($a:ident $off:ident) => {
        reg!($a) as u32 as usize + usize::from($off)
    };
}
macro_rules! looped {
    ($s:ident $step:ident $cmp:ident) => {{
        reg!($s.d) = value!($step reg!($s.a), reg!($s.b), $s.sh);
        then!();
        let to = $s.to;
        jump!(to if holds!($cmp reg!($s.x), reg!($s.y)))
    }};
}
macro_rules! next {
    ($s:ident $ty:ident) => {{
        let i = reg!($s.i).wrapping_add(reg!($s.k)) as $ty as u64;
        reg!($s.i) = i;
        then!();
        let to = $s.to;
        jump!(to if i < reg!($s.n))
    }};
}
macro_rules! next_signed {
    ($s:ident $ty:ident) => {{
        let i = reg!($s.i).wrapping_add(reg!($s.k)) as $ty as u64;
        reg!($s.i) = i;
        then!();
        let to = $s.to;
        jump!(to if (i as i64) < reg!($s.n) as i64)
    }};
}
macro_rules! count {
    ($s:ident $add:ident $step:ident $cmp:ident) => {{
        reg!($s.d) = value!($add reg!($s.d), reg!($s.c), $s.sh);
        let i = value!($step reg!($s.i), reg!($s.k), $s.step_sh);
        reg!($s.i) = i;
        then!();
        then!();
        let to = $s.to;
        jump!(to if holds!($cmp i, reg!($s.n)))
    }};
}
macro_rules! chain {
    ($s:ident $first:ident $second:ident) => {{
        let value = value!($first reg!($s.a), reg!($s.b), $s.sh);
        reg!($s.d) = value;
        then!();
        reg!($s.e) = value!($second value, reg!($s.c), $s.then_sh);
    }};
}
macro_rules! half_chain {
    ($s:ident) => {{
        let (product, sum) = arithmetic::half_product_and_sum(reg!($s.a), reg!($s.b), reg!($s.c));
        reg!($s.d) = product;
        then!();
        reg!($s.e) = sum;
    }};
}
macro_rules! products {
    ($s:ident $last:ident) => {{
        let one = value!(FMul reg!($s.a), reg!($s.b), 0);
        reg!($s.d) = one;
        let two = value!(FMul reg!($s.c), reg!($s.g), 0);
        reg!($s.e) = two;
        then!();
        then!();
        // Both products may have the same destination register.
        reg!($s.f) = value!($last reg!($s.d), two, 0);
    }};
}
macro_rules! test {
    ($s:ident $cmp:ident $when:expr) => {{
        let flag = holds!($cmp reg!($s.a), reg!($s.b));
        reg!($s.d) = flag.into();
        then!();
        let to = $s.to;
        jump!(to if flag == $when)
    }};
}
macro_rules! short {
    ($s:ident $cmp:ident $when:expr) => {{
        let flag = holds!($cmp reg!($s.a), reg!($s.b));
        reg!($s.d) = flag.into();
        reg!($s.e) = flag.into();
        then!();
        then!();
        let to = $s.to;
        jump!(to if flag == $when)
    }};
}
macro_rules! load_element {
    ($s:ident) => {{
        let at = attempt!(element_of($s.base, reg!($s.i), $s.kind, $s.len));
        let value = read!(at, $s.kind);
        reg!($s.d) = value;
        value
    }};
}
macro_rules! test_element {
    ($s:ident $cmp:tt) => {{
        let value = load_element!($s);
        then!();
        let to = $s.to;
        jump!(to if value $cmp 0)
    }};
}
macro_rules! store_element {
    ($s:ident) => {{
        let at = attempt!(element_of($s.base, reg!($s.i), $s.kind, $s.len));
        write!(at, $s.kind, reg!($s.d));
    }};
}
macro_rules! loaded {
    ($s:ident $op:ident) => {{
        let value = load_element!($s);
        then!();
        reg!($s.e) = value!($op value, reg!($s.c), $s.sh);
    }};
}
macro_rules! stored {
    ($s:ident $op:ident) => {{
        reg!($s.d) = value!($op reg!($s.e), reg!($s.c), $s.sh);
        then!();
        store_element!($s);
    }};
}
macro_rules! global {
    ($s:ident $op:ident $kind:ident) => {{
        let value = read!($s.addr.into(), Access::$kind);
        reg!($s.d) = value;
        then!();
        let value = value!($op value, reg!($s.c), $s.sh);
        reg!($s.e) = value;
        then!();
        write!($s.addr.into(), Access::$kind, value);
    }};
}
macro_rules! moved_call {
    ($s:ident $op:ident) => {{
        let value = value!($op reg!($s.a), reg!($s.b), $s.sh);
        reg!($s.d) = value;
        reg!($s.base) = value;
        then!();
        then!();
        call!(FnId($s.f.into()), $s.base.into())
    }};
}
macro_rules! moved_return {
    ($s:ident) => {{
        reg!($s.d) = reg!($s.a);
        then!();
        break None;
    }};
}
macro_rules! copied_call {
    ($s:ident) => {{
        reg!($s.d) = reg!($s.a);
        then!();
        call!(FnId($s.f.into()), $s.base.into())
    }};
}
macro_rules! moves_call {
    ($s:ident) => {{
        moves!($s);
        then!();
        call!(FnId($s.f.into()), $s.base.into())
    }};
}
macro_rules! element_widened {
    ($s:ident $kind:ident) => {{
        let value = follow!(stepped!($s step_words), Access::$kind);
        reg!($s.v) = value;
        then!();
        reg!($s.e) = value;
    }};
}
macro_rules! widened {
    ($s:ident $kind:ident) => {{
        let value = read!(attempt!(element_of($s.base, reg!($s.i), Access::$kind, $s.len)), Access::$kind);
        reg!($s.d) = value;
        then!();
        reg!($s.e) = value;
    }};
}
macro_rules! products_then {
    ($s:ident) => {{
        let one = value!(FMul reg!($s.a), reg!($s.b), 0);
        reg!($s.d) = one;
        let two = value!(FMul one, reg!($s.c), 0);
        reg!($s.e) = two;
        then!();
        then!();
        reg!($s.f) = value!(FAdd two, reg!($s.g), 0);
    }};
}
macro_rules! float_element {
    ($s:ident $op:ident) => {{
        let at = attempt!(element_of($s.base, reg!($s.i), Access::U32, $s.len));
        let value = read!(at, Access::U32);
        reg!($s.d) = value;
        then!();
        reg!($s.e) = value!($op value, reg!($s.c), $s.sh);
    }};
}
macro_rules! float_stored {
    ($s:ident $op:ident) => {{
        let value = value!($op reg!($s.e), reg!($s.c), $s.sh);
        reg!($s.d) = value;
        then!();
        let at = attempt!(element_of($s.base, reg!($s.i), Access::U32, $s.len));
        write!(at, Access::U32, value);
    }};
}
macro_rules! index {
    ($s:ident $kind:expr) => {{
        let value = value!(MulU reg!($s.a), reg!($s.b), $s.sh);
        reg!($s.d) = value;
        let value = value!(AddU value, reg!($s.c), $s.sh);
        reg!($s.e) = value;
        then!();
        then!();
        attempt!(element_of($s.base, value, $kind, $s.len))
    }};
}
macro_rules! offset {
    ($s:ident $op:ident) => {{
        let i = value!($op reg!($s.a), reg!($s.b), $s.sh);
        reg!($s.d) = i;
        then!();
        let at = attempt!(element_of($s.base, i, $s.kind, $s.len));
        reg!($s.v) = read!(at, $s.kind);
    }};
}
macro_rules! judged_element {
    ($s:ident $cmp:ident) => {{
        load_element!($s);
        then!();
        let to = $s.to;
        jump!(to if holds!($cmp reg!($s.x), reg!($s.y)))
    }};
}
macro_rules! elements {
    ($s:ident) => {{
        let row = attempt!(element(reg!($s.a), reg!($s.b), $s.words, $s.len.into())) as u64;
        reg!($s.d) = row;
        then!();
        let at = attempt!(element(row, reg!($s.c), $s.inner_words.into(), $s.inner_len.into()));
        reg!($s.e) = at as u64;
    }};
}
macro_rules! element_loaded {
    ($s:ident) => {{
        elements!($s);
        then!();
        reg!($s.v) = follow!(reg!($s.e) as usize, $s.kind);
    }};
}
macro_rules! two_loads {
    ($s:ident) => {{
        reg!($s.d) = follow!(reg!($s.a) as usize + usize::from($s.off), $s.kind);
        then!();
        reg!($s.e) = follow!(reg!($s.b) as usize + usize::from($s.then_off), $s.then_kind);
    }};
}
macro_rules! moves {
    ($s:ident) => {{
        reg!($s.d) = reg!($s.a);
        then!();
        reg!($s.e) = reg!($s.b);
    }};
}
macro_rules! three_moves {
    ($s:ident) => {{
        reg!($s.d) = reg!($s.a);
        reg!($s.e) = reg!($s.b);
        then!();
        then!();
        reg!($s.f) = reg!($s.c);
    }};
}
macro_rules! added_load {
    ($s:ident) => {{
        reg!($s.e) = value!(AddU reg!($s.e), reg!($s.c), $s.sh);
        then!();
        load_element!($s);
    }};
}
macro_rules! stored_add {
    ($s:ident) => {{
        store_element!($s);
        then!();
        reg!($s.e) = value!(AddU reg!($s.e), reg!($s.c), $s.sh);
    }};
}
macro_rules! member {
    ($s:ident) => {{
        let start = attempt!(element(reg!($s.a), reg!($s.b), $s.words, $s.len.into()));
        reg!($s.d) = start as u64;
        then!();
        start + usize::from($s.off)
    }};
}
macro_rules! field_loaded {
    ($s:ident $op:ident) => {{
        let value = follow!(reg!($s.p) as usize + usize::from($s.off), $s.kind);
        reg!($s.d) = value;
        then!();
        reg!($s.e) = value!($op value, reg!($s.c), $s.sh);
    }};
}
macro_rules! field_stored {
    ($s:ident $op:ident) => {{
        let value = value!($op reg!($s.e), reg!($s.c), $s.sh);
        reg!($s.d) = value;
        then!();
        put!(reg!($s.p) as usize + usize::from($s.off), $s.kind, value);
    }};
}
macro_rules! arm {
    ($s:ident $op:ident) => {{
        reg!($s.d) = value!($op reg!($s.a), reg!($s.b), $s.sh);
        then!();
        let to = $s.to;
        jump!(to if true)
    }};
}

/// Operations that the loop leaves to others.
macro_rules! rare {
    () => {
        Op::BitNotS { .. }
            | Op::BitNotU { .. }
            | Op::Convert { .. }
            | Op::HSub { .. }
            | Op::HDiv { .. }
            | Op::HNeg { .. }
            | Op::HEq { .. }
            | Op::HNe { .. }
            | Op::CheckVariant { .. }
            | Op::CheckConfig { .. }
            | Op::CheckCast { .. }
            | Op::UnsetWords { .. }
            | Op::Zero { .. }
            | Op::MapBegin { .. }
            | Op::MapEnd { .. }
            | Op::FifoLength { .. }
            | Op::Activate { .. }
            | Op::Block { .. }
            | Op::Unblock { .. }
            | Op::BlockUt { .. }
            | Op::UnblockUt { .. }
            | Op::CheckId { .. }
            | Op::Assert { .. }
            | Op::Trap { .. }
            | Op::Intrinsic { .. }
    };
}

pub(super) use {
    added_load, arm, behind, call, chain, copied_call, count, divided, element_loaded, element_widened,
    elements, field_loaded, field_stored, float, float_element, float_stored, global, half_chain, hand_back,
    index, judged_element, load_element, loaded, looped, math, member, moved_call, moved_return, moves,
    moves_call, next, next_signed, offset, place, place_of, products, products_then, rare, read_byte, short,
    store_element, stored, stored_add, test, test_element, three_moves, two_loads, widened, write_byte,
};

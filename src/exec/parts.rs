//! The parts that superinstructions are made of. They are macros, because a part must be compiled into the arm
//! of the scalar loop that it belongs to.

/// The result of a part of a superinstruction, by the name of the operation that it replaces. Shifts use the
/// `attempt!` of the place where this stands.
macro_rules! value {
    (AddU $a:expr, $b:expr, $sh:expr) => {
        unsigned($a.wrapping_add($b), $sh)
    };
    (AddS $a:expr, $b:expr, $sh:expr) => {
        signed($a.wrapping_add($b), $sh)
    };
    (SubU $a:expr, $b:expr, $sh:expr) => {
        unsigned($a.wrapping_sub($b), $sh)
    };
    (SubS $a:expr, $b:expr, $sh:expr) => {
        signed($a.wrapping_sub($b), $sh)
    };
    (MulU $a:expr, $b:expr, $sh:expr) => {
        unsigned($a.wrapping_mul($b), $sh)
    };
    (MulS $a:expr, $b:expr, $sh:expr) => {
        signed($a.wrapping_mul($b), $sh)
    };
    (ShlU $a:expr, $b:expr, $sh:expr) => {
        unsigned($a << attempt!(amount($b, $sh)), $sh)
    };
    (ShrU $a:expr, $b:expr, $sh:expr) => {
        $a >> attempt!(amount($b, $sh))
    };
    (And $a:expr, $b:expr, $sh:expr) => {
        $a & $b
    };
    (Or $a:expr, $b:expr, $sh:expr) => {
        $a | $b
    };
    (Xor $a:expr, $b:expr, $sh:expr) => {
        $a ^ $b
    };
    (FAdd $a:expr, $b:expr, $sh:expr) => {
        u64::from((single($a) + single($b)).to_bits())
    };
    (FSub $a:expr, $b:expr, $sh:expr) => {
        u64::from((single($a) - single($b)).to_bits())
    };
    (FMul $a:expr, $b:expr, $sh:expr) => {
        u64::from((single($a) * single($b)).to_bits())
    };
    (Mov $a:expr, $b:expr, $sh:expr) => {
        $a
    };
    (RemU $a:expr, $b:expr, $sh:expr) => {
        attempt!(remainder($a, $b))
    };
    (Onto $a:expr, $b:expr, $sh:expr) => {
        u64::from((single($b) + single($a)).to_bits())
    };
    (From $a:expr, $b:expr, $sh:expr) => {
        u64::from((single($b) - single($a)).to_bits())
    };
}
/// Whether a comparison holds, by the name of the operation that makes it.
macro_rules! holds {
    (Eq $a:expr, $b:expr) => {
        $a == $b
    };
    (Ne $a:expr, $b:expr) => {
        $a != $b
    };
    (LtU $a:expr, $b:expr) => {
        $a < $b
    };
    (LeU $a:expr, $b:expr) => {
        $a <= $b
    };
    (LtS $a:expr, $b:expr) => {
        ($a as i64) < $b as i64
    };
    (LeS $a:expr, $b:expr) => {
        $a as i64 <= $b as i64
    };
    (HLt $a:expr, $b:expr) => {
        f16::lt($a as u16, $b as u16)
    };
    (FLt $a:expr, $b:expr) => {
        single($a) < single($b)
    };
    (FLe $a:expr, $b:expr) => {
        single($a) <= single($b)
    };
}

pub(super) use {holds, value};

/// The float in a register.
#[inline(always)]
pub(super) fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

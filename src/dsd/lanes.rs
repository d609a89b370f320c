//! Elements as lanes: the bits of a value, zero-extended to 32, and how they lie in memory.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, transmute};

/// A value of a type of CSL, made of a lane and put into one.
pub(super) trait LaneValue: Copy {
    /// The value with the low bits of a lane.
    fn from_lane(bits: u32) -> Self;
    /// Its bits, zero-extended.
    fn lane(self) -> u32;
}

macro_rules! lanes {
    ($($t:ty: |$bits:ident| $from:expr, |$value:ident| $to:expr;)*) => {$(
        impl LaneValue for $t {
            #[inline(always)]
            fn from_lane($bits: u32) -> $t {
                $from
            }
            #[inline(always)]
            fn lane(self) -> u32 {
                let $value = self;
                $to
            }
        }
    )*};
}

lanes! {
    u16: |bits| bits as u16, |value| value.into();
    i16: |bits| bits as i16, |value| u32::from(value as u16);
    u32: |bits| bits, |value| value;
    f32: |bits| f32::from_bits(bits), |value| value.to_bits();
    (): |_bits| (), |_value| 0;
}

/// What an element is in memory, with what lies between it and the next.
pub trait Word: Copy + FromBytes + IntoBytes + KnownLayout + Immutable {
    /// As a lane: zero-extended.
    fn lane(self) -> u32;
    /// The low bits of a lane.
    fn of(lane: u32) -> Self;
    /// Takes the low bits of a lane, and leaves alone what lies between.
    fn set(&mut self, lane: u32);
}

impl Word for u16 {
    #[inline(always)]
    fn lane(self) -> u32 {
        self.into()
    }
    #[inline(always)]
    fn of(lane: u32) -> u16 {
        lane as u16
    }
    #[inline(always)]
    fn set(&mut self, lane: u32) {
        *self = lane as u16;
    }
}

impl Word for u32 {
    #[inline(always)]
    fn lane(self) -> u32 {
        self
    }
    #[inline(always)]
    fn of(lane: u32) -> u32 {
        lane
    }
    #[inline(always)]
    fn set(&mut self, lane: u32) {
        *self = lane;
    }
}

/// The first of two elements. Both are read and written as one number: so a loop over pairs becomes one
/// over whole vectors, which blends results with what lies between, instead of one store for each result.
macro_rules! pairs {
    ($($element:ty, $both:ty;)*) => {$(
        impl Word for [$element; 2] {
            #[inline(always)]
            fn lane(self) -> u32 {
                let both: $both = transmute!(self);
                ((both >> (FIRST * <$element>::BITS)) as $element).into()
            }
            #[inline(always)]
            fn of(lane: u32) -> [$element; 2] {
                [lane as $element; 2]
            }
            #[inline(always)]
            fn set(&mut self, lane: u32) {
                let both: $both = transmute!(*self);
                let first = <$both>::from(lane as $element) << (FIRST * <$element>::BITS);
                let others = <$both>::from(<$element>::MAX) << ((1 - FIRST) * <$element>::BITS);
                *self = transmute!((both & others) | first);
            }
        }
    )*};
}

/// Whether the first element is the high half of a pair.
const FIRST: u32 = cfg!(target_endian = "big") as u32;

pairs! {
    u16, u32;
    u32, u64;
}

/// Does `work` with the widest instructions that this processor has.
#[inline(always)]
pub(crate) fn widest(work: impl FnOnce()) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the processor has both.
        #[allow(unsafe_code)]
        return unsafe { with_avx2(work) };
    }
    work();
}

// Without `fma` a fused multiply-add is a call of the C library for each element.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2(work: impl FnOnce()) {
    work();
}

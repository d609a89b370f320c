//! Vectors of one width that are contiguous, or every second element of such: kernels work on the
//! memory itself.

use super::kernels::Direct;
use std::ops::Range;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, transmute};

/// Elements for which a scalar is spread out.
const SPREAD: usize = 64;

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

/// One of the first two sources.
#[derive(Clone, Debug)]
pub(super) enum Input {
    /// The operation has no such source.
    Nothing,
    Scalar(u32),
    /// These words of memory.
    Words(Range<usize>),
}

impl Input {
    fn spread<W: Word>(&self) -> [W; SPREAD] {
        match self {
            Input::Scalar(bits) => [W::of(*bits); SPREAD],
            Input::Nothing | Input::Words(_) => [W::of(0); SPREAD],
        }
    }
}

/// Runs the kernel on `dest`; `None` if the vectors overlap in a way, or lie at addresses, that ask
/// for a copy.
pub(super) fn run<W: Word>(
    memory: &mut [u16],
    kernel: &Direct<W>,
    dest: Range<usize>,
    a: &Input,
    b: &Input,
    third: u32,
) -> Option<()> {
    match (a, b) {
        (Input::Words(a), Input::Words(b)) if *a == dest => {
            let [dest, b] = memory.get_disjoint_mut([dest, b.clone()]).ok()?;
            (kernel.onto)(elements(dest)?, elements(b)?, third);
        }
        (Input::Words(a), _) if *a == dest => {
            let b = b.spread();
            for dest in elements(memory.get_mut(dest)?)?.chunks_mut(SPREAD) {
                (kernel.onto)(dest, &b[..dest.len()], third);
            }
        }
        (Input::Words(a), Input::Words(b)) if a != b => {
            let [dest, a, b] = memory.get_disjoint_mut([dest, a.clone(), b.clone()]).ok()?;
            (kernel.apart)(elements(dest)?, elements(a)?, elements(b)?, third);
        }
        (Input::Words(a), Input::Words(_) | Input::Nothing) => {
            let [dest, a] = memory.get_disjoint_mut([dest, a.clone()]).ok()?;
            let a = elements(a)?;
            (kernel.apart)(elements(dest)?, a, a, third);
        }
        (Input::Words(a), Input::Scalar(_)) => {
            let [dest, a] = memory.get_disjoint_mut([dest, a.clone()]).ok()?;
            let b = b.spread();
            for (dest, a) in elements(dest)?.chunks_mut(SPREAD).zip(elements(a)?.chunks(SPREAD)) {
                (kernel.apart)(dest, a, &b[..dest.len()], third);
            }
        }
        (Input::Scalar(_) | Input::Nothing, Input::Words(b)) => {
            let [dest, b] = memory.get_disjoint_mut([dest, b.clone()]).ok()?;
            let a = a.spread();
            for (dest, b) in elements(dest)?.chunks_mut(SPREAD).zip(elements(b)?.chunks(SPREAD)) {
                (kernel.apart)(dest, &a[..dest.len()], b, third);
            }
        }
        (Input::Scalar(_) | Input::Nothing, Input::Scalar(_) | Input::Nothing) => {
            let (a, b) = (a.spread(), b.spread());
            for dest in elements(memory.get_mut(dest)?)?.chunks_mut(SPREAD) {
                (kernel.apart)(dest, &a[..dest.len()], &b[..dest.len()], third);
            }
        }
    }
    Some(())
}

fn elements<W: Word>(words: &mut [u16]) -> Option<&mut [W]> {
    <[W]>::mut_from_bytes(words.as_mut_bytes()).ok()
}

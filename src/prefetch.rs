//! Prefetching: the processor is told which memory will be needed soon.
//!
//! The state of a large wafer does not fit into the caches, and no processor can guess which PE comes next. The
//! simulator knows: it has a list. So while it visits one PE or router, it prefetches those that are a few places
//! further in the list. Only the time of a run depends on this. It is done on wafers of at least 4,096 PEs
//! (`RunOptions::large_from` with a higher number switches it off), because it costs more than it saves where the state
//! fits a cache: game-of-life of the public examples takes 1.1 times as long with it on 32 x 32. On 64 x 64 and
//! 128 x 128, and with pieces of a cycle that are as long as their work (`wafer/locality_step.rs`), it takes 0.75 of
//! the time of a build that prefetched about half of what a visit touches, `benches/programs/exchange.csl`, 128 x 128,
//! 0.94 (medians of runs in turns).

/// How soon a PE is visited. What it refers to can be found only once it is in a cache, and so on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Soon {
    /// In a few visits: the PE itself is prefetched.
    Later,
    /// Before long: what it refers to.
    Before,
    /// Next: what that refers to.
    Next,
}

/// How many places before a visit each part is prefetched.
const AHEAD: [(usize, Soon); 3] = [(6, Soon::Later), (4, Soon::Before), (2, Soon::Next)];

/// At a place of a list of things that are visited in turn, prefetches parts of those that come.
#[inline(always)]
pub fn along(list: &[u32], at: usize, prefetch: impl Fn(u32, Soon)) {
    if at == 0 {
        return begin(list, prefetch);
    }
    for (ahead, soon) in AHEAD {
        if let Some(number) = list.get(at + ahead) {
            prefetch(*number, soon);
        }
    }
}

/// Nobody has prefetched the first ones of a list.
#[inline(never)]
fn begin(list: &[u32], prefetch: impl Fn(u32, Soon)) {
    for (ahead, soon) in AHEAD {
        list.iter().take(ahead + 1).for_each(|number| prefetch(*number, soon));
    }
}

/// Bytes of a cache line.
pub const LINE: usize = 64;

/// Prefetches a value, at most its first `bytes` bytes.
#[inline(always)]
pub fn value<T>(value: &T, bytes: usize) {
    lines(std::ptr::from_ref(value).cast(), bytes.min(size_of::<T>()));
}

/// Prefetches a slice, at most its first `bytes` bytes.
#[inline(always)]
pub fn slice<T>(values: &[T], bytes: usize) {
    lines(values.as_ptr().cast(), bytes.min(size_of_val(values)));
}

/// Prefetches the place of a vector, whether it holds items or not; at most its first `bytes` bytes.
#[inline(always)]
pub fn room<T>(values: &Vec<T>, bytes: usize) {
    lines(values.as_ptr().cast(), bytes.min(values.capacity() * size_of::<T>()));
}

#[inline(always)]
fn lines(at: *const u8, bytes: usize) {
    for offset in (0..bytes).step_by(LINE) {
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        // SAFETY: the instruction exists on every such processor, and an address is all that it takes.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(offset).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (at, offset);
    }
}

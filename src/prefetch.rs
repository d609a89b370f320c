//! Prefetching: the processor is told which memory will be needed soon.
//!
//! The state of a large wafer does not fit into the caches, and no processor can guess which PE comes next. The
//! simulator knows: it has a list. So while it visits one PE or router, it prefetches those that are a few places
//! further in the list. Only the time of a run depends on this. It is done on wafers of at least 4,096 PEs
//! (`Wafer::is_large_from` with a higher number switches it off). Medians of three runs in turns with a build
//! without it: game-of-life of the public examples, 128 x 128, takes 0.81 of the time, conjugate-gradient, 64 x 64,
//! 0.97, with 10 to 25 % between equal runs.

/// Bytes of a cache line.
const LINE: usize = 64;

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

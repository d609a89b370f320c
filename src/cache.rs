//! Asks for memory before it is needed.
//!
//! On a wafer whose state lies in no cache, most of the time of a visit is waiting for lines of memory that
//! no processor can foresee. Who is visited next is known, so its lines are asked for while others are
//! visited. Nothing but the time depends on it.

/// Bytes that come at once.
const LINE: usize = 64;

/// Asks for the first lines of a value, at most so many bytes.
#[inline(always)]
pub fn ask_for<T>(value: &T, bytes: usize) {
    lines(std::ptr::from_ref(value).cast(), bytes.min(size_of::<T>()));
}

/// Asks for the first lines of a list, at most so many bytes.
#[inline(always)]
pub fn ask_for_some<T>(values: &[T], bytes: usize) {
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

//! How the allocator of the commands and of the Python package gives memory back.

use libmimalloc_sys::{_mi_option_last, mi_option_set_default, mi_option_t};

/// `mi_option_allow_thp` of mimalloc 3, for which the crate has no name.
const ALLOW_TRANSPARENT_HUGE_PAGES: mi_option_t = 43;
/// Huge pages stay whole: memory is given back in pieces of 2 MiB, not of 4 KiB.
const AND_KEEP_THEM_WHOLE: std::ffi::c_long = 2;

// Numbers of options may change with their count.
const _: () = assert!(_mi_option_last == 47);

/// Lets the allocator give back only whole huge pages of 2 MiB. Otherwise what the compiler frees leaves holes in them, the
/// pages are split, and the PEs of a large wafer come to lie in pages of 4 KiB, of which the TLB covers few: of
/// game-of-life on 128 x 128, 60 % of the heap were in huge pages, and 92 % are now (docs/performance.md).
///
/// `MIMALLOC_ALLOW_THP` in the environment overrides it. Call it once, before much is allocated, in a process whose allocator
/// is mimalloc; in others it has no effect.
pub fn keep_huge_pages() {
    #[allow(unsafe_code)]
    // SAFETY: the option exists in this version of mimalloc, see above, and its value is a number.
    unsafe {
        mi_option_set_default(ALLOW_TRANSPARENT_HUGE_PAGES, AND_KEEP_THEM_WHOLE);
    }
}

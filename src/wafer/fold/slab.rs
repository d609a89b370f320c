//! A lot of memory in one piece, for which the system is asked to use large pages: to give each page of
//! 4 KiB its memory when it is first touched takes as long as all that is done with it.

use memmap2::MmapMut;
use std::io;
use std::marker::PhantomData;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Numbers, all of them 0 at first.
pub(super) struct Slab<T> {
    map: Option<MmapMut>,
    numbers: PhantomData<T>,
}

impl<T: FromBytes + IntoBytes + Immutable> Slab<T> {
    /// So many zeros. Complains if there is not as much memory.
    pub fn zeros(count: usize) -> io::Result<Slab<T>> {
        let bytes = count * size_of::<T>();
        let map = if bytes > 0 { Some(MmapMut::map_anon(bytes)?) } else { None };
        #[cfg(target_os = "linux")]
        if let Some(map) = &map {
            // Without large pages it is only slower.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Ok(Slab { map, numbers: PhantomData })
    }

    /// All of them.
    pub fn all(&self) -> &[T] {
        self.map.as_ref().map_or(&[], |map| <[T]>::ref_from_bytes(map).expect(FITS))
    }

    /// All of them, to write.
    pub fn all_mut(&mut self) -> &mut [T] {
        self.map.as_mut().map_or(&mut [], |map| <[T]>::mut_from_bytes(map).expect(FITS))
    }
}

/// Maps begin with a page.
const FITS: &str = "it was made for whole numbers";

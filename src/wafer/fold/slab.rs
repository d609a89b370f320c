//! A lot of memory in one piece, for which the system is asked to use large pages: to give each page of
//! 4 KiB its memory when it is first touched takes as long as all that is done with it.

use memmap2::MmapMut;
use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use zerocopy::FromBytes;

/// Bytes of a large page. What does not fill one gets small ones.
const LARGE_PAGE: usize = 2 << 20;
/// Bytes of a small page.
const SMALL_PAGE: usize = 4 << 10;

/// Words, all of them 0 at first.
pub(super) struct Slab(Option<MmapMut>);

impl Slab {
    /// So many zeros. Complains if there is not as much memory.
    pub fn zeros(count: usize) -> io::Result<Slab> {
        let bytes = count * size_of::<u16>();
        let room = if bytes < LARGE_PAGE { bytes } else { bytes.next_multiple_of(LARGE_PAGE) };
        let map = if room > 0 { Some(MmapMut::map_anon(room)?) } else { None };
        #[cfg(target_os = "linux")]
        if let Some(map) = &map {
            // Without large pages it is only slower.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Ok(Slab(map))
    }

    /// All of them, and perhaps more.
    pub fn all(&self) -> &[u16] {
        self.0.as_ref().map_or(&[], |map| <[u16]>::ref_from_bytes(map).expect(FITS))
    }

    /// All of them, to write, and perhaps more.
    pub fn all_mut(&mut self) -> &mut [u16] {
        self.0.as_mut().map_or(&mut [], |map| <[u16]>::mut_from_bytes(map).expect(FITS))
    }
}

/// Lets the system give memory to a part before it is used: what is read first gets a page of zeros that
/// all share, and for each of those that are written then all threads have to stop.
pub(super) fn touch(part: &mut [u16]) {
    part.iter_mut().step_by(SMALL_PAGE / size_of::<u16>()).for_each(|word| *word = 0);
}

/// A slab that a thread of its own touches while something else is done.
pub(super) struct Ahead {
    /// The thread goes on as long as somebody else holds this.
    wanted: Arc<()>,
    thread: JoinHandle<Slab>,
}

impl Ahead {
    /// Begins; there will be as many words at least, perhaps twice as many. `None` if there is not as much
    /// memory, or no other thread.
    pub fn of(count: usize) -> Option<Ahead> {
        let mut slab = Slab::zeros(2 * count).ok()?;
        let wanted = Arc::new(());
        let held = wanted.clone();
        let work = move || {
            let end = count.min(slab.all().len());
            for part in slab.all_mut()[..end].chunks_mut(LARGE_PAGE / size_of::<u16>()) {
                if Arc::strong_count(&held) == 1 {
                    break;
                }
                touch(part);
            }
            slab
        };
        Some(Ahead { wanted, thread: Builder::new().spawn(work).ok()? })
    }

    /// What there is if it has room for so many words.
    pub fn take(self, count: usize) -> Option<Slab> {
        drop(self.wanted);
        self.thread.join().ok().filter(|slab| slab.all().len() >= count)
    }
}

/// Maps begin with a page.
const FITS: &str = "it was made for whole numbers";

//! The threads that work on a wafer.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// The worker threads, and how much work is worth one.
pub(super) struct WorkerPool {
    threads: WorkerThreads,
    /// Fewer PEs are not worth a thread.
    pes_of_a_thread: usize,
}

impl WorkerPool {
    /// So many threads, the one that runs the wafer among them, each for at least `pes` PEs.
    pub fn new(threads: usize, pes: usize) -> WorkerPool {
        let size = threads.max(1);
        WorkerPool { threads: WorkerThreads { size, others: OnceLock::new() }, pes_of_a_thread: pes.max(1) }
    }

    /// How many threads there are.
    #[inline]
    pub fn size(&self) -> usize {
        self.threads.size
    }

    /// How many of them pay off for this many PEs.
    #[inline]
    pub fn threads_for(&self, pes: usize) -> usize {
        match self.size() {
            1 => 1,
            all => all.min(pes / self.pes_of_a_thread).max(1),
        }
    }

    /// Whether every cycle is shared in which two PEs run, even if that takes longer.
    #[inline]
    pub fn is_always_shared(&self) -> bool {
        self.pes_of_a_thread == 1
    }

    /// Does `each` with every piece of work; the results are in the order of the pieces.
    pub fn share<T: Send, R: Send>(&self, work: Vec<T>, each: impl Fn(T) -> R + Sync) -> Vec<R> {
        self.threads.share(work, each)
    }
}

/// Spins of a thread that waits for the others before it sleeps: about 100 microseconds.
const LOOKS_BEFORE_SLEEP: u32 = 10_000;

/// Spins before a thread takes pieces beyond its share, whose state lies in the cache of another processor: about 20
/// microseconds.
const LOOKS_BEFORE_HELP: u32 = 2_000;

/// The other threads, made when there is first something to share.
struct WorkerThreads {
    size: usize,
    /// All but the one that runs the wafer; `None` if the system gives no more.
    others: OnceLock<Option<ThreadPool>>,
}

impl WorkerThreads {
    /// Does `each` with every piece of work. Half of the threads take pieces from the front, the others from
    /// the back, each its share as far as all are awake: a piece that one thread has all the time stays in the cache
    /// of its processor, and so do lines and pages that neighbouring pieces share. The
    /// results are in the order of the pieces.
    fn share<T: Send, R: Send>(&self, work: Vec<T>, each: impl Fn(T) -> R + Sync) -> Vec<R> {
        let helpers = self.size.min(work.len()).saturating_sub(1);
        let Some(pool) = self.others().filter(|_| helpers > 0) else {
            return work.into_iter().map(each).collect();
        };
        let (pieces, finished) = (work.len(), AtomicUsize::new(0));
        let todo = Mutex::new(work.into_iter().enumerate());
        let done = Mutex::new(Vec::with_capacity(pieces));
        let next = |from_back: bool| {
            let mut todo = todo.lock().expect("nothing fails while a piece is taken");
            if from_back { todo.next_back() } else { todo.next() }
        };
        let work = |from_back, most| {
            let mut mine = Vec::new();
            while let Some((number, piece)) = (mine.len() < most).then(|| next(from_back)).flatten() {
                mine.push((number, each(piece)));
            }
            let count = mine.len();
            done.lock().expect("nothing fails while results are put down").append(&mut mine);
            finished.fetch_add(count, Ordering::Release);
        };
        pool.in_place_scope(|scope| {
            let work = &work;
            (0..helpers).for_each(|helper| scope.spawn(move |_| work(helper % 2 == 0, pieces)));
            work(false, pieces.div_ceil(helpers + 1));
            // A thread that sleeps takes longer to wake up than the others take for the rest of a cycle.
            let mut looks = 0;
            while finished.load(Ordering::Acquire) < pieces && looks < LOOKS_BEFORE_SLEEP {
                std::hint::spin_loop();
                looks += 1;
                if looks == LOOKS_BEFORE_HELP {
                    work(false, pieces);
                }
            }
        });
        let mut done = done.into_inner().expect("nothing fails while results are put down");
        done.sort_unstable_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, result)| result).collect()
    }

    fn others(&self) -> Option<&ThreadPool> {
        let build = || ThreadPoolBuilder::new().num_threads(self.size - 1).build().ok();
        if self.size > 1 { self.others.get_or_init(build).as_ref() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_pieces() {
        for size in [0, 1, 2, 5] {
            let pool = WorkerPool::new(size, 1);
            for pieces in [0, 1, 3, 100] {
                let twice = pool.share((0..pieces).collect(), |piece: u32| 2 * piece);
                assert_eq!(twice, (0..pieces).map(|piece| 2 * piece).collect::<Vec<_>>(), "{size} threads");
            }
        }
    }
}

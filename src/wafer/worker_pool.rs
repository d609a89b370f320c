//! The threads that work on a wafer.

use crate::pe::Worker;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Mutex, OnceLock};

/// WorkerThreads, and a worker for each.
pub(super) struct WorkerPool {
    threads: WorkerThreads,
    workers: Vec<Worker>,
    /// Fewer PEs are not worth a thread.
    pes_of_a_thread: usize,
}

impl WorkerPool {
    /// So many threads, the one that runs the wafer among them, each for at least `pes` PEs.
    pub fn new(threads: usize, pes: usize) -> WorkerPool {
        let size = threads.max(1);
        WorkerPool {
            threads: WorkerThreads { size, others: OnceLock::new() },
            workers: vec![Worker::default(); size],
            pes_of_a_thread: pes.max(1),
        }
    }

    /// How many threads there are.
    #[inline]
    pub fn size(&self) -> usize {
        self.workers.len()
    }

    /// On how many of them it is worth to do something for so many PEs.
    #[inline]
    pub fn threads_for(&self, pes: usize) -> usize {
        match self.size() {
            1 => 1,
            all => all.min(pes / self.pes_of_a_thread).max(1),
        }
    }

    /// The worker of the thread that runs the wafer.
    #[inline]
    pub fn first(&mut self) -> &mut Worker {
        &mut self.workers[0]
    }

    /// Nobody looks at the PEs before a cycle.
    pub fn nobody_looks_before(&mut self, cycle: u64) {
        self.workers.iter_mut().for_each(|worker| worker.unseen_until = cycle);
    }

    /// Does `each` with every piece of work and a worker of its own; at most as many as there are threads.
    pub fn run<T: Send, R: Send>(
        &mut self,
        work: impl Iterator<Item = T>,
        each: impl Fn(T, &mut Worker) -> R + Sync,
    ) -> Vec<R> {
        let pieces = work.zip(&mut self.workers).collect();
        self.threads.share(pieces, |(piece, worker)| each(piece, worker))
    }

    /// Does `each` with every piece of work; the results are in the order of the pieces.
    pub fn share<T: Send, R: Send>(&self, work: Vec<T>, each: impl Fn(T) -> R + Sync) -> Vec<R> {
        self.threads.share(work, each)
    }
}

/// WorkerThreads, made when there is first something to share.
struct WorkerThreads {
    size: usize,
    /// All but the one that runs the wafer; `None` if the system gives no more.
    others: OnceLock<Option<ThreadPool>>,
}

impl WorkerThreads {
    /// Does `each` with every piece of work. Half of the threads take pieces from the front, the others from
    /// the back: neighbouring pieces share lines of the cache and pages, which one thread should have. The
    /// results are in the order of the pieces.
    fn share<T: Send, R: Send>(&self, work: Vec<T>, each: impl Fn(T) -> R + Sync) -> Vec<R> {
        let helpers = self.size.min(work.len()).saturating_sub(1);
        let Some(pool) = self.others().filter(|_| helpers > 0) else {
            return work.into_iter().map(each).collect();
        };
        let todo = Mutex::new(work.into_iter().enumerate());
        let done = Mutex::new(Vec::new());
        let next = |from_back: bool| {
            let mut todo = todo.lock().expect("nothing fails while a piece is taken");
            if from_back { todo.next_back() } else { todo.next() }
        };
        let work = |from_back| {
            let mut mine = Vec::new();
            while let Some((number, piece)) = next(from_back) {
                mine.push((number, each(piece)));
            }
            done.lock().expect("nothing fails while results are put down").append(&mut mine);
        };
        pool.in_place_scope(|scope| {
            (0..helpers).for_each(|helper| scope.spawn(move |_| work(helper % 2 == 0)));
            work(false);
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

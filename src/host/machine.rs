//! The machine that simulates: how much memory it has left, and how many threads a program may use.

use crate::image::Program;
use std::fs::read_to_string;

/// A thread gets at least this many PEs; with fewer, a cycle has too little work to share. On two threads,
/// gemm-collectives_2d takes 1.0 to 1.1 times as long as on one with 16 x 16 PEs, and 0.65 to 0.75 times with 24 x
/// 24.
const PES_OF_A_THREAD: usize = 256;

/// Bytes that this machine, or the container that runs the process, has left; `None` where nobody says.
pub fn available_memory() -> Option<u64> {
    [whole_machine(), container()].into_iter().flatten().min()
}

fn whole_machine() -> Option<u64> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1 << 10)
}

fn container() -> Option<u64> {
    let number =
        |file: &str| read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?.trim().parse::<u64>().ok();
    number("memory.max")?.checked_sub(number("memory.current")?)
}

/// The number of threads that suits a program: as many as the machine runs at once, if the wafer is large enough for them.
pub fn automatic_threads(program: &Program) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.min(program.place.len() / PES_OF_A_THREAD).min(program.height.into()).max(1)
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn linux_says_what_is_left() {
        assert!(super::whole_machine().is_some_and(|bytes| bytes > 1 << 20));
    }
}

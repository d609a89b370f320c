//! The machine that simulates: how much memory it has left, and how many threads a program may use.

use crate::image::Program;
use std::fs::read_to_string;

/// A wafer with fewer PEs runs on one thread: there is too little to share in a cycle.
const PES_WORTH_SHARING: usize = 64 * 64;

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

/// The number of threads that suits a program: as many as the machine runs at once if the wafer is large, else 1.
pub fn automatic_threads(program: &Program) -> usize {
    if program.place.len() < PES_WORTH_SHARING {
        return 1;
    }
    std::thread::available_parallelism().map_or(1, usize::from).min(program.height.into())
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn linux_says_what_is_left() {
        assert!(super::whole_machine().is_some_and(|bytes| bytes > 1 << 20));
    }
}

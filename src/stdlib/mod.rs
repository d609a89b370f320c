//! The embedded library, in CSL.
//!
//! In: the name between `<` and `>`. Out: program text.
//! Never: knows what the text means.
//!
//! Only these files may use the internal builtins:
//!
//! | builtin | when | meaning |
//! |---|---|---|
//! | `@__intrinsic(comptime name, args...)` | run time | `image::intrinsics` has a row of that name; arguments are converted to its types |
//! | `@__math(comptime name, x)`, `@__math(comptime name, x, y)` | both | `value::math::Function` of that name; `x`, `y` and the result are of one type: `f32`, the fp16 type, or `comptime_float` |
//! | `@__string_id(comptime s) u32` | both | index of `s` in the strings of the tile |
//! | `@__type_kind(T) comptime_string` | comptime | `"signed"`, `"unsigned"` (integers, `comptime_int` is signed), `"float"`, `"dsd"`, `"dsr"`, `"many"` (a pointer `[*]T`) or `"other"` |
//! | `@__pointee(T) type` | comptime | what a pointer of type `T` leads to |
//! | `@__type_bits(T) comptime_int` | comptime | width of a number, bool or pointer in bits |
//! | `@__config_address(comptime name) u16` | both | word address of a block of configuration registers (`arch::config`) |
//! | `@__count(x) comptime_int` | comptime | number of fields of a struct or elements of a tuple or array; `x` is not evaluated |
//! | `@__mailbox(queue) void` | comptime block of a tile | messages come to this input queue, and the control wavelet that ends one starts no task |
//! | `@__memcpy(params) void` | layout | the program talks to the host; the fields `MEMCPYH2D_1` to `_4` and `MEMCPYD2H_1` to `_4` are colors or void. Any number of times with equal values |
//! | `@__memcpy_server() void` | comptime block of a tile | this tile takes commands of the host |

//!
//! A function of theirs may take several numbers of arguments: a call of `name` with two of them is one of
//! `name__with_2`, if that is declared beside it.

/// The text of a library file; `path` is the name without `<` and `>`.
pub fn find(path: &str) -> Option<&'static str> {
    // Release 0.9 had the library for several channels under a name of its own.
    if let Some(file) = path.strip_prefix("memcpy_multi/") {
        return find(&format!("memcpy/{file}"));
    }
    FILES.iter().find(|(name, _)| *name == path).map(|(_, text)| *text)
}

/// The names of all library files, in alphabetical order, without `<` and `>`.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// Whether the SDK has a library file of this name that is missing here.
pub fn is_missing(path: &str) -> bool {
    MISSING.contains(&path)
}

/// The names of library files of the SDK that are missing here, without `<` and `>`.
pub fn missing() -> impl Iterator<Item = &'static str> {
    MISSING.iter().copied()
}

/// Library files of the SDK that nobody has written for cslrun yet.
const MISSING: &[&str] = &["kernels/fft/get_params"];

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("csl/", $name, ".csl")))),*]
    };
}

static FILES: &[(&str, &str)] = files! {
    "collectives_2d/params"
    "collectives_2d/pe"
    "complex"
    "control"
    "data_utils"
    "debug"
    "directions"
    "dsd_ops"
    "empty"
    "kernels/fft/fft3d"
    "kernels/fft/fft3d_layout"
    "kernels/tally/layout"
    "kernels/tally/pe"
    "layout"
    "malloc"
    "math"
    "math/type_helpers"
    "memcpy/get_params"
    "memcpy/memcpy"
    "memcpy/memcpy_switches"
    "message_passing"
    "random"
    "simprint"
    "string"
    "tile_config"
    "tile_config/color_config"
    "tile_config/control_transform"
    "tile_config/exceptions"
    "tile_config/filters"
    "tile_config/input_queue_config"
    "tile_config/main_thread_priority"
    "tile_config/output_queue_config"
    "tile_config/queue_flush"
    "tile_config/queue_status"
    "tile_config/switch_config"
    "tile_config/target"
    "tile_config/task_priority"
    "tile_config/teardown"
    "time"
    "timer"
    "types"
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_lead_to_their_text() {
        let all: Vec<_> = names().collect();
        assert!(all.is_sorted());
        assert!(find("memcpy/get_params").is_some_and(|text| text.contains("fn get_params(")));
        assert_eq!(find("<math>"), None);
        assert_eq!(find("mathematics"), None);
    }

    #[test]
    fn what_is_missing_is_not_there() {
        assert!(MISSING.iter().all(|path| find(path).is_none()));
        assert!(is_missing("kernels/fft/get_params") && !is_missing("math") && !is_missing("mathematics"));
    }
}

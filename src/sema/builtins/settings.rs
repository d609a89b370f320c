//! The settings that a builtin takes in a struct, for who wants to list them.

use super::{colors, dsrs, fifos, handlers, properties, queues};
use crate::arch::ArchName;
use crate::dsd::ops;
use crate::value::ty::Ty;

/// The names of the fields that stand in a struct given to a builtin. `first` is the first argument as written, and `path`
/// the fields around the struct, outermost first.
pub fn settings(builtin: &str, first: &str, path: &[&str]) -> Vec<&'static str> {
    let names: &[&str] = match (builtin, path) {
        ("get_dsd", []) => match Ty::predeclared(first) {
            Some(Ty::Dsd(kind)) => properties::properties_of(kind),
            _ => &[],
        },
        ("set_color_config" | "set_local_color_config", []) => colors::CONFIGURATION,
        ("set_color_config" | "set_local_color_config", ["routes"]) => colors::ROUTES,
        ("set_color_config" | "set_local_color_config", ["switches"]) => colors::SWITCHES,
        ("set_color_config" | "set_local_color_config", ["switches", "pos1" | "pos2" | "pos3"]) => {
            colors::POSITION
        }
        ("allocate_fifo", []) => &fifos::SETTINGS,
        ("initialize_queue", []) => {
            let [wse2, wse3] = [ArchName::Wse2, ArchName::Wse3].map(queues::settings_of);
            let more = wse3.iter().filter(|name| !wse2.contains(name));
            return wse2.iter().chain(more).copied().collect();
        }
        ("set_control_task_table", []) => handlers::TABLE,
        ("bind_rotating_tasks", []) => handlers::ROTATION,
        ("load_to_dsr" | "map", []) => dsrs::SETTINGS,
        (operation, []) if ops::lookup(operation).is_some() => dsrs::SETTINGS,
        _ => &[],
    };
    names.to_vec()
}

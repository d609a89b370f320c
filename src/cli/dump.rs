use super::{Exit, args::CompileArgs, output, session::Session};
use crate::image::dump;

/// `cslrun dump FILE.csl`
pub fn dump(args: &CompileArgs) -> Exit {
    match Session::new(args).compile() {
        Ok(program) => {
            output::print(&dump::text(&program));
            Exit::Fine
        }
        Err(exit) => exit,
    }
}

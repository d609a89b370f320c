use super::{Exit, args::CompileArgs, output, session::Session};

/// `cslrun check FILE.csl`
pub fn check(args: &CompileArgs) -> Exit {
    match Session::new(args).compile() {
        Ok(program) => {
            let (w, h, images) = (program.width, program.height, program.tiles.len());
            output::print(&format!(
                "{}: fine, {w} x {h} PEs with {images} distinct programs\n",
                args.file.display()
            ));
            Exit::Fine
        }
        Err(exit) => exit,
    }
}

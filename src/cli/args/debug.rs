//! The arguments of `cslrun debug`.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// What to debug, and with whom to speak.
#[derive(Args, Clone, Debug)]
pub struct DebugArgs {
    /// Serve an editor on standard input and output: the Debug Adapter Protocol
    #[arg(long, conflicts_with_all = ["port", "commands"])]
    pub dap: bool,
    /// Serve an editor that connects to this port of this machine
    #[arg(long, value_name = "N", conflicts_with = "commands")]
    pub port: Option<u16>,
    /// Take commands line by line, even if the terminal could show a full screen
    #[arg(long, conflicts_with_all = ["dap", "port", "commands"])]
    pub prompt: bool,
    /// Read commands from a file instead of the terminal
    #[arg(long, value_name = "FILE")]
    pub commands: Option<PathBuf>,
    /// The program and the options of its run, as `cslrun run` takes them
    #[arg(value_name = "FILE.csl", trailing_var_arg = true, allow_hyphen_values = true)]
    pub run: Vec<String>,
}

/// The options of the debugger itself, and whether each takes a value.
const OWN: [(&str, bool); 4] =
    [("--dap", false), ("--prompt", false), ("--port", true), ("--commands", true)];

/// Moves the options of the debugger in front of the program, behind which all words are those of its run.
pub(super) fn own_options_first(words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_none_or(|command| command != "debug") {
        return words;
    }
    let (mut own, mut run) = (Vec::new(), Vec::new());
    let mut rest = words.into_iter();
    let begin: Vec<OsString> = rest.by_ref().take(2).collect();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        match OWN.iter().find(|(name, _)| text.split('=').next() == Some(*name)) {
            Some((name, takes_value)) => {
                let is_next = *takes_value && text == *name;
                own.push(word);
                if is_next {
                    own.extend(rest.next());
                }
            }
            None => run.push(word),
        }
    }
    begin.into_iter().chain(own).chain(run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_debugger_may_stand_behind_the_program() {
        let ordered = |line: &str| {
            let words = own_options_first(line.split(' ').map(OsString::from).collect());
            words.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(ordered("cslrun debug a.csl --arch wse3 --dap"), "cslrun debug --dap a.csl --arch wse3");
        assert_eq!(
            ordered("cslrun debug a.csl --commands c.txt -W x"),
            "cslrun debug --commands c.txt a.csl -W x"
        );
        assert_eq!(ordered("cslrun debug a.csl --port=7"), "cslrun debug --port=7 a.csl");
        assert_eq!(ordered("cslrun run a.csl --dap"), "cslrun run a.csl --dap");
        assert_eq!(ordered("cslrun debug a.csl --port"), "cslrun debug --port a.csl");
    }
}

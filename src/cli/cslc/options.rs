use crate::cli::number::Number;
use crate::diagnostics::suggest;
use crate::{Arch, CompileOptions, Fp16Format, Level, Levels, ParamValue};
use std::path::PathBuf;

/// One call of `cslc`, understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Invocation {
    /// The top file.
    pub input: PathBuf,
    /// The output folder.
    pub output: PathBuf,
    /// What the compilation depends on; `fabric` stays empty.
    pub options: CompileOptions,
    /// `--params` as written, for `out.json`.
    pub params: Vec<(String, String)>,
    /// `--colors` as written, for `out.json`.
    pub colors: Vec<(String, String)>,
    /// `--output-json`: one more file for what `out.json` holds, and its path if that is given.
    pub output_json: Option<Option<PathBuf>>,
    /// `--fabric-dims`: columns and rows.
    pub fabric_dims: Option<(u16, u16)>,
    /// `--fabric-offsets`: column and row of the rectangle.
    pub fabric_offsets: Option<(u16, u16)>,
    /// `--memcpy`
    pub memcpy: bool,
    /// `--channels`
    pub channels: Option<u16>,
    /// `--width-west-buf`
    pub west_buffers: u16,
    /// `--width-east-buf`
    pub east_buffers: u16,
    /// `--verbose`
    pub verbose: bool,
    /// `--out-routes`: one more file with the routes.
    pub out_routes: bool,
    /// What was accepted and has no effect.
    pub warnings: Vec<String>,
}

/// Why the command line makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageError(pub String);

type ParseResult<T> = Result<T, UsageError>;

/// What an option without a value does.
type Act = fn(&mut Found);

/// Options that stand alone, with their effect.
const ACTING: [(&str, Act); 4] = [
    ("--memcpy", |it| it.invocation.memcpy = true),
    ("--verbose", |it| it.invocation.verbose = true),
    ("--warnings-as-errors", |it| it.warnings_as_errors = true),
    ("--out-routes", |it| it.invocation.out_routes = true),
];

/// Options that stand alone and have no effect here.
const IGNORED: [&str; 4] = ["--single-pe", "--disable-auto-microthread-id", "--dump-dsr-alloc-graph", "--g0"];

/// What an option does with its name and its value.
type Effect = fn(&mut Found, &str, &str) -> ParseResult<()>;

/// Options with a value, with their effect.
const VALUED: [(&str, Effect); 13] = [
    ("-o", |it, _, value| {
        it.invocation.output = PathBuf::from(value);
        Ok(())
    }),
    ("--arch", |it, _, value| it.arch(value)),
    ("--params", |it, _, value| it.params(value)),
    ("--colors", |it, _, value| it.colors(value)),
    ("--fabric-dims", |it, name, value| pair(name, value).map(|n| it.invocation.fabric_dims = Some(n))),
    ("--fabric-offsets", |it, name, value| pair(name, value).map(|n| it.invocation.fabric_offsets = Some(n))),
    ("--channels", |it, _, value| channels(value).map(|n| it.invocation.channels = Some(n))),
    ("--width-west-buf", |it, name, value| number(name, value).map(|n| it.invocation.west_buffers = n)),
    ("--width-east-buf", |it, name, value| number(name, value).map(|n| it.invocation.east_buffers = n)),
    ("--import-path", |it, _, value| {
        it.invocation.options.import_paths.push(PathBuf::from(value));
        Ok(())
    }),
    ("--import-root", |it, _, value| {
        it.invocation.options.import_root = Some(PathBuf::from(value));
        Ok(())
    }),
    ("--max-inlined-iterations", |it, name, value| {
        number(name, value).map(|n| it.invocation.options.max_inlined_iterations = n)
    }),
    ("--fp16-format", |it, _, value| fp16(value).map(|format| it.invocation.options.fp16 = format)),
];

/// Options with a value that say where and how code is placed on the real machine.
const PLACEMENT: [&str; 5] = [
    "--link-section-start-address-bytes",
    "--link-section-address-bytes",
    "--lomem-reservation-end",
    "--max-parallelism",
    "--comptime-func-depth-limit",
];

/// One more file with what `out.json` holds; its value, a path, may be left out.
const OUTPUT_JSON: &str = "--output-json";

/// The options of the vendor's `cslc`, and whether they have an effect here.
pub fn known_options() -> impl Iterator<Item = (&'static str, bool)> {
    let valued = VALUED.map(|(name, _)| name);
    let acting = valued.into_iter().chain([OUTPUT_JSON]).chain(ACTING.map(|(name, _)| name));
    acting.map(|name| (name, true)).chain(IGNORED.into_iter().chain(PLACEMENT).map(|name| (name, false)))
}

/// Understands the words after the command's name.
///
/// Rules have the levels of `base` unless the words choose others.
pub fn parse(words: &[String], base: Levels) -> ParseResult<Invocation> {
    let mut reader = Reader { words, next: 0 };
    let mut found = Found::default();
    found.invocation.options.levels = base;
    while let Some(word) = reader.take() {
        if !word.starts_with('-') || word == "-" {
            found.positional(word)?;
            continue;
        }
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        found.option(spelled_out(name), attached, &mut reader)?;
    }
    found.finish()
}

/// The name of an option, whose two dashes may be one: `-arch` is `--arch`.
fn spelled_out(name: &str) -> &str {
    let mut known = known_options().map(|(long, _)| long);
    known.find(|long| long.strip_prefix('-') == Some(name)).unwrap_or(name)
}

struct Reader<'a> {
    words: &'a [String],
    next: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.next)?;
        self.next += 1;
        Some(word)
    }

    /// The value of an option: after `=`, or else the next word.
    fn value(&mut self, name: &str, attached: Option<&'a str>) -> ParseResult<&'a str> {
        attached.or_else(|| self.take()).ok_or_else(|| UsageError(format!("{name} needs a value")))
    }
}

struct Found {
    input: Option<String>,
    invocation: Invocation,
    arch_given: bool,
    warnings_as_errors: bool,
    /// A misspelled option: what it was probably meant to be, and what was written.
    misspelled: Option<(&'static str, String)>,
}

impl Default for Found {
    fn default() -> Found {
        Found {
            input: None,
            arch_given: false,
            warnings_as_errors: false,
            misspelled: None,
            invocation: Invocation {
                input: PathBuf::new(),
                output: PathBuf::from("out"),
                options: CompileOptions::new(Arch::Wse2),
                params: Vec::new(),
                colors: Vec::new(),
                output_json: None,
                fabric_dims: None,
                fabric_offsets: None,
                memcpy: false,
                channels: None,
                west_buffers: 0,
                east_buffers: 0,
                verbose: false,
                out_routes: false,
                warnings: Vec::new(),
            },
        }
    }
}

impl Found {
    fn positional(&mut self, word: &str) -> ParseResult<()> {
        match self.input.replace(word.to_string()) {
            None => Ok(()),
            Some(first) => {
                let why = match &self.misspelled {
                    Some((meant, written)) => format!("; did you mean {meant} instead of {written}?"),
                    None if word.contains(':') && !word.contains(['/', '\\']) => {
                        "; values of --params are separated by commas, without spaces".to_string()
                    }
                    None => String::new(),
                };
                Err(UsageError(format!("more than one file to compile: {first} and {word}{why}")))
            }
        }
    }

    fn option<'a>(
        &mut self,
        name: &str,
        attached: Option<&'a str>,
        reader: &mut Reader<'a>,
    ) -> ParseResult<()> {
        if let Some(level) = Level::ALL.into_iter().find(|level| name.starts_with(level.flag())) {
            return self.level(level, name, attached, reader);
        }
        if let Some((_, act)) = ACTING.iter().find(|(known, _)| *known == name) {
            act(self);
        } else if name == OUTPUT_JSON {
            // The next word is no value: it may be the file to compile.
            self.invocation.output_json = Some(attached.map(PathBuf::from));
        } else if PLACEMENT.contains(&name) {
            reader.value(name, attached)?;
        } else if let Some((_, act)) = VALUED.iter().find(|(known, _)| *known == name) {
            return act(self, name, reader.value(name, attached)?);
        } else if !IGNORED.contains(&name) {
            let near = suggest::nearest(name, known_options().map(|(known, _)| known));
            let meant = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
            self.misspelled = near.map(|near| (near, name.to_string()));
            self.invocation.warnings.push(format!("{name} is not supported and has no effect{meant}"));
        }
        Ok(())
    }

    /// `-W NAME`, `-WNAME` or `-W=NAME`, with several names between commas.
    fn level<'a>(
        &mut self,
        level: Level,
        name: &str,
        attached: Option<&'a str>,
        reader: &mut Reader<'a>,
    ) -> ParseResult<()> {
        let names = match name.strip_prefix(level.flag()) {
            Some("") | None => reader.value(name, attached)?.to_string(),
            Some(joined) => joined.to_string(),
        };
        let mut names = names.split(',');
        names.try_for_each(|name| self.invocation.options.levels.choose(level, name)).map_err(UsageError)
    }

    fn arch(&mut self, value: &str) -> ParseResult<()> {
        let arch = Arch::parse(value);
        self.invocation.options.arch =
            arch.ok_or_else(|| UsageError(format!("--arch must be wse2 or wse3, not {value}")))?;
        self.arch_given = true;
        Ok(())
    }

    fn params(&mut self, list: &str) -> ParseResult<()> {
        for (name, value) in entries("--params", list)? {
            let parsed: Number = value.parse().map_err(|e| UsageError(format!("--params, {name}: {e}")))?;
            self.invocation.options.params.push((name.to_string(), parsed.into()));
            self.invocation.params.push((name.to_string(), value.to_string()));
        }
        Ok(())
    }

    fn colors(&mut self, list: &str) -> ParseResult<()> {
        for (name, value) in entries("--colors", list)? {
            let color: u8 = number("--colors", value)?;
            self.invocation.options.params.push((name.to_string(), ParamValue::Color(color)));
            self.invocation.colors.push((name.to_string(), value.to_string()));
        }
        Ok(())
    }

    fn finish(mut self) -> ParseResult<Invocation> {
        let input = self.input.ok_or_else(|| UsageError("no file to compile; see cslc --help".into()))?;
        self.invocation.input = PathBuf::from(input);
        if self.warnings_as_errors {
            self.invocation.options.levels.deny_warnings();
        }
        if !self.arch_given {
            self.invocation.warnings.push("--arch is missing; compiling for wse2".into());
        }
        Ok(self.invocation)
    }
}

/// The `name:value` pairs of a comma list.
fn entries<'a>(option: &str, list: &'a str) -> ParseResult<Vec<(&'a str, &'a str)>> {
    list.split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .map(|entry| match entry.split_once(':') {
            Some((name, value)) if !name.trim().is_empty() => Ok((name.trim(), value.trim())),
            _ => Err(UsageError(format!("{option} takes name:value, not `{entry}`"))),
        })
        .collect()
}

fn number<T: std::str::FromStr>(option: &str, text: &str) -> ParseResult<T> {
    text.trim().parse().map_err(|_| UsageError(format!("{option}: `{text}` is not a number in range")))
}

fn pair(option: &str, text: &str) -> ParseResult<(u16, u16)> {
    let (x, y) = text.split_once(',').ok_or_else(|| {
        UsageError(format!("{option} takes two numbers separated by a comma, not `{text}`"))
    })?;
    Ok((number(option, x)?, number(option, y)?))
}

fn channels(text: &str) -> ParseResult<u16> {
    match number("--channels", text)? {
        n @ 1..=16 => Ok(n),
        n @ (0 | 17..) => Err(UsageError(format!("--channels must be 1 to 16, not {n}"))),
    }
}

fn fp16(text: &str) -> ParseResult<Fp16Format> {
    Fp16Format::parse(text)
        .ok_or_else(|| UsageError(format!("--fp16-format must be f16, bf16 or cb16, not {text}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> ParseResult<Invocation> {
        parse(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>(), Levels::default())
    }

    #[test]
    fn the_file_may_stand_anywhere_and_values_may_stand_apart() {
        let one =
            parsed("--arch=wse3 top.csl --fabric-dims=9,3 --fabric-offsets 4,1 -o=build --memcpy").unwrap();
        let two =
            parsed("-o build --arch wse3 --fabric-dims 9,3 --memcpy --fabric-offsets=4,1 top.csl").unwrap();
        assert_eq!(one, two);
        assert_eq!(one.fabric_dims, Some((9, 3)));
        assert_eq!(one.output, PathBuf::from("build"));
        assert!(one.memcpy && one.warnings.is_empty());
    }

    #[test]
    fn params_add_up_over_repeated_options() {
        let it =
            parsed("a.csl --arch=wse2 --params=M:4,N:-6 --params=tol:0.5,on:true --colors=rx:3").unwrap();
        let value = |name: &str| it.options.params.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        assert_eq!(value("N"), Some(ParamValue::Int(-6)));
        assert_eq!(value("tol"), Some(ParamValue::Float(0.5)));
        assert_eq!(value("on"), Some(ParamValue::Bool(true)));
        assert_eq!(value("rx"), Some(ParamValue::Color(3)));
        assert_eq!(it.params[0], ("M".to_string(), "4".to_string()));
        assert_eq!(it.colors, [("rx".to_string(), "3".to_string())]);
    }

    #[test]
    fn unknown_options_are_accepted_with_a_warning() {
        let it = parsed("-arch=wse3 -memcpy a.csl -params=M:4 -fabric-dims 9,3").unwrap();
        assert_eq!((it.options.arch, it.memcpy, it.fabric_dims), (Arch::Wse3, true, Some((9, 3))));
        assert_eq!((it.params.len(), it.warnings.len()), (1, 0));
        let it = parsed("a.csl --arch=wse2 --turbo=9").unwrap();
        assert_eq!(it.warnings, ["--turbo is not supported and has no effect"]);
    }

    #[test]
    fn a_misspelled_option_is_answered_with_the_one_that_is_meant() {
        let it = parsed("a.csl --arch=wse2 --param=M:4").unwrap();
        assert_eq!(it.warnings, ["--param is not supported and has no effect; did you mean --params?"]);
        let text = |line: &str| parsed(line).unwrap_err().0;
        assert_eq!(
            text("a.csl --channel 1"),
            "more than one file to compile: a.csl and 1; did you mean --channels instead of --channel?"
        );
        assert_eq!(
            text("a.csl --params M:4 N:6"),
            "more than one file to compile: a.csl and N:6; values of --params are separated by commas, without spaces"
        );
    }

    #[test]
    fn placement_options_take_their_value_with_them() {
        let it =
            parsed("--link-section-start-address-bytes .a:1 a.csl --arch=wse2 --max-parallelism=2").unwrap();
        assert_eq!(it.input, PathBuf::from("a.csl"));
    }

    #[test]
    fn the_path_of_another_json_file_may_be_left_out() {
        let it = parsed("--output-json a.csl --arch=wse2").unwrap();
        assert_eq!((it.input, it.output_json), (PathBuf::from("a.csl"), Some(None)));
        let it = parsed("a.csl --arch=wse2 --output-json=b.json").unwrap();
        assert_eq!(it.output_json, Some(Some(PathBuf::from("b.json"))));
    }

    #[test]
    fn wrong_use_says_what_is_wanted() {
        let text = |line: &str| parsed(line).unwrap_err().0;
        assert_eq!(text("--arch=wse1 a.csl"), "--arch must be wse2 or wse3, not wse1");
        assert_eq!(text("--arch wse2"), "no file to compile; see cslc --help");
        assert_eq!(text("a.csl b.csl"), "more than one file to compile: a.csl and b.csl");
        assert_eq!(text("a.csl --params=M"), "--params takes name:value, not `M`");
        assert_eq!(text("a.csl --channels=17"), "--channels must be 1 to 16, not 17");
        assert_eq!(
            text("a.csl --fabric-dims=8"),
            "--fabric-dims takes two numbers separated by a comma, not `8`"
        );
        assert_eq!(text("a.csl -o"), "-o needs a value");
    }
}

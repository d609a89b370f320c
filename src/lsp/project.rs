//! With which parameters and for which machine a program is compiled: what `cslrun.toml` or a `commands.sh` says.

use super::Services;
use crate::{Arch, CompileOptions, ParamValue, tidy};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How a program is compiled, and which file says so.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The options.
    pub options: CompileOptions,
    /// `cslrun.toml` or a script; `None` if no file names the program.
    pub named_in: Option<PathBuf>,
}

/// The name of the file that names programs.
pub const PROJECT_FILE: &str = "cslrun.toml";

/// Folders above a program that are searched.
const LEVELS: usize = 4;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Project {
    #[serde(default)]
    program: Vec<Named>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Named {
    layout: PathBuf,
    arch: Option<String>,
    #[serde(default)]
    params: BTreeMap<String, Param>,
    #[serde(default)]
    import_paths: Vec<PathBuf>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a parameter is an integer, a float, true or false")]
enum Param {
    Bool(bool),
    Int(i64),
    Float(f64),
}

impl From<&Param> for ParamValue {
    fn from(param: &Param) -> ParamValue {
        match param {
            Param::Bool(b) => ParamValue::Bool(*b),
            Param::Int(n) => ParamValue::Int((*n).into()),
            Param::Float(x) => ParamValue::Float(*x),
        }
    }
}

/// How the program with this root file is compiled: by the nearest `cslrun.toml` that names it, or else by the nearest
/// script that gives it to `cslc`, for `wanted` if there is a choice.
///
/// # Errors
/// The file and what is wrong with it, if a `cslrun.toml` cannot be understood.
pub fn setup(root: &Path, wanted: Option<Arch>, services: &Services) -> Result<Setup, (PathBuf, String)> {
    let folders: Vec<&Path> = root.ancestors().skip(1).take(LEVELS).collect();
    for folder in &folders {
        let file = folder.join(PROJECT_FILE);
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let found = named(&text, folder, root, wanted).map_err(|why| (file.clone(), why))?;
        if let Some(options) = found {
            return Ok(Setup { options, named_in: Some(file) });
        }
        if let Some(layout) = missing_layout(&text, folder) {
            return Err((file, format!("there is no file {}", layout.display())));
        }
    }
    for folder in folders {
        if let Some((options, file)) = scripted(folder, root, wanted, services) {
            return Ok(Setup { options, named_in: Some(file) });
        }
    }
    Ok(Setup { options: CompileOptions::new(wanted.unwrap_or(Arch::Wse2)), named_in: None })
}

/// A program that is named and does not exist.
fn missing_layout(text: &str, folder: &Path) -> Option<PathBuf> {
    let project: Project = toml::from_str(text).ok()?;
    let mut layouts = project.program.into_iter().map(|named| named.layout);
    layouts.find(|layout| !folder.join(layout).exists())
}

fn named(
    text: &str,
    folder: &Path,
    root: &Path,
    wanted: Option<Arch>,
) -> Result<Option<CompileOptions>, String> {
    let project: Project = toml::from_str(text).map_err(|e| e.message().to_string())?;
    for named in &project.program {
        if tidy(&folder.join(&named.layout)) != root {
            continue;
        }
        let arch = match &named.arch {
            Some(word) => Arch::parse(word).ok_or(format!("arch must be wse2 or wse3, not {word}"))?,
            None => wanted.unwrap_or(Arch::Wse2),
        };
        let mut options = CompileOptions::new(arch);
        options.params = named.params.iter().map(|(name, value)| (name.clone(), value.into())).collect();
        options.import_paths = named.import_paths.iter().map(|path| tidy(&folder.join(path))).collect();
        return Ok(Some(options));
    }
    Ok(None)
}

/// What a script of this folder gives to `cslc` together with the program.
fn scripted(
    folder: &Path,
    root: &Path,
    wanted: Option<Arch>,
    services: &Services,
) -> Option<(CompileOptions, PathBuf)> {
    let entries = std::fs::read_dir(folder).ok()?;
    let is_script = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("commands") && name.ends_with(".sh")
    };
    let mut scripts: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_script).collect();
    scripts.sort();
    // Of `commands_wse2.sh` and `commands_wse3.sh` the newer machine is the usual one.
    scripts.reverse();
    let mut found: Vec<(CompileOptions, PathBuf)> = Vec::new();
    for script in scripts {
        let Ok(text) = std::fs::read_to_string(&script) else { continue };
        for words in commands(&text) {
            let Some((input, mut options)) = (services.cslc)(&words) else { continue };
            if tidy(&folder.join(input)) == root {
                options.import_paths.iter_mut().for_each(|path| *path = tidy(&folder.join(&*path)));
                found.push((options, script.clone()));
            }
        }
    }
    let fits = |(options, _): &(CompileOptions, PathBuf)| wanted.is_none_or(|arch| options.arch == arch);
    let at = found.iter().position(fits).or((!found.is_empty()).then_some(0))?;
    Some(found.swap_remove(at))
}

/// The arguments of each call of `cslc` in a script that needs no shell to be understood.
fn commands(text: &str) -> Vec<Vec<String>> {
    let joined = text.replace("\\\n", " ");
    let mut all = Vec::new();
    for line in joined.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let words: Vec<String> =
            line.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_string()).collect();
        let Some(at) = words.iter().position(|word| word == "cslc" || word.ends_with("/cslc")) else {
            continue;
        };
        let rest: Vec<String> = words[at + 1..]
            .iter()
            .take_while(|word| !["&&", ";", "|", "||"].contains(&word.as_str()))
            .cloned()
            .collect();
        if !rest.iter().any(|word| word.contains(['$', '`'])) {
            all.push(rest);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read_as_far_as_they_need_no_shell() {
        let text =
            "# cslc no.csl\ncslc --arch=wse3 ./a.csl \\\n  --params=M:4 && x\ncslc b.csl --params=N:$N\n";
        assert_eq!(commands(text), [["--arch=wse3", "./a.csl", "--params=M:4"]]);
    }

    #[test]
    fn a_project_file_names_programs_with_their_parameters() {
        let text = "[[program]]\nlayout = \"src/a.csl\"\narch = \"wse2\"\nparams = { M = 4, on = true }\n";
        let read = |root: &str| named(text, Path::new("/p"), Path::new(root), None).expect("a valid file");
        let options = read("/p/src/a.csl").expect("it is named");
        let params = [("M".to_string(), ParamValue::Int(4)), ("on".to_string(), ParamValue::Bool(true))];
        assert_eq!((options.arch, options.params.as_slice()), (Arch::Wse2, params.as_slice()));
        assert!(read("/p/src/b.csl").is_none());
        let text = text.replace("M = 4", "M = \"x\"");
        let why = named(&text, Path::new("/p"), Path::new("/p/src/a.csl"), None).expect_err("no number");
        assert_eq!(why, "a parameter is an integer, a float, true or false");
        assert!(named("program = 1", Path::new("/p"), Path::new("/p/a.csl"), None).is_err());
    }
}

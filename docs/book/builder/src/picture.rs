//! What `cslrun` prints and draws for the pages: lists, and the pictures of DSDs in the colors of the page.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The command.
#[derive(Clone, Debug)]
pub struct Cslrun {
    command: PathBuf,
}

impl Cslrun {
    /// The command of a repository: the one that the environment variable `CSLRUN` names, or else one that is built now.
    ///
    /// # Errors
    /// It cannot be built.
    pub fn of(repository: &Path) -> Result<Cslrun> {
        if let Some(command) = std::env::var_os("CSLRUN") {
            return Ok(Cslrun { command: command.into() });
        }
        // Together with the Python package, whose features it shares: it is not compiled once more.
        let words =
            ["build", "--quiet", "--package", "cslrun", "--package", "cslrun-python", "--bin", "cslrun"];
        let built = Command::new(env!("CARGO")).args(words).current_dir(repository).status()?;
        if !built.success() {
            bail!("cslrun cannot be built");
        }
        Ok(Cslrun { command: repository.join("target/debug/cslrun") })
    }

    /// The picture of the DSD that a command of a page shows as text, such as `cslrun dsd a.csl:x`, which runs in
    /// a folder.
    ///
    /// # Errors
    /// The command fails.
    pub fn picture(&self, command: &str, folder: &Path) -> Result<String> {
        let file = std::env::temp_dir().join(format!("cslrun-book-{}.svg", std::process::id()));
        let mut words: Vec<&str> = command.split_whitespace().skip(1).collect();
        words.extend(["--svg", file.to_str().context("a folder for temporary files in Unicode")?]);
        self.output(&words, folder)?;
        let svg = std::fs::read_to_string(&file)?;
        std::fs::remove_file(&file)?;
        Ok(themed(&svg))
    }

    /// What the command prints, run in a folder.
    ///
    /// # Errors
    /// The command fails.
    pub fn output(&self, words: &[&str], folder: &Path) -> Result<String> {
        let done = Command::new(&self.command).args(words).current_dir(folder).output();
        let done = done.with_context(|| format!("{} does not start", self.command.display()))?;
        if !done.status.success() {
            bail!("`cslrun {}`: {}", words.join(" "), String::from_utf8_lossy(&done.stderr));
        }
        Ok(String::from_utf8(done.stdout)?)
    }
}

/// The colors of a picture of its own, and the classes to which the style sheet gives other ones in the dark.
const CLASSES: [(&str, &str); 6] = [
    ("fill=\"white\"", "class=\"paper\""),
    ("fill=\"#cfe8ff\"", "class=\"visited\""),
    ("fill=\"gray\"", "class=\"label\""),
    ("fill=\"none\" stroke=\"#e07a00\"", "class=\"path\""),
    (" stroke=\"#999\"", ""),
    (" font-family=\"monospace\" font-size=\"14\"", ""),
];

/// Space that the title takes, which the page shows as text.
const TITLE: usize = 36;
/// Space behind the last box.
const MARGIN: usize = 20;

/// The picture without its title and without colors of its own, as one HTML block: it has no empty lines.
fn themed(svg: &str) -> String {
    let mut text = svg.replace("stroke-width=\"2\" opacity=\"0.6\"", "");
    for (color, class) in CLASSES {
        text = text.replace(color, class);
    }
    let lines = text.lines().filter(|line| !line.starts_with("<text x=\"10\" y=\"20\"") && !line.is_empty());
    let text = lines.collect::<Vec<_>>().join("\n");
    let Some((before, rest)) = text.split_once("viewBox=\"0 0 ") else { return text };
    let Some((size, rest)) = rest.split_once('"') else { return text };
    let Some((width, height)) = size.split_once(' ') else { return text };
    let height = height.parse().unwrap_or(TITLE) - TITLE;
    let label =
        if rest.contains("<polyline") { "the order of the visits" } else { "the path of the elements" };
    let width = drawn_width(rest).or(width.parse().ok()).unwrap_or_default();
    // On a narrow screen it may be scrolled before its text gets too small.
    let least = width * 7 / 10;
    format!(
        "{before}viewBox=\"0 {TITLE} {width} {height}\" width=\"{width}\" height=\"{height}\" \
         style=\"min-width:{least}px\" role=\"img\" aria-label=\"{label}\"{rest}"
    )
}

/// The width up to the end of the last box: a picture of its own is wider if its title is.
fn drawn_width(svg: &str) -> Option<usize> {
    let number = |text: &str| text.split('"').next()?.parse::<usize>().ok();
    let boxes = svg.lines().filter_map(|line| {
        let (x, rest) = line.strip_prefix("<rect x=\"")?.split_once(" width=\"")?;
        Some(number(x)? + number(rest)?)
    });
    Some(boxes.max()? + MARGIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_loses_its_title_and_its_colors() {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 436 128\" font-family=\"monospace\" \
                   font-size=\"14\">\n<rect width=\"436\" height=\"128\" fill=\"white\"/>\n<rect x=\"64\" \
                   y=\"64\" width=\"44\" height=\"44\"/>\n<text x=\"10\" \
                   y=\"20\">x</text>\n</svg>\n";
        let themed = themed(svg);
        assert!(themed.contains("viewBox=\"0 36 128 92\" width=\"128\" height=\"92\""), "{themed}");
        assert!(!themed.contains("<text") && !themed.contains("white"), "{themed}");
    }
}

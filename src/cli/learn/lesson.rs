use crate::diagnostics::suggest;
use include_dir::{Dir, DirEntry, include_dir};

static STARTS: Dir = include_dir!("$CARGO_MANIFEST_DIR/docs/lessons/start");
static SOLUTIONS: Dir = include_dir!("$CARGO_MANIFEST_DIR/docs/lessons/solutions");
static HINTS: Dir = include_dir!("$CARGO_MANIFEST_DIR/docs/lessons/hints");

/// A file as it is embedded.
#[derive(Debug)]
pub struct LessonFile {
    /// Its path in the folder of the lessons.
    pub path: &'static str,
    /// What it holds.
    pub text: &'static str,
}

/// A small program with one thing wrong or missing.
#[derive(Debug)]
pub struct Lesson {
    /// Its place in the order, from 1.
    pub number: usize,
    /// Its file or folder, without an ending: `07-backwards`.
    pub stem: &'static str,
    /// What it starts from; the first is the program.
    pub files: Vec<LessonFile>,
    /// The same files, repaired.
    pub solution: Vec<LessonFile>,
    /// From a nudge to nearly the answer.
    pub hints: Vec<&'static str>,
    /// What the head of its program says.
    pub head: LessonHead,
}

/// The comment at the head of a program, taken apart.
#[derive(Debug, Default)]
pub struct LessonHead {
    /// What it is about.
    pub title: &'static str,
    /// What there is to do, in lines.
    pub task: Vec<&'static str>,
    /// The number of the chapter of the book about it.
    pub chapter: Option<usize>,
    /// Arguments of the run, such as `--launch f`.
    pub run: Vec<&'static str>,
    /// The lines that the run has to print.
    pub prints: Vec<&'static str>,
}

/// All lessons, in order.
pub fn all() -> Vec<Lesson> {
    let mut entries: Vec<&DirEntry> = STARTS.entries().iter().collect();
    entries.sort_by_key(|entry| entry.path());
    (1..).zip(entries).map(|(number, entry)| Lesson::new(number, entry)).collect()
}

impl Lesson {
    fn new(number: usize, entry: &'static DirEntry<'static>) -> Lesson {
        let stem = entry.path().file_stem().and_then(|s| s.to_str()).expect("our lessons have plain names");
        let solution = SOLUTIONS.get_entry(entry.path()).expect("each of our lessons has a solution");
        let hints = HINTS.get_file(format!("{stem}.txt")).and_then(|f| f.contents_utf8());
        let files = files_of(entry);
        Lesson {
            number,
            stem,
            head: LessonHead::of(files[0].text),
            files,
            solution: files_of(solution),
            hints: hints.expect("each of our lessons has hints").trim().split("\n\n").collect(),
        }
    }

    /// What it is called on the command line: `backwards`.
    pub fn name(&self) -> &'static str {
        self.stem.split_once('-').map_or(self.stem, |(_, name)| name)
    }
}

/// The file, or the files of the folder with `layout.csl` first.
fn files_of(entry: &'static DirEntry<'static>) -> Vec<LessonFile> {
    let one = entry.as_file().into_iter();
    let many = entry.as_dir().into_iter().flat_map(|folder| folder.files());
    let mut files: Vec<LessonFile> = one
        .chain(many)
        .map(|file| LessonFile {
            path: file.path().to_str().expect("our lessons have plain names"),
            text: file.contents_utf8().expect("our lessons are text"),
        })
        .collect();
    files.sort_by_key(|file| (!file.path.ends_with("/layout.csl"), file.path));
    files
}

impl LessonHead {
    /// Reads `// Key: value` lines; a task may go on in the lines that follow.
    fn of(text: &'static str) -> LessonHead {
        let mut head = LessonHead::default();
        let mut in_task = false;
        for line in text.lines().map_while(|line| line.strip_prefix("//")).map(str::trim) {
            let (key, value) = line.split_once(':').map_or((line, ""), |(key, value)| (key, value.trim()));
            match key {
                "Task" => head.task.push(value),
                "Run" => head.run.extend(value.split_whitespace()),
                "Prints" => head.prints.push(value),
                "Read" => {
                    let number = value.strip_prefix("chapter ").and_then(|rest| rest.split(' ').next());
                    head.chapter = number.and_then(|number| number.parse().ok());
                }
                "Fails" => {}
                _ if key.starts_with("Lesson ") => head.title = value,
                _ if in_task && !line.is_empty() => head.task.push(line),
                _ => {}
            }
            in_task = key == "Task" || (in_task && !line.is_empty());
        }
        head
    }
}

/// The lesson of this name, stem or number; else what to say.
pub fn find<'l>(lessons: &'l [Lesson], word: &str) -> Result<&'l Lesson, String> {
    let bare = word.trim_end_matches(".csl");
    let number = bare.parse().ok();
    let same = |l: &&Lesson| l.name() == bare || l.stem == bare || Some(l.number) == number;
    lessons.iter().find(same).ok_or_else(|| {
        let hint = match suggest::nearest(bare, lessons.iter().map(Lesson::name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("`cslrun learn --list` lists all {}", lessons.len()),
        };
        format!("there is no lesson `{word}`; {hint}")
    })
}

//! Programs, compiled from the texts of the editor on a thread of their own.

use super::Services;
use super::project::{Setup, setup};
use crate::{
    Arch, CompileOptions, Diagnostic, DiskLoader, Extent, Fact, FileId, LoadError, Loader, Program,
    SourceMap, Span, inspect, possible_failures, tidy,
};
use crossbeam_channel::{Receiver, Sender};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Deep programs recurse deeply.
const STACK_BYTES: usize = 256 << 20;

/// Programs that are compiled for one file, at most.
const MOST_ROOTS: usize = 4;

/// What is to be compiled.
#[derive(Clone, Debug)]
pub struct Job {
    /// Counts the jobs.
    pub number: u64,
    /// The texts of the editor.
    pub texts: Arc<BTreeMap<PathBuf, Arc<str>>>,
    /// The versions of these texts.
    pub versions: BTreeMap<PathBuf, i32>,
    /// The programs that each open file belongs to, itself if there is none.
    pub wanted: Vec<(PathBuf, Vec<PathBuf>)>,
    /// The files with a layout block.
    pub layouts: BTreeSet<PathBuf>,
    /// The machine, where no file says which.
    pub arch: Option<Arch>,
    /// The one program of an editor that knows how it is compiled.
    pub given: Option<(PathBuf, CompileOptions)>,
}

/// What became of a job.
#[derive(Debug)]
pub struct Done {
    /// The number of the job.
    pub number: u64,
    /// The versions of the texts that were compiled.
    pub versions: BTreeMap<PathBuf, i32>,
    /// The programs.
    pub analyses: Vec<Analysis>,
}

/// A program as compilation has left it.
#[derive(Debug)]
pub struct Analysis {
    /// The root file.
    pub root: PathBuf,
    /// How it was compiled.
    pub setup: Setup,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// What is wrong with the settings: a file, and a sentence.
    pub complaint: Option<(PathBuf, String)>,
    /// The texts that were compiled.
    pub sources: SourceMap,
    /// Types and values, in the order of files and places.
    pub facts: Vec<Fact>,
    /// The program, if it has no errors.
    pub program: Option<Program>,
    /// The pictures of its DSDs, once they were asked for.
    pub pictures: OnceCell<Vec<(Span, String)>>,
    /// The registers of its operations, once they were asked for.
    pub registers: OnceCell<Vec<(Span, String, String)>>,
    /// Whether the root is no layout: parameters may lack values because nobody knows who gives them.
    pub is_alone: bool,
}

impl Analysis {
    /// The number of a file.
    pub fn file(&self, path: &Path) -> Option<FileId> {
        let same = |name: &str| Path::new(name) == path;
        let at = self.sources.files().iter().position(|file| same(&file.name))?;
        Some(FileId(at as u32))
    }

    /// The path of the file of a span.
    pub fn path(&self, span: Span) -> PathBuf {
        PathBuf::from(&self.sources.file(span.file).name)
    }

    /// What is known of the expression or name at an extent.
    pub fn fact_at(&self, file: FileId, (lo, hi): Extent) -> Option<&Fact> {
        let all = self.facts_of(file);
        let at = all.partition_point(|fact| (fact.span.lo, fact.span.hi) < (lo, hi));
        all.get(at).filter(|fact| (fact.span.lo, fact.span.hi) == (lo, hi))
    }

    /// What is known of a file.
    pub fn facts_of(&self, file: FileId) -> &[Fact] {
        let lo = self.facts.partition_point(|fact| fact.span.file < file);
        let hi = self.facts.partition_point(|fact| fact.span.file <= file);
        &self.facts[lo..hi]
    }
}

/// Starts the thread that compiles. It ends when the jobs do.
pub fn start(services: Services) -> std::io::Result<(Sender<Job>, Receiver<Done>)> {
    let (send_job, jobs) = crossbeam_channel::unbounded::<Job>();
    let (send_done, done) = crossbeam_channel::unbounded();
    let work = move || {
        while let Ok(mut job) = jobs.recv() {
            // Only the newest is of use.
            while let Ok(newer) = jobs.try_recv() {
                job = newer;
            }
            if send_done.send(perform(&job, &services)).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name("analysis".into()).stack_size(STACK_BYTES).spawn(work)?;
    Ok((send_job, done))
}

/// Compiles the programs of a job.
pub fn perform(job: &Job, services: &Services) -> Done {
    let mut analyses: BTreeMap<PathBuf, Option<Analysis>> = BTreeMap::new();
    for (file, roots) in &job.wanted {
        let mut is_covered = false;
        for root in roots.iter().take(MOST_ROOTS) {
            let analysis = analyses.entry(root.clone()).or_insert_with(|| analyse(job, root, services));
            is_covered |= analysis.as_ref().is_some_and(|analysis| analysis.file(file).is_some());
        }
        // A layout with an error may end before it comes to the file.
        if !is_covered && !analyses.contains_key(file) {
            analyses.insert(file.clone(), analyse(job, file, services));
        }
    }
    Done {
        number: job.number,
        versions: job.versions.clone(),
        analyses: analyses.into_values().flatten().collect(),
    }
}

/// Compiles a program; `None` if that fails for a reason of our own, which has been printed.
fn analyse(job: &Job, root: &Path, services: &Services) -> Option<Analysis> {
    let given = job.given.as_ref().filter(|(program, _)| program == root);
    let found = match given {
        Some((_, options)) => Ok(Setup { options: options.clone(), named_in: None }),
        None => setup(root, job.arch, services),
    };
    let (setup, complaint) = match found {
        Ok(setup) => (setup, None),
        Err(complaint) => {
            let options = CompileOptions::new(job.arch.unwrap_or(Arch::Wse2));
            (Setup { options, named_in: None }, Some(complaint))
        }
    };
    let loader = Overlay { texts: &job.texts };
    let compiled = || {
        let mut inspection = inspect(root, &loader, &setup.options);
        let mut diagnostics = std::mem::take(&mut inspection.compilation.diagnostics);
        if let Some(program) = &inspection.compilation.program {
            diagnostics.extend(possible_failures(program, setup.options.levels));
        }
        (inspection, diagnostics)
    };
    let (inspection, diagnostics) = catch_unwind(AssertUnwindSafe(compiled)).ok()?;
    let sources = inspection.compilation.sources;
    Some(Analysis {
        root: root.to_path_buf(),
        diagnostics,
        complaint,
        sources,
        facts: inspection.facts,
        program: inspection.compilation.program,
        is_alone: !job.layouts.contains(root),
        setup,
        pictures: OnceCell::new(),
        registers: OnceCell::new(),
    })
}

/// The texts of the editor in front of those of the disk.
struct Overlay<'t> {
    texts: &'t BTreeMap<PathBuf, Arc<str>>,
}

impl Loader for Overlay<'_> {
    fn load(&self, path: &Path) -> Result<String, LoadError> {
        match self.texts.get(&tidy(path)) {
            Some(text) => Ok(text.to_string()),
            None => DiskLoader.load(path),
        }
    }

    fn admit(&self, path: &Path, root: Option<&Path>) -> Result<(), LoadError> {
        DiskLoader.admit(path, root)
    }
}

/// The files that analyses have something to say about.
pub fn files_of(analyses: &[Analysis]) -> BTreeSet<PathBuf> {
    let files = analyses.iter().flat_map(|analysis| analysis.sources.files());
    files.filter(|file| !file.is_library()).map(|file| PathBuf::from(&file.name)).collect()
}

//! Tiles made from others: tiles of one file whose parameters differ in nothing but some integers often differ in
//! nothing but some constants.
//!
//! In such a tile the integers are symbolic (`value/symbolic.rs`). While it is compiled, its trace collects what was
//! asked about them. Its image with the terms that stand for constants (`lower/blanks.rs`) is the template of all
//! tiles that answer these questions alike. The paths form trees, so that a tile finds its template, or that it has
//! none, in one walk.
//!
//! The official example gemm-collectives_2d on 48 x 48 PEs, each with parameters of its own, compiles in a tenth of
//! the time. `CompileOptions::memo` and `--engine plain` switch it off; `tests/it/templates.rs` and
//! `tests/it/engines.rs` compare the programs that come out.

use super::eval::OpenFact;
use super::layout::TileClass;
use super::lower::Blanks;
use super::value::{Record, Value};
use crate::arch::Color;
use crate::diagnostics::Diag;
use crate::image::TileImage;
use crate::source::Span;
use crate::syntax::ast::Name;
use crate::value::number::Integer;
use crate::value::symbolic::{Path, Question, Trace};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::rc::Rc;

/// Templates of a family that may be kept before one of them was used, besides twice the side of a square of tiles.
const PATIENCE: usize = 64;

/// Parameters of which every integer is zero.
type ParamShape = IndexMap<Name, Value>;

/// The templates of a program.
#[derive(Debug, Default)]
pub struct Templates {
    families: Vec<Family>,
    /// The family of each class; `None` if it is alone.
    family_of: Vec<Option<usize>>,
}

/// Classes of one file, from one place in the layout, whose parameters differ in nothing but integers.
#[derive(Debug)]
pub struct Family {
    trace: Trace,
    /// Which of the integers in their parameters are not the same in all of them.
    open: Vec<bool>,
    trees: Vec<Tree>,
    templates: Vec<Template>,
    /// How many constants operations write, as far as was known when the templates were made.
    written: usize,
    /// Templates that may be kept, and how many more with each use of one.
    room: usize,
}

/// A compiled tile of which only some constants depend on the open parameters.
#[derive(Debug)]
pub struct Template {
    /// Its image, in which every constant that depends on them has a register of its own.
    pub image: TileImage,
    /// These constants.
    pub blanks: Blanks,
    /// What the tile has said of filters.
    pub filters: Vec<(Color, Span)>,
    /// What editors and debuggers are told that depends on the open parameters.
    pub facts: Vec<OpenFact>,
    /// Warnings about it.
    pub warnings: Vec<Diag>,
}

/// Paths that have asked the same questions as long as the answers were the same.
#[derive(Debug)]
struct Tree {
    steps: Vec<Step>,
}

#[derive(Debug)]
enum Step {
    /// A question, and where each answer leads.
    Ask(Question, FxHashMap<i64, usize>),
    /// The number of a template.
    Found(usize),
}

impl Templates {
    /// The families of these classes.
    pub fn of(classes: &[TileClass]) -> Templates {
        let mut alike: FxHashMap<u64, Vec<(usize, ParamShape)>> = FxHashMap::default();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (n, class) in classes.iter().enumerate() {
            let shape = with_integers(&class.params, &mut |_| Some(Integer::ZERO));
            let key = fingerprint(class, &shape);
            let known = alike.entry(key).or_default();
            let is_same = |(family, other): &&(usize, ParamShape)| {
                let first = &classes[members[*family][0]];
                // Warnings name the place, too.
                Rc::ptr_eq(&class.unit, &first.unit)
                    && class.span == first.span
                    && shape.keys().eq(other.keys())
                    && shape.values().zip(other.values()).all(|(a, b)| a == b)
            };
            match known.iter().find(is_same) {
                Some((family, _)) => members[*family].push(n),
                None => {
                    known.push((members.len(), shape));
                    members.push(vec![n]);
                }
            }
        }
        let mut templates = Templates { families: Vec::new(), family_of: vec![None; classes.len()] };
        for members in members.into_iter().filter(|members| members.len() > 1) {
            members.iter().for_each(|n| templates.family_of[*n] = Some(templates.families.len()));
            templates.families.push(Family::of(members.iter().map(|n| &classes[*n])));
        }
        templates
    }

    /// The family of a class.
    pub fn family(&mut self, class: usize) -> Option<&mut Family> {
        let family = self.family_of.get(class).copied().flatten()?;
        self.families.get_mut(family)
    }
}

impl Family {
    fn of<'c>(classes: impl ExactSizeIterator<Item = &'c TileClass>) -> Family {
        let side = classes.len().isqrt();
        let (mut first, mut open) = (None, Vec::new());
        for class in classes {
            let all = integers(&class.params);
            let first = first.get_or_insert_with(|| all.clone());
            open.resize(all.len(), false);
            open.iter_mut().zip(all.iter().zip(first)).for_each(|(open, (a, b))| *open |= a != b);
        }
        Family {
            trace: Trace::default(),
            open,
            trees: Vec::new(),
            templates: Vec::new(),
            written: 0,
            room: PATIENCE + 2 * side,
        }
    }

    /// The next tile of the family, by its parameters; `written` constants are known to be written by operations.
    pub fn begin(&mut self, params: &IndexMap<Name, Value>, written: usize) {
        if written != self.written {
            self.written = written;
            self.trees.clear();
            self.templates.clear();
        }
        self.begin_path(params);
    }

    fn begin_path(&self, params: &IndexMap<Name, Value>) {
        let all = integers(params).into_iter().zip(&self.open);
        self.trace.begin(all.filter(|(_, open)| **open).map(|(n, _)| n).collect());
    }

    /// The values that terms have in the tile that was begun.
    pub fn trace(&self) -> Trace {
        self.trace.clone()
    }

    /// The template for the tile that was begun, with its blanks filled in.
    pub fn find(&mut self) -> Option<(&Template, TileImage)> {
        let found = self.trees.iter().find_map(|tree| tree.find(&self.trace))?;
        let template = &self.templates[found];
        self.room += 2;
        Some((template, self.filled(template)?))
    }

    /// Whether the tile that was begun may become a template.
    pub fn has_room(&self) -> bool {
        self.templates.len() < self.room
    }

    /// The parameters of a tile, symbolic where they are open; its path begins.
    pub fn symbolic(&self, params: &IndexMap<Name, Value>) -> IndexMap<Name, Value> {
        self.begin_path(params);
        let mut open = self.open.iter();
        let mut next = 0;
        with_integers(params, &mut |_| {
            let is_open = open.next().is_some_and(|open| *open);
            next += u32::from(is_open);
            is_open.then(|| Integer::Symbolic(self.trace.param(next - 1)))
        })
    }

    /// The image of the tile that was begun, from its own template or that of another.
    pub fn filled(&self, template: &Template) -> Option<TileImage> {
        let mut image = template.image.clone();
        template.blanks.fill(&mut image, |term| self.trace.value(term))?;
        Some(image)
    }

    /// Keeps the template that the tile that was begun has become.
    pub fn keep(&mut self, template: Template) {
        let path = self.trace.path();
        let number = self.templates.len();
        if !self.trees.iter_mut().any(|tree| tree.add(&path, number)) {
            let mut tree = Tree { steps: Vec::new() };
            tree.add(&path, number);
            self.trees.push(tree);
        }
        self.templates.push(template);
    }
}

impl Tree {
    fn find(&self, trace: &Trace) -> Option<usize> {
        let mut at = 0;
        loop {
            match &self.steps[at] {
                Step::Found(template) => return Some(*template),
                Step::Ask(question, answers) => at = *answers.get(&trace.answer(*question)?)?,
            }
        }
    }

    /// Adds a path that leads to a template; false if it asks something else after the same answers, as a
    /// compilation does that has found a result in the memo.
    fn add(&mut self, path: &Path, template: usize) -> bool {
        let mut questions = path.iter();
        let mut at = 0;
        while let Some(step) = self.steps.get(at) {
            match (step, questions.next()) {
                (Step::Ask(known, answers), Some((question, answer))) if known == question => {
                    let Some(next) = answers.get(answer) else {
                        let end = self.steps.len();
                        self.answer(at, *answer, end);
                        break;
                    };
                    at = *next;
                }
                _ => return false,
            }
        }
        for (question, answer) in questions {
            let next = self.steps.len() + 1;
            self.steps.push(Step::Ask(*question, FxHashMap::from_iter([(*answer, next)])));
        }
        self.steps.push(Step::Found(template));
        true
    }

    fn answer(&mut self, step: usize, answer: i64, to: usize) {
        if let Step::Ask(_, answers) = &mut self.steps[step] {
            answers.insert(answer, to);
        }
    }
}

/// Equal for classes of one family.
fn fingerprint(class: &TileClass, shape: &ParamShape) -> u64 {
    let values: Vec<_> = shape.iter().map(|(name, value)| (name, value.fingerprint())).collect();
    FxBuildHasher.hash_one((class.unit.file.id, class.span, values))
}

/// The integers in parameters that may be symbolic, in order.
fn integers(params: &IndexMap<Name, Value>) -> Vec<i64> {
    let mut all = Vec::new();
    with_integers(params, &mut |n| {
        all.push(n);
        None
    });
    all
}

/// Parameters with other integers, where `f` gives one.
fn with_integers(
    params: &IndexMap<Name, Value>,
    f: &mut impl FnMut(i64) -> Option<Integer>,
) -> IndexMap<Name, Value> {
    params.iter().map(|(name, value)| (name.clone(), with_integers_in(value, f))).collect()
}

fn with_integers_in(value: &Value, f: &mut impl FnMut(i64) -> Option<Integer>) -> Value {
    match value {
        Value::Int(ty, n) => match n.to::<i64>().and_then(f) {
            Some(other) => Value::Int(*ty, other),
            None => value.clone(),
        },
        Value::Record(record) => {
            let fields = record.fields.iter().map(|field| with_integers_in(field, f)).collect();
            Value::Record(Rc::new(Record { ty: record.ty.clone(), fields }))
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::symbolic::Atom;

    fn path(trace: &Trace, params: &[i64], asked: &[Question]) -> Path {
        trace.begin(params.to_vec());
        trace.param(0);
        asked.iter().filter_map(|question| Some((*question, trace.answer(*question)?))).collect()
    }

    const LESS: Question = Question::Less(Atom::Term(0), Atom::Number(5));
    const VALUE: Question = Question::Value(0);

    #[test]
    fn a_tile_finds_the_template_whose_questions_it_answers_alike() {
        let trace = Trace::default();
        let mut tree = Tree { steps: Vec::new() };
        assert!(tree.add(&path(&trace, &[3], &[LESS]), 0));
        assert!(tree.add(&path(&trace, &[8], &[LESS, VALUE]), 1));
        assert!(tree.add(&path(&trace, &[9], &[LESS, VALUE]), 2));
        for (param, found) in [(-1, Some(0)), (4, Some(0)), (8, Some(1)), (9, Some(2)), (10, None)] {
            trace.begin(vec![param]);
            assert_eq!(tree.find(&trace), found, "{param}");
        }
    }

    #[test]
    fn a_path_with_another_question_is_none_of_the_tree() {
        let trace = Trace::default();
        let mut tree = Tree { steps: Vec::new() };
        assert!(tree.add(&path(&trace, &[3], &[LESS, VALUE]), 0));
        assert!(!tree.add(&path(&trace, &[3], &[VALUE]), 1));
        assert!(!tree.add(&path(&trace, &[3], &[LESS]), 1));
    }
}

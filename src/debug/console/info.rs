//! What the commands `info` and `who` answer.

use super::Console;
use crate::Tree;
use crate::debug::{expression, value};

/// PEs that `info pes` lists.
const MOST_PES: usize = 40;

impl Console {
    pub(super) fn info(&mut self, what: &str) -> Result<String, String> {
        let (focus, call) = (self.session.focus(), self.call);
        if what.starts_with('b') {
            let all = self.session.breakpoints().to_vec();
            let times = |hits| if hits == 1 { "once".to_string() } else { format!("{hits} times") };
            let lines = all
                .iter()
                .map(|b| format!("{}: {}, met {}\n", b.id, self.describe(b), times(self.session.hits(b))));
            return Ok(lines.collect());
        }
        if what == "pes" || what == "threads" {
            return Ok(self.pes());
        }
        if what == "routes" {
            let trees = self.session.runner().routes(focus);
            return Ok(lines(&trees));
        }
        let place = self.current().map(|(span, _)| span);
        let trees: Vec<Tree> = self.session.look(focus, |view, comptime| {
            Ok(match what {
                "locals" => view.locals(call).iter().map(|held| value::tree(held, view)).collect(),
                "globals" => view.globals().iter().map(|held| value::tree(held, view)).collect(),
                "comptime" => place.map_or_else(Vec::new, |place| {
                    let derived = |name: &str| expression::derived(name, comptime, Some(place), view);
                    comptime.of_file(place, view, &derived)
                }),
                "tasks" => tasks(view),
                "queues" => view.queues(),
                "registers" => view.registers(),
                "fifos" => view.fifos(),
                "operations" => view.operations(),
                other => return Err(format!("there is no `info {other}`; `help` lists what there is")),
            })
        })??;
        Ok(lines(&trees))
    }

    fn pes(&mut self) -> String {
        let focus = self.session.focus();
        let mut lines: Vec<String> = Vec::new();
        let looks: Vec<_> = self
            .session
            .runner()
            .looks()
            .filter(|view| view.is_busy() || view.at() == focus)
            .map(|view| {
                let what = match (view.waits().first(), view.activity()) {
                    (Some(wait), _) => wait.clone(),
                    (None, Some((name, _, false))) => format!("in `{name}`"),
                    (None, _) => "idle".to_string(),
                };
                (view.at(), what)
            })
            .collect();
        let more = looks.len().saturating_sub(MOST_PES);
        lines.extend(
            looks
                .into_iter()
                .take(MOST_PES)
                .map(|(at, what)| format!("{} {at}: {what}\n", if at == focus { '*' } else { ' ' })),
        );
        if more > 0 {
            lines.push(format!("  and {more} more that are busy\n"));
        }
        lines.concat()
    }

    pub(super) fn who(&mut self, text: &str) -> Result<String, String> {
        let focus = self.session.focus();
        if let Some(name) = text.strip_prefix("wrote ") {
            let words = self.words(name.trim())?;
            return Ok(match self.session.last_write(focus, words) {
                Some((cycle, place)) => {
                    format!("{place} has written `{}` on {focus} in cycle {cycle}\n", name.trim())
                }
                None => format!("nothing has written `{}` on {focus} before this\n", name.trim()),
            });
        }
        if !text.starts_with("sends") {
            return Err("ask `who wrote EXPRESSION` or `who sends`".to_string());
        }
        let lines = self.session.runner().waits(focus);
        Ok(match lines.is_empty() {
            true => format!("{focus} waits for nothing\n"),
            false => lines.join("\n") + "\n",
        })
    }
}

/// The task table as trees.
pub fn tasks(view: &crate::PeView<'_>) -> Vec<Tree> {
    let tasks = view.tasks().into_iter();
    tasks
        .map(|task| Tree::leaf(task.name, format!("{} task {}: {}", task.kind, task.id, task.state)))
        .collect()
}

/// Trees as lines.
fn lines(trees: &[Tree]) -> String {
    let text: String = trees.iter().map(|tree| shown(tree, 0)).collect();
    if text.is_empty() { "none\n".to_string() } else { text }
}

/// A tree as lines.
pub fn shown(tree: &Tree, depth: usize) -> String {
    /// Deeper parts are left out.
    const DEEPEST: usize = 1;
    let indent = "  ".repeat(depth);
    let mut text = format!("{indent}{} = {}\n", tree.name, tree.value);
    let is_array = tree.value.starts_with('[');
    if depth < DEEPEST && !is_array {
        tree.parts.iter().for_each(|part| text += &shown(part, depth + 1));
    }
    text
}

//! What starts the tasks of a tile, as far as it can be told without running it.

use super::code::{AsyncConfig, Completion, IdArg, Intrinsic, OnControl};
use super::{FnId, Op, TaskBinding, TaskKind, TileImage};

impl TileImage {
    /// A local task that comes to an intrinsic and that nothing activates.
    pub fn idle_caller(&self, of: Intrinsic) -> Option<&TaskBinding> {
        let activated = self.activated()?;
        let idle = self.tasks.iter().filter(|t| t.kind == TaskKind::Local && activated & 1 << t.id.0 == 0);
        idle.into_iter().find(|t| self.comes_to(t.function, of))
    }

    /// Whether any code of the tile asks for something.
    pub fn asks_for(&self, what: Intrinsic) -> bool {
        let mut code = self.functions.iter().flat_map(|function| &function.code);
        code.any(|op| matches!(op, Op::Intrinsic { id, .. } if *id == what))
    }

    /// Tasks that are activated somewhere, bit = id; `None` if some ids are only known at run time.
    fn activated(&self) -> Option<u64> {
        let mut activated = self.active;
        for function in &self.functions {
            for op in &function.code {
                if let Op::Activate { a } = op {
                    activated |= 1 << function.constant(*a)?;
                }
            }
        }
        let configs =
            self.vector_ops.iter().map(|v| &v.config).chain(self.dsr_loads.iter().map(|l| &l.config));
        for completion in configs.flat_map(completions) {
            match completion {
                Completion::Activate(IdArg::Known(id)) => activated |= 1 << id.0,
                Completion::Activate(IdArg::In(_)) => return None,
                Completion::Unblock(_) | Completion::Nothing => {}
            }
        }
        let fifos = self.fifos.iter().flat_map(|f| [f.activate_push, f.activate_pop]).flatten();
        Some(fifos.fold(activated, |all, id| all | 1 << id.0))
    }

    /// Whether a function, or one that it calls, has an intrinsic.
    fn comes_to(&self, f: FnId, of: Intrinsic) -> bool {
        let mut seen = vec![false; self.functions.len()];
        let mut open = vec![f];
        while let Some(f) = open.pop() {
            if std::mem::replace(&mut seen[f.0 as usize], true) {
                continue;
            }
            for op in &self.functions[f.0 as usize].code {
                match op {
                    Op::Intrinsic { id, .. } if *id == of => return true,
                    Op::Call { f, .. } => open.push(*f),
                    _ => {}
                }
            }
        }
        false
    }
}

fn completions(config: &AsyncConfig) -> impl Iterator<Item = Completion> {
    let on_control = match config.on_control {
        Some(OnControl::Then(completion)) => Some(completion),
        Some(OnControl::Terminate) | None => None,
    };
    [config.completion].into_iter().chain(on_control)
}

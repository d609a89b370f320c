//! What keeps wavelets from a PE: filters of colors, and `@dfilt`.

use super::dsrs::check_queue;
use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::vectors::ArgumentKind;
use crate::arch::{DsrFile, PeCoord};
use crate::diagnostics::Result;
use crate::diagnostics::rules::{comptime, dsd, layout as rules};
use crate::dsd::ops;
use crate::image::RouteTable;
use crate::image::code::{Operand as CodeOperand, VectorOp};
use crate::sema::layout::FilterUse;
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::world::Sema;
use crate::value::ty::DsdTy;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "get_filter_id", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@get_filter_id(color)",
        doc: "the number of the filter of a color",
        run: Run::Known(|s, call| s.get_filter_id(call)), ..USUAL },
    Builtin { name: "dfilt", takes: 2..=2, phase: Phase::Code,
        usage: "@dfilt(fabin, .{..})",
        doc: "drops data wavelets until enough control wavelets have arrived",
        run: Run::Operand(|s, call| s.dfilt(call)), ..USUAL },
];

impl Sema<'_> {
    /// A filter has the number of its color (docs/decisions.md).
    fn get_filter_id(&mut self, call: Call<'_>) -> Result<Value> {
        if self.layout.running {
            let facts: [(&str, &dyn std::fmt::Display); 2] =
                [("name", &"get_filter_id"), ("where", &"the code of a tile")];
            return Err(comptime::WRONG_PHASE.because(&facts).at(call.span));
        }
        let color = self.color_arg(call.args[0])?;
        self.layout.filter_uses.push(FilterUse { class: self.layout.class, color, span: call.span });
        Ok(Value::u16(color.0.into()))
    }

    /// `@dfilt(fabin, .{ .async = true, .. })`
    fn dfilt(&mut self, call: Call<'_>) -> Result<Operand> {
        let arg = self.vector_arg(call.args[0])?;
        let fits = match arg.what {
            ArgumentKind::Dsd(kind) => kind == DsdTy::FabIn,
            ArgumentKind::Dsr(d) => d.id.file == DsrFile::Src1 && !d.fifo,
            ArgumentKind::Pointer | ArgumentKind::Scalar => false,
        };
        if !fits {
            return Err(arg.wrong(dsd::DFILT_OPERAND.plain()).help("use a fabin_dsd or a dsr_src1"));
        }
        let settings = self.settings(call.args[1], None)?;
        let at = self.span(call.args[1]);
        if !settings.run.is_async {
            return Err(dsd::DFILT_SYNC.plain().at(at).help("write `.async = true`"));
        }
        let extra = match (settings.index, settings.run.on_control) {
            (Some(_), _) => Some("index"),
            (None, Some(_)) => Some("on_control"),
            (None, None) => None,
        };
        if let Some(name) = extra {
            return Err(dsd::DFILT_SETTING.because(&[("name", &name)]).at(at).help("remove it"));
        }
        check_queue(&arg.value, arg.span)?;
        let source = self.vector_operand(&arg)?;
        let row = ops::lookup("mov32").expect("the table has it");
        self.emit_vector(VectorOp {
            op: row,
            dest: CodeOperand::Nowhere,
            sources: vec![source],
            config: settings.run,
            index: None,
            result: None,
            span: call.span,
        })
    }

    /// Looks for the filters that `@get_filter_id` names, when all routes are known.
    pub fn check_filters(&mut self, routes: &RouteTable, place: &[u32], width: u16) {
        for used in std::mem::take(&mut self.layout.filter_uses) {
            let lacks = |pe: &usize| routes.get(*pe, used.color).is_none_or(|c| c.config.filter.is_none());
            let Some(pe) = (0..place.len()).filter(|pe| place[*pe] == used.class).find(lacks) else {
                continue;
            };
            let width = usize::from(width);
            let at = PeCoord { x: (pe % width) as u16, y: (pe / width) as u16 };
            let c = rules::NO_FILTER.because(&[("color", &used.color), ("pe", &at)]).at(used.span);
            self.report(c.help("give the color a `.filter` on every PE with this code"));
        }
    }
}

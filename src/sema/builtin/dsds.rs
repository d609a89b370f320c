//! `@get_dsd` and what makes a new DSD of an old one.

use super::declared::instead_of;
use super::properties::{Property, missing_property, no_such_property};
use super::{Call, fields_of};
use crate::arch::{ArchName, Color, InQueue, OutQueue};
use crate::diagnostics::rules::{comptime, dsd as rules};
use crate::diagnostics::{At, Complaint, Result, Rule};
use crate::dsd::{Dsd, FabIn, FabOut, Mem, MemKind, Priority, Simd};
use crate::image::Descriptor;
use crate::image::code::{DsdEdit, Op};
use crate::sema::operand::{Addr, Base, Operand, Place};
use crate::sema::scope::Ev;
use crate::sema::value::{Pointee, Value};
use crate::sema::world::Sema;
use crate::source::Span;
use crate::syntax::ast::ExprId;
use crate::value::ty::{DsdTy, IdKind, IntTy, Ty};

type Fields = Vec<Property>;

/// What fabin and fabout DSDs have in common.
#[derive(Default)]
struct Fabric {
    color: Option<Color>,
    queue: Option<u8>,
    extent: u16,
    control_transform: bool,
    simd: Simd,
    priority: Priority,
}

/// Changes to a template that depend on run-time values.
type Edits = Vec<(DsdEdit, Operand)>;

impl Sema<'_> {
    /// The builtins of this file and of `dsrs`; `None` for others.
    pub fn dsd_builtin(&mut self, name: &str, call: Call<'_>) -> Option<Result<Operand>> {
        Some(match name {
            "get_dsd" => self.get_dsd(call),
            "set_dsd_base_addr" | "set_dsd_base_address" => self.set_base(call),
            "increment_dsd_offset" => self.increment(call),
            "set_dsd_length" => self.set_length(call),
            "set_dsd_stride" => self.set_stride(call),
            "set_fifo_read_length" | "set_fifo_write_length" => {
                self.fifo_length(call, name == "set_fifo_write_length")
            }
            _ => return self.dsr_builtin(name, call),
        })
    }

    fn get_dsd(&mut self, call: Call<'_>) -> Result<Operand> {
        let at = self.span(call.args[0]);
        let kind = match self.ty(call.args[0])? {
            Ty::Dsd(kind) if kind != DsdTy::Fifo => kind,
            other => {
                return Err(rules::DSD_KIND
                    .because(&[("type", &other)])
                    .at(at)
                    .help("write `mem1d_dsd`, `mem4d_dsd`, `fabin_dsd` or `fabout_dsd`"));
            }
        };
        let props = self.span(call.args[1]);
        let fields = self.dsd_properties(kind, call.args[1])?;
        let mut edits = Edits::new();
        let dsd = match kind {
            DsdTy::Mem1d | DsdTy::Mem4d | DsdTy::Circbuf => self.mem_dsd(kind, fields, &mut edits, props)?,
            DsdTy::FabIn => self.fabin(fields, &mut edits, props)?,
            DsdTy::FabOut => self.fabout(fields, &mut edits, props)?,
            DsdTy::Fifo => unreachable!("only `@allocate_fifo` makes FIFOs"),
        };
        self.edited(Operand::Known(Value::Dsd(dsd)), edits, call.span)
    }

    /// A DSD with changes: folded if all are known.
    fn edited(&mut self, dsd: Operand, edits: Edits, span: Span) -> Result<Operand> {
        let (mut dsd, mut edits) = (dsd, edits);
        let origin = self.origin(span);
        if let Operand::Known(Value::Dsd(d)) = &dsd {
            let mut d = *d;
            while let Some((edit, Operand::Known(v))) = edits.first() {
                self.fold_edit(&mut d, *edit, &v.clone()).at(span)?;
                edits.remove(0);
                if let Dsd::Mem(m) = &mut d {
                    m.origin = origin;
                }
            }
            dsd = Operand::Known(Value::Dsd(d));
        }
        self.keep_descriptor(&dsd, &edits, span);
        if edits.is_empty() {
            return Ok(dsd);
        }
        if self.is_comptime() {
            return Err(comptime::NOT_COMPTIME.because(&[("what", &"a property of this DSD")]).at(span));
        }
        let ty = dsd.ty();
        let addr = self.temporary(&ty, span)?;
        self.store_at(addr, &dsd, span)?;
        for (edit, v) in edits {
            let b = self.reg_of(&v, span)?;
            let a = self.addr_reg(addr)?;
            self.b().emit(Op::EditDsd { a, b, edit, origin });
        }
        Ok(Operand::Mem(addr, ty))
    }

    /// Keeps a DSD for `cslrun dsd`.
    fn keep_descriptor(&mut self, dsd: &Operand, edits: &Edits, span: Span) {
        let Operand::Known(Value::Dsd(dsd)) = dsd else { return };
        if !self.options.keep_descriptors {
            return;
        }
        let open = edits.iter().map(|(edit, _)| edit.word().to_string()).collect();
        let kept = Descriptor { span, dsd: *dsd, open };
        let all = &mut self.world.tile.image.descriptors;
        if !all.contains(&kept) {
            all.push(kept);
        }
    }

    fn fold_edit(&mut self, d: &mut Dsd, edit: DsdEdit, v: &Value) -> Result<()> {
        let number = v.as_integer().and_then(|n| n.to_i128()).unwrap_or(0);
        match (edit, d) {
            (DsdEdit::Base, Dsd::Mem(m)) => {
                let Value::Ptr(p) = v else { return Err(comptime::REPORTED.plain()) };
                m.base = self.pointer_address(p.to)?;
                (m.lo, m.hi) = self.bounds(p.to)?;
            }
            (DsdEdit::Offset { words }, Dsd::Mem(m)) => {
                m.base = (i128::from(m.base) + number * i128::from(words)) as u16;
            }
            (DsdEdit::Length, Dsd::Mem(m)) => m.extent[0] = number as u16,
            (DsdEdit::Length, Dsd::FabIn(f)) => f.extent = number as u16,
            (DsdEdit::Length, Dsd::FabOut(f)) => f.extent = number as u16,
            (DsdEdit::Stride, Dsd::Mem(m)) => m.step[0] = number as i16,
            (DsdEdit::Color, Dsd::FabIn(f)) => f.color = Color::numbered(number as u16),
            (DsdEdit::Color, Dsd::FabOut(f)) => f.color = Color::numbered(number as u16),
            (DsdEdit::Queue, Dsd::FabIn(f)) => f.queue = Some(InQueue(number as u8)),
            (DsdEdit::Queue, Dsd::FabOut(f)) => f.queue = Some(OutQueue(number as u8)),
            (DsdEdit::Base | DsdEdit::Offset { .. } | DsdEdit::Length | DsdEdit::Stride, _)
            | (DsdEdit::Color | DsdEdit::Queue, _) => {
                unreachable!("the kind of the DSD has been checked for {edit:?}")
            }
        }
        Ok(())
    }

    /// The words of the tensor behind a pointer.
    fn bounds(&mut self, to: Pointee) -> Result<(u16, u16)> {
        Ok(match to {
            Pointee::Global(id, _) => {
                let lo = self.place_global(id)?;
                let words = self.global(id).ty.words().unwrap_or(0);
                (lo, (u32::from(lo) + words).min(self.arch.memory_words) as u16)
            }
            _ => (0, self.arch.memory_words as u16),
        })
    }

    fn mem_dsd(&mut self, ty: DsdTy, fields: Fields, edits: &mut Edits, at: Span) -> Result<Dsd> {
        let kind = match ty {
            DsdTy::Mem1d => MemKind::Mem1d,
            DsdTy::Mem4d => MemKind::Mem4d,
            _ => MemKind::Circbuf,
        };
        let hi = self.arch.memory_words as u16;
        let mut m = Mem {
            kind,
            base: 0,
            dims: 1,
            extent: [1; 4],
            step: [1; 4],
            index_offset: false,
            lo: 0,
            hi,
            wrap: 0,
            origin: 0,
        };
        let (mut base, mut offset, mut extent, mut wrap) = (None, None, None, None);
        for property in fields {
            match property.name.as_str() {
                "base_address" => base = Some(property),
                "offset" => offset = Some(property),
                "extent" => extent = Some(property),
                "stride" => self.strides(&mut m, property, edits)?,
                "wavelet_index_offset" => m.index_offset = property.flag()?,
                "wraparound" if kind == MemKind::Circbuf => wrap = Some(property),
                _ => return Err(no_such_property(&property, ty)),
            }
        }
        let access = if kind == MemKind::Circbuf { "base_address" } else { "tensor_access" };
        let base = base.ok_or_else(|| missing_property(access, ty).at(at))?;
        let extent = extent.ok_or_else(|| missing_property("extent", ty).at(at))?;
        self.extents(&mut m, extent, edits)?;
        let words = self.base_address(&base.value, base.at)?;
        let around = base.value.ty();
        edits.insert(0, (DsdEdit::Base, base.value));
        if let Some(offset) = offset {
            let words_on = self.coerce(offset.value, &Ty::I16, offset.at)?;
            edits.insert(1, (DsdEdit::Offset { words }, words_on));
        }
        if kind == MemKind::Circbuf {
            let wrap = wrap.map(|p| Ok((number::<u16>(&p)?, p.at))).transpose()?;
            m.wrap = wraparound(wrap, &around, at)? * u16::from(words);
        }
        Ok(Dsd::Mem(m))
    }

    /// Checks a base address; the words of one element behind it.
    fn base_address(&mut self, base: &Operand, at: Span) -> Result<u8> {
        let ty = base.ty();
        let bad = || not_a_base(&ty).at(at);
        let Ty::Ptr(p) = &ty else { return Err(bad()) };
        let elem = match &p.to {
            Ty::Array(a) => &a.elem,
            other => other,
        };
        elem.words().filter(|w| matches!(w, 1 | 2)).map(|w| w as u8).ok_or_else(bad)
    }

    fn extents(&mut self, m: &mut Mem, given: Property, edits: &mut Edits) -> Result<()> {
        let at = given.at;
        if let Some(parts) = tuple_parts(&given) {
            if parts.is_empty() || parts.len() > 4 || parts.len() > 1 && m.kind != MemKind::Mem4d {
                let kind = if m.kind == MemKind::Mem4d { DsdTy::Mem4d } else { DsdTy::Mem1d };
                return Err(rules::DSD_DIMENSIONS
                    .because(&[("kind", &Ty::Dsd(kind)), ("have", &parts.len())])
                    .at(at)
                    .help("a mem1d_dsd has one dimension, a mem4d_dsd one to four"));
            }
            m.dims = parts.len() as u8;
            // extents are written slowest first (dsd-dsr section 2)
            for (i, p) in parts.iter().rev().enumerate() {
                m.extent[i] = number::<u16>(p)?;
            }
            return Ok(());
        }
        match given.value {
            Operand::Known(v) => m.extent[0] = extent_value(&v).at(at)?,
            v => {
                let v = self.coerce_int(v, &Ty::U16, at)?;
                edits.push((DsdEdit::Length, v));
            }
        }
        Ok(())
    }

    fn strides(&mut self, m: &mut Mem, given: Property, edits: &mut Edits) -> Result<()> {
        let at = given.at;
        if let Some(parts) = tuple_parts(&given) {
            // strides are written fastest first
            for (i, p) in parts.iter().take(4).enumerate() {
                m.step[i] = number::<i16>(p)?;
            }
            return Ok(());
        }
        match given.value {
            Operand::Known(v) => {
                m.step[0] = stride_value(&v).at(at)?;
                check_stride(m.step[0], m.kind).at(at).or_else(|c| self.lint(c))?;
            }
            v => {
                let v = self.coerce_int(v, &Ty::int(true, 8), at)?;
                edits.push((DsdEdit::Stride, v));
            }
        }
        Ok(())
    }

    fn coerce_int(&mut self, v: Operand, ty: &Ty, at: Span) -> Result<Operand> {
        self.coerce(v, ty, at)
    }

    fn fabin(&mut self, fields: Fields, edits: &mut Edits, at: Span) -> Result<Dsd> {
        let (common, rest) = self.fabric_properties(fields, DsdTy::FabIn, edits, at)?;
        if let Some(property) = rest.first() {
            return Err(no_such_property(property, DsdTy::FabIn));
        }
        let queue = common.queue.map(InQueue);
        if let (ArchName::Wse2, Some(color), Some(queue)) = (self.arch.name, common.color, queue) {
            self.world.tile.implicit_queues.push((queue, color, at));
        }
        let Fabric { color, extent, control_transform, simd, priority, .. } = common;
        Ok(Dsd::FabIn(FabIn { color, queue, extent, control_transform, simd, priority }))
    }

    fn fabout(&mut self, fields: Fields, edits: &mut Edits, at: Span) -> Result<Dsd> {
        let (common, rest) = self.fabric_properties(fields, DsdTy::FabOut, edits, at)?;
        let Fabric { color, extent, control_transform, simd, priority, .. } = common;
        let queue = common.queue.map(OutQueue);
        let mut f = FabOut {
            color,
            queue,
            extent,
            control: false,
            index_offset: false,
            advance_switch: false,
            control_transform,
            zero: None,
            simd,
            priority,
        };
        for property in rest {
            match property.name.as_str() {
                "control" => f.control = property.flag()?,
                "wavelet_index_offset" => f.index_offset = property.flag()?,
                "advance_switch" => f.advance_switch = property.flag()?,
                "zero" => f.zero = property.zero_source()?,
                _ => return Err(no_such_property(&property, DsdTy::FabOut)),
            }
        }
        Ok(Dsd::FabOut(f))
    }

    /// The properties that both kinds of fabric DSD have, and the others.
    fn fabric_properties(
        &mut self,
        fields: Fields,
        kind: DsdTy,
        edits: &mut Edits,
        at: Span,
    ) -> Result<(Fabric, Fields)> {
        let (queue_name, queue_kind) = match kind {
            DsdTy::FabIn => ("input_queue", IdKind::InputQueue),
            _ => ("output_queue", IdKind::OutputQueue),
        };
        let mut f = Fabric::default();
        let mut rest = Fields::new();
        let mut has_extent = false;
        for property in fields {
            match property.name.as_str() {
                "extent" => {
                    has_extent = true;
                    self.fabric_extent(property, &mut f.extent, edits)?;
                }
                "fabric_color" => f.color = self.color_property(property, edits)?,
                "control_transform" => f.control_transform = property.flag()?,
                "simd_mode" => f.simd = property.simd()?,
                "priority" => f.priority = self.priority(property.known()?).at(property.at)?,
                name if name == queue_name => f.queue = self.queue_property(property, queue_kind, edits)?,
                _ => rest.push(property),
            }
        }
        if !has_extent {
            return Err(missing_property("extent", kind).at(at));
        }
        self.check_fabric(kind, f.color.is_some(), f.queue.is_some(), edits, at)?;
        Ok((f, rest))
    }

    fn check_fabric(&self, kind: DsdTy, color: bool, queue: bool, edits: &Edits, at: Span) -> Result<()> {
        let later = |e: DsdEdit| edits.iter().any(|(d, _)| *d == e);
        let (color, queue) = (color || later(DsdEdit::Color), queue || later(DsdEdit::Queue));
        if self.arch.name == ArchName::Wse3 && !queue {
            return Err(rules::DSD_QUEUE.plain().at(at));
        }
        if !color && !queue {
            return Err(missing_property("fabric_color", kind).at(at));
        }
        Ok(())
    }

    fn fabric_extent(&mut self, given: Property, slot: &mut u16, edits: &mut Edits) -> Result<()> {
        let at = given.at;
        match given.value {
            Operand::Known(v) => *slot = extent_value(&v).at(at)?,
            v => {
                let v = self.coerce(v, &Ty::U16, at)?;
                edits.push((DsdEdit::Length, v));
            }
        }
        Ok(())
    }

    fn color_property(&mut self, given: Property, edits: &mut Edits) -> Result<Option<Color>> {
        match self.coerce(given.value, &Ty::Id(IdKind::Color), given.at)? {
            Operand::Known(Value::Id(_, n)) => Ok(Color::numbered(n)),
            v => {
                edits.push((DsdEdit::Color, v));
                Ok(None)
            }
        }
    }

    fn queue_property(&mut self, given: Property, kind: IdKind, edits: &mut Edits) -> Result<Option<u8>> {
        let Property { name, value: v, at } = given;
        if v.ty() != Ty::Id(kind) {
            return Err(rules::QUEUE_KIND
                .because(&[("name", &name), ("want", &kind.word()), ("have", &v.ty())])
                .at(at)
                .help(format!("write `.{name} = @get_{}(..)`", kind.word())));
        }
        match v {
            Operand::Known(Value::Id(_, n)) => Ok(Some(n as u8)),
            v => {
                edits.push((DsdEdit::Queue, v));
                Ok(None)
            }
        }
    }

    /// A DSD argument.
    fn dsd_arg(&mut self, id: ExprId) -> Result<(Operand, DsdTy)> {
        let at = self.span(id);
        let v = self.value(id, None)?;
        match v.ty() {
            Ty::Dsd(kind) => Ok((v, kind)),
            other => {
                let c = comptime::TYPE_MISMATCH.because(&[("want", &"a DSD"), ("have", &other)]).at(at);
                Err(self.with_declaration(c, id))
            }
        }
    }

    /// A pointer argument; a global array stands for its address.
    pub fn pointer_arg(&mut self, id: ExprId) -> Result<Operand> {
        let at = self.span(id);
        match self.expr(id, None)? {
            Ev::Place(Place::Memory {
                addr: Addr { base: Base::Global(g), off: 0 },
                ty: Ty::Array(_),
                ..
            }) => Ok(Operand::Known(self.pointer_to(g))),
            ev => {
                let v = self.value_of(ev, at)?;
                match v.ty() {
                    Ty::Ptr(_) => Ok(v),
                    other => Err(self.with_declaration(not_a_base(&other).at(at), id)),
                }
            }
        }
    }

    fn set_base(&mut self, call: Call<'_>) -> Result<Operand> {
        let (dsd, kind) = self.dsd_arg(call.args[0])?;
        self.only_memory("set_dsd_base_addr", kind, call.args[0])?;
        let ptr = self.tensor_arg(call.args[1])?;
        self.edited(dsd, vec![(DsdEdit::Base, ptr)], call.span)
    }

    /// An array, or a pointer to one, of elements that a DSD can have.
    fn tensor_arg(&mut self, id: ExprId) -> Result<Operand> {
        let at = self.span(id);
        let ptr = self.pointer_arg(id)?;
        match ptr.ty() {
            Ty::Ptr(p) if p.many || matches!(p.to, Ty::Array(_)) => self.base_address(&ptr, at).map(|_| ptr),
            other => Err(not_a_base(&other).at(at)),
        }
        .map_err(|c| self.with_declaration(c, id))
    }

    fn only_memory(&self, name: &str, kind: DsdTy, arg: ExprId) -> Result<()> {
        match kind {
            DsdTy::Mem1d | DsdTy::Mem4d => Ok(()),
            DsdTy::Circbuf => {
                let help = "make another circular buffer with `@get_dsd(circbuf_dsd, ..)`";
                Err(self.not_for(name, kind, arg).help(help))
            }
            DsdTy::FabIn | DsdTy::FabOut | DsdTy::Fifo => {
                Err(self.not_for(name, kind, arg).help("give it a mem1d_dsd or a mem4d_dsd"))
            }
        }
    }

    fn not_for(&self, name: &str, kind: DsdTy, arg: ExprId) -> Complaint {
        let c = rules::DSD_EDIT.because(&[("name", &name), ("dsd", &Ty::Dsd(kind))]).at(self.span(arg));
        self.with_declaration(c, arg)
    }

    /// A number that a DSD is changed by, of a type with few bits.
    fn edit_number(&mut self, arg: ExprId, ty: &Ty, rule: &'static Rule) -> Result<Operand> {
        let at = self.span(arg);
        let v = self.value(arg, Some(ty))?;
        let given = v.clone();
        self.coerce(v, ty, at).map_err(|c| match given {
            Operand::Known(v) => {
                let own = rule
                    .because(&[("value", &v)])
                    .for_good()
                    .help(format!("write a number from {}", range_of(ty)));
                instead_of(&comptime::INTEGER_OVERFLOW, c, own)
            }
            _ => c,
        })
    }

    fn increment(&mut self, call: Call<'_>) -> Result<Operand> {
        let (dsd, kind) = self.dsd_arg(call.args[0])?;
        self.only_memory("increment_dsd_offset", kind, call.args[0])?;
        let n = self.edit_number(call.args[1], &Ty::I16, &rules::BAD_OFFSET)?;
        let at = self.span(call.args[2]);
        let ty = self.ty(call.args[2])?;
        let words = ty.bits().filter(|bits| matches!(bits, 16 | 32) && ty.is_numeric()).map(|b| b / 16);
        let words = words.ok_or_else(|| {
            let help = "write `u16`, `i16`, `f16`, `u32`, `i32` or `f32`";
            rules::DSD_ELEMENT.because(&[("type", &ty)]).at(at).help(help)
        })?;
        self.edited(dsd, vec![(DsdEdit::Offset { words: words as u8 }, n)], call.span)
    }

    fn set_length(&mut self, call: Call<'_>) -> Result<Operand> {
        let (dsd, kind) = self.dsd_arg(call.args[0])?;
        if matches!(kind, DsdTy::Mem4d | DsdTy::Fifo) {
            return Err(self.not_for("set_dsd_length", kind, call.args[0]).help(match kind {
                DsdTy::Fifo => "use `@set_fifo_read_length` or `@set_fifo_write_length`",
                _ => "it has several lengths: make another one with `@get_dsd`",
            }));
        }
        let n = self.edit_number(call.args[1], &Ty::U16, &rules::BAD_EXTENT)?;
        self.edited(dsd, vec![(DsdEdit::Length, n)], call.span)
    }

    fn set_stride(&mut self, call: Call<'_>) -> Result<Operand> {
        let (dsd, kind) = self.dsd_arg(call.args[0])?;
        if kind != DsdTy::Mem1d {
            let c = self.not_for("set_dsd_stride", kind, call.args[0]);
            return Err(c.help("only a mem1d_dsd has one stride: make another DSD with `@get_dsd`"));
        }
        let n = self.edit_number(call.args[1], &Ty::int(true, 8), &rules::BAD_STRIDE)?;
        self.edited(dsd, vec![(DsdEdit::Stride, n)], call.span)
    }
}

/// The elements of a tuple, each at the place of the whole.
fn tuple_parts(given: &Property) -> Option<Vec<Property>> {
    let is_tuple = matches!(given.value.ty(), Ty::Anon(ref a) if a.names.is_none());
    let elements = fields_of(&given.value).filter(|_| is_tuple)?;
    let place = |(_, value)| Property { name: given.name.clone(), value, at: given.at };
    Some(elements.into_iter().map(place).collect())
}

fn number<T: TryFrom<i128>>(given: &Property) -> Result<T> {
    let v = given.known()?;
    v.to::<T>().ok_or_else(|| rules::BAD_EXTENT.because(&[("value", v)]).at(given.at))
}

fn extent_value(v: &Value) -> Result<u16> {
    v.to::<u16>().ok_or_else(|| rules::BAD_EXTENT.because(&[("value", v)]))
}

fn stride_value(v: &Value) -> Result<i16> {
    v.to::<i16>().ok_or_else(|| rules::BAD_STRIDE.because(&[("value", v)]).for_good())
}

fn check_stride(stride: i16, kind: MemKind) -> Result<()> {
    // the stride register of a mem1d_dsd has 8 bits (ruling OQ-20)
    if kind == MemKind::Mem1d && i8::try_from(stride).is_err() {
        return Err(rules::BAD_STRIDE
            .because(&[("value", &stride)])
            .help("use a mem4d_dsd: its strides have 16 bits"));
    }
    Ok(())
}

/// The numbers of an integer type, in words.
fn range_of(ty: &Ty) -> String {
    let Ty::Int(IntTy { signed, bits }) = ty else { return "a number".to_string() };
    let all = 1i128 << bits;
    if *signed { format!("{} to {}", -all / 2, all / 2 - 1) } else { format!("0 to {}", all - 1) }
}

/// Elements until a circular buffer begins again: all of the array, unless fewer are asked for.
fn wraparound(given: Option<(u16, Span)>, base: &Ty, at: Span) -> Result<u16> {
    let array = match base {
        Ty::Ptr(p) => match &p.to {
            Ty::Array(a) => u16::try_from(a.len()).ok(),
            _ => None,
        },
        _ => None,
    };
    match (given, array) {
        (Some((wrap, at)), Some(size)) if wrap == 0 || wrap > size => {
            let help = format!("`.wraparound` is from 1 to the {size} elements of the array");
            Err(rules::BAD_EXTENT.because(&[("value", &wrap)]).at(at).help(help))
        }
        (Some((wrap, _)), _) => Ok(wrap),
        (None, Some(size)) => Ok(size),
        (None, None) => Err(missing_property("wraparound", DsdTy::Circbuf).at(at)),
    }
}

fn not_a_base(ty: &Ty) -> Complaint {
    rules::DSD_BASE.because(&[("type", ty)]).help("write an array, or a pointer to one: `&array`")
}

//! Types, conversions, arrays, strings, ranges, checks.

use super::Call;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Complaint, Result};
use crate::image::Scalar;
use crate::image::code::{Intrinsic, Op};
use crate::sema::arith;
use crate::sema::operand::{Operand, repr};
use crate::sema::options::Fp16Format;
use crate::sema::scope::Ev;
use crate::sema::value::{Elems, Pointer, RangeValue, Value};
use crate::sema::world::Sema;
use crate::source::Span;
use crate::syntax::ast::{ExprId, Ident};
use crate::value::float::FloatKind;
use crate::value::number::Integer;
use crate::value::ty::{AnonTy, ArrayTy, FieldLayout, PtrTy, Ty};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use std::sync::Arc;

/// Bytes of a string at most.
const MAX_STRING: usize = 1 << 20;

impl Sema<'_> {
    /// The builtins of this file; `None` for others.
    pub fn reflect_builtin(&mut self, name: &str, call: Call<'_>) -> Option<Result<Ev>> {
        let a = call.args;
        Some(match name {
            "as" => self.as_builtin(a[0], a[1]).map(Ev::Value),
            "bitcast" => self.bitcast(a[0], a[1]).map(Ev::Value),
            "ptrcast" => self.ptrcast(a[0], a[1]).map(Ev::Value),
            "type_of" => self.type_of(a[0]).map(|t| Ev::known(Value::Type(t))),
            "field" => self.field_builtin(a[0], a[1]),
            _ => self.known_builtin(name, call)?.map(Ev::Value),
        })
    }

    fn known_builtin(&mut self, name: &str, call: Call<'_>) -> Option<Result<Operand>> {
        let a = call.args;
        let known = match name {
            "is_same_type" => self.same_type(a[0], a[1]),
            "is_comptime" => Ok(Value::Bool(self.is_comptime())),
            "is_arch" => self.is_arch(a[0]),
            "fp16" => Ok(Value::Type(self.fp16())),
            "has_field" => self.has_field(a[0], a[1]),
            "dimensions" => self.array_arg(a[0]).map(|t| dimensions(&t)),
            "element_count" => self.array_arg(a[0]).map(|t| Value::u32(t.len() as u32)),
            "element_type" => self.array_arg(a[0]).map(|t| Value::Type(t.elem.clone())),
            "rank" => self.array_arg(a[0]).map(|t| Value::u16(t.dims.len() as u16)),
            "zeros" => self.zeros(a[0]),
            "range" => self.range(a, call.span),
            "range_start" | "range_stop" | "range_step" => self.range_part(name, a[0]),
            "comptime_assert" => self.comptime_assert(call),
            "comptime_print" => self.comptime_print(call),
            "strlen" => self.known_str(a[0]).map(|s| Value::int(s.len() as i128)),
            "strcat" => self.strcat(a),
            "get_array" => self.get_array(a[0]),
            "get_string_from_byte" => self.string_from_byte(a[0]),
            "import_comptime_value" => self.import_value(a[0], a[1]),
            "concat_structs" => return Some(self.concat(a[0], a[1], call.span)),
            "constants" => return Some(self.constants(a[0], a[1])),
            "assert" => return Some(self.assert(a[0], call.span)),
            "random16" => return Some(self.intrinsic(Intrinsic::Random16, &[], Ty::U16, call.span)),
            "set_active_prng" => return Some(self.set_active_prng(a[0], call.span)),
            _ => return None,
        };
        Some(known.map(Operand::Known))
    }

    /// What `@fp16()` names.
    pub fn fp16(&self) -> Ty {
        Ty::Float(match self.options.fp16 {
            Fp16Format::F16 => FloatKind::F16,
            Fp16Format::Bf16 => FloatKind::Bf16,
            Fp16Format::Cb16 => FloatKind::Cb16,
        })
    }

    fn as_builtin(&mut self, ty: ExprId, value: ExprId) -> Result<Operand> {
        let to = self.ty(ty)?;
        let at = self.span(value);
        let v = self.value(value, None)?;
        self.convert(v, &to, at)
    }

    /// `@as(to, v)`
    pub fn convert(&mut self, v: Operand, to: &Ty, at: Span) -> Result<Operand> {
        if let Operand::Known(known) = &v {
            if matches!(known, Value::Fn(_)) {
                return self.coerce(v, to, at);
            }
            return arith::cast(known, to, self.overflow()).map(Operand::Known).at(at);
        }
        let from = v.ty();
        if from == *to {
            return Ok(v);
        }
        let bad = || rules::BAD_CAST.because(&[("from", &from), ("to", to)]).at(at);
        let castable = |t: &Ty| matches!(t, Ty::Int(_) | Ty::Float(_) | Ty::Bool | Ty::Enum(_));
        if !castable(&from) || !castable(to) || matches!((&from, to), (Ty::Enum(_), Ty::Enum(_))) {
            return self.coerce(v, to, at).map_err(|_| bad());
        }
        let (f, t) = (repr(&from).ok_or_else(bad)?, repr(to).ok_or_else(bad)?);
        let a = self.reg_of(&v, at)?;
        let d = self.b().reg();
        self.b().emit(Op::Convert { d, a, from: f.scalar, to: t.scalar });
        if t.is_odd() && t.scalar != Scalar::F16 && t.scalar != Scalar::F32 {
            self.normalise(d, t);
        }
        Ok(Operand::Reg(d, to.clone()))
    }

    fn bitcast(&mut self, ty: ExprId, value: ExprId) -> Result<Operand> {
        let to = self.ty(ty)?;
        let at = self.span(value);
        let v = self.value(value, None)?;
        if let Operand::Known(known) = &v {
            let typed = match (known, to.bits()) {
                // a literal takes the width that is asked for
                (Value::Int(None, n), Some(bits)) if n.fits(false, bits) => {
                    arith::coerce(known, &Ty::int(false, bits)).at(at)?
                }
                _ => known.clone(),
            };
            return arith::bitcast(&typed, &to).map(Operand::Known).at(at);
        }
        let from = v.ty();
        let bad = || rules::BAD_BITCAST.because(&[("from", &from), ("to", &to)]).at(at);
        if from.bits().is_none() || from.bits() != to.bits() {
            return Err(bad());
        }
        let t = repr(&to).ok_or_else(bad)?;
        let a = self.reg_of(&v, at)?;
        let d = self.b().reg();
        let sh = t.sh();
        self.b().emit(if t.signed { Op::NormS { d, a, sh } } else { Op::NormU { d, a, sh } });
        Ok(Operand::Reg(d, to))
    }

    fn ptrcast(&mut self, ty: ExprId, value: ExprId) -> Result<Operand> {
        let to = self.ty(ty)?;
        let at = self.span(value);
        let v = self.value(value, None)?;
        let (Ty::Ptr(p), Ty::Ptr(_)) = (&to, v.ty()) else {
            return Err(rules::BAD_CAST.because(&[("from", &v.ty()), ("to", &to)]).at(at));
        };
        check_layouts(&v.ty(), &to).at(at).or_else(|c| self.lint(c))?;
        self.check_cast(&v, p, at)?;
        match v {
            Operand::Known(Value::Ptr(old)) => {
                Ok(Operand::Known(Value::Ptr(Pointer { ty: p.clone(), to: old.to })))
            }
            Operand::Reg(r, _) => Ok(Operand::Reg(r, to)),
            _ => Err(rules::REPORTED.plain()),
        }
    }

    /// A pointer to anything should lead to what it is cast to; where it leads is seen at run time
    /// (entry UB-003).
    fn check_cast(&mut self, v: &Operand, to: &PtrTy, at: Span) -> Result<()> {
        let from_any = matches!(v.ty(), Ty::Ptr(from) if from.to == Ty::AnyOpaque);
        let Some(repr) = repr(&to.to).filter(|_| from_any && !self.is_comptime()) else { return Ok(()) };
        let ty = self.string(&to.to.to_string());
        let a = self.reg_of(v, at)?;
        let words = repr.access().words();
        self.b().emit(Op::CheckCast { a, words, ty });
        Ok(())
    }

    /// The type of an expression; code that it would need is thrown away.
    fn type_of(&mut self, e: ExprId) -> Result<Ty> {
        let checkpoint = self.builder.as_ref().map(|b| b.checkpoint());
        let ev = self.expr(e, None);
        if let (Some(c), Some(b)) = (checkpoint, &mut self.builder) {
            b.rollback(c);
        }
        match ev? {
            Ev::Value(Operand::Known(Value::Fn(f))) => Ok(Ty::Fn(self.fn_type(f)?)),
            Ev::Value(v) => Ok(v.ty()),
            Ev::Place(p) => Ok(p.ty().clone()),
        }
    }

    fn field_builtin(&mut self, base: ExprId, name: ExprId) -> Result<Ev> {
        let at = self.span(name);
        let name = Ident { name: SmolStr::new(self.known_str(name)?), span: at };
        self.field(base, &name)
    }

    fn has_field(&mut self, base: ExprId, name: ExprId) -> Result<Value> {
        let name = self.known_str(name)?;
        let ty = match self.type_of(base)? {
            Ty::Module | Ty::Type => {
                let v = self.known(base)?;
                return Ok(Value::Bool(match &v {
                    Value::Module(m) => self.instance(*m).unit.names.contains_key(name.as_str()),
                    Value::Type(t) => t.field(&name).is_some(),
                    _ => false,
                }));
            }
            other => other,
        };
        Ok(Value::Bool(ty.field(&name).is_some()))
    }

    fn same_type(&mut self, a: ExprId, b: ExprId) -> Result<Value> {
        Ok(Value::Bool(self.ty(a)? == self.ty(b)?))
    }

    fn is_arch(&mut self, name: ExprId) -> Result<Value> {
        let at = self.span(name);
        let word = self.known_str(name)?;
        // The machine before WSE-2: public programs ask whether they are compiled for it.
        if word == "wse1" {
            return Ok(Value::Bool(false));
        }
        let arch = crate::arch::ArchName::parse(&word).ok_or_else(|| {
            rules::UNKNOWN_ARCH.because(&[("name", &word)]).at(at).help("write \"wse2\" or \"wse3\"")
        })?;
        Ok(Value::Bool(arch == self.arch.name))
    }

    fn array_arg(&mut self, ty: ExprId) -> Result<Arc<ArrayTy>> {
        let at = self.span(ty);
        match self.ty(ty)? {
            Ty::Array(a) => Ok(a),
            other => Err(not_an_array(&other).at(at)),
        }
    }

    fn zeros(&mut self, ty: ExprId) -> Result<Value> {
        let at = self.span(ty);
        let a = self.array_arg(ty)?;
        let zero = match &a.elem {
            Ty::Int(t) => Value::Int(Some(*t), Integer::ZERO),
            Ty::ComptimeInt => Value::int(0),
            Ty::Float(k) => Value::Float(*k, 0.0),
            other => {
                return Err(rules::BAD_ZEROS
                    .because(&[("type", other)])
                    .at(at)
                    .help(format!("write `@constants({}, ..)`", Ty::Array(a.clone()))));
            }
        };
        Ok(Value::array(a, Elems::Splat(zero)))
    }

    fn constants(&mut self, ty: ExprId, value: ExprId) -> Result<Operand> {
        let a = self.array_arg(ty)?;
        let at = self.span(value);
        match self.value_as(value, &a.elem)? {
            Operand::Known(v) => Ok(Operand::Known(Value::array(a, Elems::Splat(v)))),
            one if a.len() <= 1024 => {
                let parts = vec![one; a.len() as usize];
                Ok(Operand::Parts(Ty::Array(a), parts))
            }
            _ => Err(rules::NOT_COMPTIME.because(&[("what", &"the value of so many elements")]).at(at)),
        }
    }

    fn range(&mut self, args: &[ExprId], span: Span) -> Result<Value> {
        let at = self.span(args[0]);
        let ty = self.ty(args[0])?;
        if !ty.is_int() {
            return Err(rules::TYPE_MISMATCH.because(&[("want", &"an integer type"), ("have", &ty)]).at(at));
        }
        let mut part = |id: ExprId| -> Result<Integer> {
            self.known_as(id, &ty)?.as_integer().ok_or_else(|| rules::REPORTED.plain())
        };
        let (start, stop, step) = match args {
            [_, stop] => (Integer::ZERO, part(*stop)?, Integer::ONE),
            [_, start, stop, step] => (part(*start)?, part(*stop)?, part(*step)?),
            _ => {
                return Err(rules::ARGUMENT_COUNT
                    .because(&[("name", &"`@range`"), ("want", &"2 or 4 arguments"), ("have", &args.len())])
                    .at(span)
                    .help("write `@range(T, stop)` or `@range(T, start, stop, step)`"));
            }
        };
        if step.is_zero() {
            return Err(rules::RANGE_STEP.plain().at(span));
        }
        Ok(Value::Range(Arc::new(RangeValue { ty, start, stop, step })))
    }

    fn range_part(&mut self, name: &str, range: ExprId) -> Result<Value> {
        let at = self.span(range);
        let Value::Range(r) = self.known(range)? else {
            return Err(rules::NOT_ITERABLE.because(&[("type", &"this")]).at(at));
        };
        let n = match name {
            "range_start" => &r.start,
            "range_stop" => &r.stop,
            _ => &r.step,
        };
        arith::coerce(&Value::Int(None, n.clone()), &r.ty)
    }

    fn comptime_assert(&mut self, call: Call<'_>) -> Result<Value> {
        let holds = self.known_as(call.args[0], &Ty::Bool)?;
        if holds == Value::Bool(true) {
            return Ok(Value::Void);
        }
        let text = match call.args.get(1) {
            Some(m) => self.known_str(*m)?,
            None => self.snippet(call.args[0]),
        };
        Err(rules::COMPTIME_ASSERT.because(&[("text", &text)]).at(call.span))
    }

    /// The text of an expression as written, on one line.
    pub fn snippet(&self, e: ExprId) -> String {
        let span = self.span(e);
        let text = &self.sources.file(span.file).text;
        let part = text.get(span.lo as usize..span.hi as usize).unwrap_or("");
        part.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn comptime_print(&mut self, call: Call<'_>) -> Result<Value> {
        let mut parts = Vec::new();
        for a in call.args {
            let v = self.known(*a)?;
            parts.push(v.as_str().unwrap_or_else(|| v.to_string()));
        }
        self.report(rules::COMPTIME_PRINT.because(&[("text", &parts.join(" "))]).at(call.span));
        Ok(Value::Void)
    }

    fn assert(&mut self, condition: ExprId, span: Span) -> Result<Operand> {
        let v = self.value_as(condition, &Ty::Bool)?;
        if self.is_comptime() {
            return match v {
                Operand::Known(Value::Bool(true)) => Ok(Operand::void()),
                _ => Err(rules::COMPTIME_ASSERT.because(&[("text", &self.snippet(condition))]).at(span)),
            };
        }
        let text = self.snippet(condition);
        self.emit_assert(&v, &text, span)?;
        Ok(Operand::void())
    }

    fn strcat(&mut self, args: &[ExprId]) -> Result<Value> {
        let mut out = Vec::new();
        for a in args {
            match self.known(*a)? {
                Value::Str(s) if out.len() + s.len() > MAX_STRING => {
                    return Err(rules::VALUE_TOO_LARGE.because(&[("what", &"string")]));
                }
                Value::Str(s) => out.extend_from_slice(&s),
                other => {
                    let at = self.span(*a);
                    return Err(rules::TYPE_MISMATCH
                        .because(&[("want", &Ty::String), ("have", &other.ty())])
                        .at(at));
                }
            }
        }
        Ok(Value::Str(out.into()))
    }

    fn get_array(&mut self, s: ExprId) -> Result<Value> {
        let at = self.span(s);
        let Value::Str(bytes) = self.known(s)? else {
            return Err(rules::TYPE_MISMATCH
                .because(&[("want", &Ty::String), ("have", &"something else")])
                .at(at));
        };
        let elem = Ty::int(false, 8);
        let byte = |b: &u8| arith::coerce(&Value::int((*b).into()), &elem);
        let list = bytes.iter().map(byte).collect::<Result<Vec<_>>>()?;
        Ok(Value::array(Arc::new(ArrayTy { dims: vec![bytes.len() as u32], elem }), Elems::List(list)))
    }

    fn string_from_byte(&mut self, b: ExprId) -> Result<Value> {
        let at = self.span(b);
        let v = self.known(b)?;
        let byte =
            v.to::<u8>().ok_or_else(|| rules::INDEX_RANGE.because(&[("index", &v), ("len", &256)]).at(at))?;
        Ok(Value::Str([byte].as_slice().into()))
    }

    fn concat(&mut self, a: ExprId, b: ExprId, span: Span) -> Result<Operand> {
        let (at_a, at_b) = (self.span(a), self.span(b));
        let (left, right) = (self.value(a, None)?, self.value(b, None)?);
        let not_anon = |v: &Operand| {
            rules::TYPE_MISMATCH.because(&[("want", &"an anonymous struct"), ("have", &v.ty())])
        };
        let names = |v: &Operand| match v.ty() {
            Ty::Anon(t) => Some(t),
            _ => None,
        };
        let ta = names(&left).ok_or_else(|| not_anon(&left).at(at_a))?;
        let tb = names(&right).ok_or_else(|| not_anon(&right).at(at_b))?;
        let empty = |t: &AnonTy| t.types.is_empty();
        if ta.names.is_some() != tb.names.is_some() && !empty(&ta) && !empty(&tb) {
            return Err(not_anon(&right).at(span).note("a struct with names and a tuple cannot be joined"));
        }
        let mut names = ta.names.clone().unwrap_or_default();
        let taken: FxHashSet<&SmolStr> = ta.names.iter().flatten().collect();
        if let Some(n) = tb.names.iter().flatten().find(|n| taken.contains(n)) {
            return Err(rules::DUPLICATE_NAME.because(&[("name", n)]).at(at_b));
        }
        names.extend(tb.names.iter().flatten().cloned());
        let parts = parts_of(left).into_iter().chain(parts_of(right)).collect::<Vec<_>>();
        let names = (names.len() == parts.len()).then_some(names);
        self.gather(names, parts).at(span)
    }

    fn set_active_prng(&mut self, id: ExprId, span: Span) -> Result<Operand> {
        let v = self.value_as(id, &Ty::U16)?;
        self.intrinsic(Intrinsic::SetActivePrng, &[v], Ty::Void, span)
    }

    fn import_value(&mut self, ty: ExprId, path: ExprId) -> Result<Value> {
        let at = self.span(path);
        let ty = self.ty(ty)?;
        let name = self.known_str(path)?;
        let from = self.frame().unit.path.clone();
        let file = from.parent().unwrap_or(std::path::Path::new("")).join(&name);
        let text =
            self.loader.load(&file).map_err(|_| rules::FILE_NOT_FOUND.because(&[("file", &name)]).at(at))?;
        let bad = |why: String| rules::BAD_JSON.because(&[("file", &name), ("why", &why)]).at(at);
        let json: serde_json::Value = serde_json::from_str(&text).map_err(|e| bad(e.to_string()))?;
        let v =
            from_json(&json).ok_or_else(|| bad("null and nested arrays have no value in CSL".to_string()))?;
        if ty == Ty::ComptimeStruct {
            return Ok(v);
        }
        arith::coerce(&v, &ty).at(at)
    }
}

/// A pointer to a struct whose layout is not defined leads to nothing else (entry UB-005).
fn check_layouts(from: &Ty, to: &Ty) -> Result<()> {
    let (from, to) = (behind(from), behind(to));
    let is_any = |ty: &Ty| matches!(ty, Ty::AnyOpaque);
    if from == to || is_any(from) || is_any(to) {
        return Ok(());
    }
    match [from, to].into_iter().find(|ty| has_free_layout(ty)) {
        Some(ty) => Err(rules::STRUCT_LAYOUT
            .because(&[("type", ty)])
            .help("declare it as `extern struct` or `packed struct`, whose layouts are defined")),
        None => Ok(()),
    }
}

fn has_free_layout(ty: &Ty) -> bool {
    match ty {
        Ty::Struct(s) | Ty::Union(s) => s.layout == FieldLayout::Plain,
        Ty::Anon(_) => true,
        _ => false,
    }
}

/// What a pointer leads to; an array counts as its elements.
fn behind(ty: &Ty) -> &Ty {
    let Ty::Ptr(p) = ty else { return ty };
    match &p.to {
        Ty::Array(a) => &a.elem,
        other => other,
    }
}

fn not_an_array(ty: &Ty) -> Complaint {
    rules::TYPE_MISMATCH.because(&[("want", &"an array type"), ("have", ty)])
}

fn dimensions(a: &ArrayTy) -> Value {
    let ty = ArrayTy { dims: vec![a.dims.len() as u32], elem: Ty::U32 };
    Value::array(Arc::new(ty), Elems::List(a.dims.iter().map(|d| Value::u32(*d)).collect()))
}

fn parts_of(v: Operand) -> Vec<Operand> {
    match v {
        Operand::Known(Value::Record(r)) => r.fields.iter().cloned().map(Operand::Known).collect(),
        Operand::Parts(_, parts) => parts,
        _ => Vec::new(),
    }
}

/// A JSON value as a comptime value; keys of objects are written `name:type`.
fn from_json(json: &serde_json::Value) -> Option<Value> {
    Some(match json {
        serde_json::Value::Bool(b) => Value::Bool(*b),
        serde_json::Value::Number(n) => match n.as_i64() {
            Some(n) => Value::int(n.into()),
            None => Value::Float(FloatKind::Comptime, n.as_f64()?),
        },
        serde_json::Value::String(s) => Value::str(s),
        serde_json::Value::Array(all) => {
            let list = all.iter().map(from_json).collect::<Option<Vec<_>>>()?;
            let elem = arith::peer(&list.iter().map(Value::ty).collect::<Vec<_>>())?;
            if matches!(elem, Ty::Array(_)) {
                return None;
            }
            let list = list.iter().map(|v| arith::coerce(v, &elem).ok()).collect::<Option<Vec<_>>>()?;
            Value::array(Arc::new(ArrayTy { dims: vec![list.len() as u32], elem }), Elems::List(list))
        }
        serde_json::Value::Object(map) => {
            let field = |(key, v): (&String, &serde_json::Value)| {
                let (name, ty) = key.split_once(':').unwrap_or((key, ""));
                let v = from_json(v)?;
                let v = match Ty::predeclared(ty.trim()) {
                    Some(ty) => arith::coerce(&v, &ty).ok()?,
                    None => v,
                };
                Some((SmolStr::new(name.trim()), v))
            };
            Value::anon(map.iter().map(field).collect::<Option<_>>()?)
        }
        serde_json::Value::Null => return None,
    })
}

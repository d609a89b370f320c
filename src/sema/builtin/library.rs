//! The internal builtins of the embedded library; `stdlib` lists them.

use super::Call;
use crate::arch::{Color, InQueue};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Result};
use crate::image::MemcpyColors;
use crate::image::code::{Intrinsic, Op};
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::world::Sema;
use crate::source::Span;
use crate::value::float::FloatKind;
use crate::value::math::{self, Function};
use crate::value::ty::{IdKind, Ty};

/// Names, parameter types and result of the intrinsics that the library may use.
fn intrinsic(name: &str) -> Option<(Intrinsic, &'static [Ty], Ty)> {
    use Intrinsic::*;
    const BOOL: &[Ty] = &[Ty::Bool];
    const U16: &[Ty] = &[Ty::U16];
    const U32: &[Ty] = &[Ty::U32];
    Some(match name {
        "PeX" => (PeX, &[], Ty::U16),
        "PeY" => (PeY, &[], Ty::U16),
        "UnblockCommandStream" => (UnblockCommandStream, &[], Ty::Void),
        "TscEnable" => (TscEnable, BOOL, Ty::Void),
        "TscReset" => (TscReset, &[], Ty::Void),
        "TscRead" => (TscRead, U16, Ty::U16),
        "Random16" => (Random16, &[], Ty::U16),
        "SetActivePrng" => (SetActivePrng, U16, Ty::Void),
        "SeedPrng" => (SeedPrng, U32, Ty::Void),
        "PrintString" => (PrintString, U32, Ty::Void),
        "PrintInt" => (PrintInt, &[Ty::U32, Ty::U16, Ty::U16], Ty::Void),
        "PrintF32" => (PrintF32, &[Ty::F32], Ty::Void),
        "PrintF16" => (PrintF16, &[Ty::F16], Ty::Void),
        "Trace" => (Trace, &[Ty::U32, Ty::U16, Ty::U32, Ty::U32], Ty::Void),
        "ConfigRead" => (ConfigRead, U16, Ty::U16),
        "Collective" => (Collective, &[Ty::U16, Ty::U16, Ty::U16, Ty::U16, Ty::U16, Ty::U16], Ty::Void),
        "SendMessage" => (SendMessage, &[Ty::U16, Ty::U16, Ty::U16, Ty::U16], Ty::Void),
        "ReceiveMessage" => (ReceiveMessage, &[Ty::U16, Ty::U16], Ty::Void),
        "ConfigWrite" => (ConfigWrite, &[Ty::U16, Ty::U16], Ty::Void),
        _ => return None,
    })
}

impl Sema<'_> {
    /// `@__..`
    pub fn library_builtin(&mut self, name: &str, call: Call<'_>) -> Result<Operand> {
        let a = call.args;
        match name {
            "__intrinsic" => self.intrinsic_call(call),
            "__math" => self.math(call),
            "__string_id" => {
                let text = self.known_str(a[0])?;
                Ok(Operand::Known(Value::u32(self.string(&text))))
            }
            "__type_kind" => {
                let ty = self.ty(a[0])?;
                Ok(Operand::Known(Value::str(type_kind(&ty))))
            }
            "__type_bits" => {
                let ty = self.ty(a[0])?;
                Ok(Operand::Known(Value::int(ty.bits().unwrap_or(0).into())))
            }
            "__pointee" => match self.ty(a[0])? {
                Ty::Ptr(pointer) => Ok(Operand::Known(Value::Type(pointer.to.clone()))),
                other => Err(rules::TYPE_MISMATCH
                    .because(&[("want", &"a pointer"), ("have", &other)])
                    .at(self.span(a[0]))),
            },
            "__count" => self.count(a[0]),
            "__mailbox" => {
                if let Value::Id(_, queue) = self.known_as(a[0], &Ty::Id(IdKind::InputQueue))? {
                    self.world.tile.image.mailbox = Some(InQueue(queue as u8));
                }
                Ok(Operand::void())
            }
            "__memcpy" => self.memcpy_params(a[0]),
            "__memcpy_server" => {
                self.world.tile.image.has_memcpy = true;
                Ok(Operand::void())
            }
            _ => Err(rules::UNKNOWN_BUILTIN.because(&[("name", &name)]).at(call.span)),
        }
    }

    fn count(&mut self, e: crate::syntax::ast::ExprId) -> Result<Operand> {
        let v = self.value(e, None)?;
        let n = match v.ty() {
            Ty::Array(array) => array.dims[0] as usize,
            _ => super::fields_of(&v).map_or(0, |f| f.len()),
        };
        Ok(Operand::Known(Value::int(n as i128)))
    }

    fn intrinsic_call(&mut self, call: Call<'_>) -> Result<Operand> {
        let name = self.known_str(call.args[0])?;
        let (id, params, ret) = intrinsic(&name)
            .ok_or_else(|| rules::UNKNOWN_BUILTIN.because(&[("name", &name)]).at(call.span))?;
        let mut args = Vec::new();
        for (a, ty) in call.args[1..].iter().zip(params) {
            let at = self.span(*a);
            let v = self.value(*a, None)?;
            args.push(self.convert(v, ty, at)?);
        }
        self.intrinsic(id, &args, ret, call.span)
    }

    /// Writes an intrinsic.
    pub fn intrinsic(&mut self, id: Intrinsic, args: &[Operand], ret: Ty, span: Span) -> Result<Operand> {
        let regs = args.iter().map(|v| self.reg_of(v, span)).collect::<Result<Vec<_>>>()?;
        let base = self.b().reg();
        for _ in 1..regs.len() {
            self.b().reg();
        }
        for (i, a) in regs.into_iter().enumerate() {
            self.b().emit(Op::Mov { d: base + i as u16, a });
        }
        self.b().emit(Op::Intrinsic { id, base });
        Ok(if ret == Ty::Void { Operand::void() } else { Operand::Reg(base, ret) })
    }

    fn math(&mut self, call: Call<'_>) -> Result<Operand> {
        let name = self.known_str(call.args[0])?;
        let f = Function::parse(&name)
            .ok_or_else(|| rules::UNKNOWN_BUILTIN.because(&[("name", &name)]).at(call.span))?;
        let at = self.span(call.args[1]);
        let x = self.value(call.args[1], None)?;
        let ty = x.ty();
        let y = match call.args.get(2) {
            Some(y) => self.value_as(*y, &ty)?,
            None => Operand::Known(Value::Float(FloatKind::Comptime, 0.0)),
        };
        if let (Operand::Known(Value::Float(k, x)), Operand::Known(Value::Float(_, y))) = (&x, &y) {
            let v = match k {
                FloatKind::F32 => f64::from(math::eval32(f, *x as f32, *y as f32)),
                _ => k.round(math::eval64(f, *x, *y)),
            };
            return Ok(Operand::Known(Value::Float(*k, v)));
        }
        let id = match ty {
            Ty::F32 => Intrinsic::Math32,
            Ty::Float(FloatKind::F16) => Intrinsic::Math16,
            ref other => {
                return Err(rules::TYPE_MISMATCH.because(&[("want", &"f16 or f32"), ("have", other)]).at(at));
            }
        };
        let y = self.coerce(y, &ty, at)?;
        self.intrinsic(id, &[Operand::Known(Value::u16(f as u16)), x, y], ty, call.span)
    }

    fn memcpy_params(&mut self, params: crate::syntax::ast::ExprId) -> Result<Operand> {
        let at = self.span(params);
        let v = self.known(params)?;
        let mut colors = MemcpyColors::default();
        for n in 0..4 {
            colors.h2d[n] = self.stream_color(v.field(&format!("MEMCPYH2D_{}", n + 1))).at(at)?;
            colors.d2h[n] = self.stream_color(v.field(&format!("MEMCPYD2H_{}", n + 1))).at(at)?;
        }
        if self.layout.memcpy.as_ref().is_some_and(|old| *old != colors) {
            return Err(crate::diagnostics::rules::layout::MEMCPY_TWICE.plain()).at(at);
        }
        self.layout.memcpy = Some(colors);
        Ok(Operand::void())
    }

    /// The color of a stream: since SDK 2.10 programs give its number.
    fn stream_color(&self, given: Option<&Value>) -> Result<Option<Color>> {
        let number = match given {
            Some(Value::Id(IdKind::Color, c)) => *c,
            Some(v @ Value::Int(..)) => match self.known_id(v, IdKind::Color)? {
                Value::Id(_, c) => c,
                other => unreachable!("{other} is no id"),
            },
            _ => return Ok(None),
        };
        Ok(Color::numbered(number))
    }
}

fn type_kind(ty: &Ty) -> &'static str {
    match ty {
        Ty::ComptimeInt => "signed",
        Ty::Int(t) if t.signed => "signed",
        Ty::Int(_) => "unsigned",
        Ty::Float(_) => "float",
        Ty::Dsd(_) => "dsd",
        Ty::Id(k) if k.is_dsr() => "dsr",
        Ty::Ptr(p) if p.many => "many",
        _ => "other",
    }
}

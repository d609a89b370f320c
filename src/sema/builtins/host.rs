//! The layout, exports, and what the host sees.

use super::entry::{Builtin, Call, Phase, Run, USUAL, wrong_phase};
use super::{arguments, colors, intrinsics};
use crate::diagnostics::rules::{comptime, layout as rules};
use crate::diagnostics::{At, Diag, Result, suggest};
use crate::image::code::Intrinsic;
use crate::image::{Export, ExportKind, ExportName, ExportTarget, Scalar};
use crate::sema::eval::ExprValue;
use crate::sema::injection::injects_twice;
use crate::sema::layout::LayoutScope;
use crate::sema::operand::{Addr, Base, Operand, Place, element_of, repr};
use crate::sema::value::{Pointee, Value};
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::{ExprId, Name};
use crate::value::ty::Ty;
use indexmap::IndexMap;

/// Parameters that a function called by the host may have (builtins section 3).
const MAX_HOST_PARAMS: usize = 15;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "set_rectangle", takes: 2..=2, phase: Phase::Layout,
        usage: "@set_rectangle(width, height)",
        doc: "sets the size of the program rectangle",
        run: Run::Operand(set_rectangle), ..USUAL },
    Builtin { name: "get_rectangle", takes: 0..=0, phase: Phase::Anywhere,
        usage: "@get_rectangle()",
        doc: "the size of the program rectangle",
        run: Run::Operand(|s, call| get_rectangle(s, call.span)), ..USUAL },
    Builtin { name: "set_tile_code", takes: 2..=4, phase: Phase::Layout,
        usage: "@set_tile_code(x, y, file, .{..})",
        doc: "gives a PE its program",
        run: Run::Operand(set_tile_code), ..USUAL },
    Builtin { name: "set_color_config", takes: 4..=4, phase: Phase::Layout,
        usage: "@set_color_config(x, y, color, .{..})",
        doc: "sets the routes of a color on a PE",
        run: Run::Operand(set_color_config), ..USUAL },
    Builtin { name: "set_local_color_config", takes: 2..=2, phase: Phase::Block,
        usage: "@set_local_color_config(color, .{..})",
        doc: "sets the routes of a color on every PE with this code",
        run: Run::Operand(set_local_color_config), ..USUAL },
    Builtin { name: "export_name", takes: 2..=3, phase: Phase::Layout,
        usage: "@export_name(name, T, mutable)",
        doc: "advertises a symbol to the host",
        run: Run::Operand(export_name), ..USUAL },
    Builtin { name: "export_symbol", takes: 1..=2, phase: Phase::Block,
        usage: "@export_symbol(symbol, name)",
        doc: "exports a global or a function under an advertised name",
        run: Run::Operand(export_symbol), ..USUAL },
    Builtin { name: "has_exported_tensors", takes: 0..=0, phase: Phase::Anywhere,
        usage: "@has_exported_tensors()",
        doc: "in functions: whether the program advertises arrays",
        run: Run::Known(|s, call| has_exported_tensors(s, call.span)), ..USUAL },
    Builtin { name: "get_symbol_id", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@get_symbol_id(symbol)",
        doc: "the id of an advertised symbol",
        run: Run::Operand(symbol_id), ..USUAL },
    Builtin { name: "get_symbol_value", takes: 2..=2, phase: Phase::Code,
        usage: "@get_symbol_value(T, id)",
        doc: "the value of an advertised symbol",
        run: Run::Operand(symbol_value), ..USUAL },
    Builtin { name: "get_tensor_ptr", takes: 1..=1, phase: Phase::Code,
        usage: "@get_tensor_ptr(id)",
        doc: "the address of an advertised array",
        run: Run::Operand(tensor_pointer), ..USUAL },
];

/// Known in functions, also at comptime: the layout block has to be done.
fn has_exported_tensors(sema: &Sema<'_>, span: Span) -> Result<Value> {
    if sema.lower.writing().is_none() {
        return Err(wrong_phase("has_exported_tensors", Phase::Code).at(span));
    }
    let has = sema.layout.exports().iter().any(|e| matches!(e.kind, ExportKind::Var { .. }));
    Ok(Value::Bool(has))
}

fn coordinate(sema: &mut Sema<'_>, id: ExprId) -> Result<u32> {
    let at = sema.span(id);
    let v = sema.known(id)?;
    v.to::<u32>().ok_or_else(|| rules::BAD_COORDINATE.because(&[("value", &v)]).at(at))
}

fn set_rectangle(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let (w, h) = (sema.known(call.args[0])?, sema.known(call.args[1])?);
    let (Some(w), Some(h)) = (w.to::<u16>(), h.to::<u16>()) else {
        return Err(rules::BAD_RECTANGLE.because(&[("width", &w), ("height", &h)]).at(call.span));
    };
    sema.layout.set_rectangle(w, h, call.span).map(|()| Operand::void())
}

fn get_rectangle(sema: &mut Sema<'_>, span: Span) -> Result<Operand> {
    let (w, h, _) = sema.layout.rectangle().ok_or_else(|| rules::NO_RECTANGLE.plain().at(span))?;
    let size =
        |w: u16, h: u16| Value::anon(vec![("width".into(), Value::u16(w)), ("height".into(), Value::u16(h))]);
    let f = sema.options.fabric.or_else(|| sema.layout.smallest_fabric()).unwrap_or_default();
    Ok(Operand::Known(Value::anon(vec![
        ("width".into(), Value::u16(w)),
        ("height".into(), Value::u16(h)),
        ("fabric".into(), size(f.width, f.height)),
        ("offsets".into(), size(f.x, f.y)),
    ])))
}

fn pe_arg(sema: &mut Sema<'_>, call: Call<'_>) -> Result<usize> {
    if sema.layout.rectangle().is_none() {
        return Err(rules::NO_RECTANGLE.plain().at(call.span).help("call `@set_rectangle` first"));
    }
    let (x, y) = (coordinate(sema, call.args[0])?, coordinate(sema, call.args[1])?);
    let (w, h, set) = sema.layout.rectangle().expect("checked above");
    sema.layout.pe(x, y).ok_or_else(|| {
        rules::OUTSIDE_RECTANGLE
            .because(&[("x", &x), ("y", &y)])
            .at(call.span)
            .also(set, "the rectangle")
            .help(format!("columns go from 0 to {}, rows from 0 to {}", w - 1, h - 1))
    })
}

fn set_tile_code(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let pe = pe_arg(sema, call)?;
    let class = class_of_tile(sema, call)?;
    sema.layout.set_tile(pe, class).at(call.span)?;
    Ok(progress(sema))
}

/// The class of the PEs that get a file with parameters.
fn class_of_tile(sema: &mut Sema<'_>, call: Call<'_>) -> Result<u32> {
    let unit = match call.args.get(2) {
        Some(file) => {
            let at = sema.span(*file);
            let name = arguments::known_str(sema, *file)?;
            let from = sema.frame().unit.path.clone();
            sema.find_unit(&from, &name, at)?
        }
        None => sema.unit(),
    };
    let given = call.args.get(3).map(|params| sema.known(*params)).transpose()?;
    let repeated = sema.repeated(call.span).zip(given.as_ref());
    if let Some(class) = repeated.and_then(|(site, given)| sema.repeats.class(site, &unit, given)) {
        return Ok(class);
    }
    let params = tile_params(sema, call, given.as_ref())?;
    let class = sema.layout.class(&unit, params, call.span);
    if let Some((site, given)) = repeated {
        sema.repeats.note_class(site, unit, given, class);
    }
    Ok(class)
}

/// The parameters of a tile.
fn tile_params(sema: &Sema<'_>, call: Call<'_>, given: Option<&Value>) -> Result<IndexMap<Name, Value>> {
    let mut params = IndexMap::new();
    let at = call.args.get(3).map_or(call.span, |p| sema.span(*p));
    if let Some(v) = given {
        let fields = v.fields().ok_or_else(|| {
            comptime::TYPE_MISMATCH.because(&[("want", &"a struct"), ("have", &v.ty())]).at(at)
        })?;
        params.extend(fields);
    }
    if let Some((name, value)) = params.iter().find(|(_, value)| value.belongs_to_layout()) {
        let have = "a function, a module or a pointer";
        let facts: [(&str, &dyn std::fmt::Display); 2] = [("want", &"a value"), ("have", &have)];
        return Err(comptime::TYPE_MISMATCH
            .because(&facts)
            .at(at)
            .note(format!("`{name}` holds something that only the layout has"))
            .help(match value {
                Value::Fn(_) => "call the function, as in `memcpy.get_params(x)`, to pass what it returns",
                _ => "pass values; functions and modules can be imported in the file of the tile",
            }));
    }
    Ok(params)
}

fn set_color_config(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let pe = pe_arg(sema, call)?;
    let color = colors::color_arg(sema, call.args[2])?;
    let config = colors::color_config(sema, call.args[3], color)?;
    sema.layout.set_route(pe, color, config, call.span)?;
    Ok(progress(sema))
}

/// What the layout can do only once has been done: a layout of a whole wafer takes many steps, and comes to an end.
fn progress(sema: &mut Sema<'_>) -> Operand {
    sema.eval.budget.refill();
    Operand::void()
}

fn set_local_color_config(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let color = colors::color_arg(sema, call.args[0])?;
    let config = colors::color_config(sema, call.args[1], color)?;
    let routes = &mut sema.lower.tile.image.local_routes;
    if let Some((.., first)) = routes.iter().find(|(c, ..)| *c == color) {
        let twice = rules::ROUTE_TWICE.because(&[("color", &color), ("pe", &"one PE")]).at(call.span);
        return Err(twice.also(*first, "first set here"));
    }
    if let Some(c) = injects_twice(routes.iter().map(|(c, r, _)| (*c, r)), color, &config) {
        return Err(c.at(call.span));
    }
    routes.push((color, config, call.span));
    Ok(Operand::void())
}

fn export_name(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let name = arguments::known_str(sema, call.args[0])?;
    let at = sema.span(call.args[1]);
    let ty = sema.ty(call.args[1])?;
    let mutable = call.args.get(2).map(|m| sema.known_as(*m, &Ty::Bool)).transpose()?;
    if let Some(first) = sema.layout.exports().iter().find(|e| e.name == name) {
        return Err(rules::EXPORT_TWICE
            .because(&[("name", &name)])
            .at(call.span)
            .also(first.span, "first here"));
    }
    let kind = export_kind(&ty, mutable == Some(Value::Bool(true))).at(at)?;
    if mutable.is_none() && matches!(kind, ExportKind::Var { .. }) {
        return Err(rules::EXPORT_MUTABLE
            .plain()
            .at(call.span)
            .help("write `true` if the host may write it, else `false`"));
    }
    sema.layout.export(ExportName { name, kind, span: call.span }, ty);
    Ok(Operand::void())
}

fn export_symbol(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let at = sema.span(call.args[0]);
    let given = call.args.get(1).map(|n| arguments::known_str(sema, *n)).transpose()?;
    let Symbol { name, target, ty, is_var } = symbol(sema, call.args[0], at)?;
    let name = given.unwrap_or(name);
    check_export(&sema.layout, &name, &ty, call.span)?;
    if let Some(diag) = is_var.and_then(|is_var| check_mutability(&sema.layout, &name, is_var)) {
        sema.lint(diag.at(call.span))?;
    }
    let exports = &mut sema.lower.tile.image.exports;
    if exports.iter().any(|e| e.name == name) {
        return Err(rules::EXPORT_TWICE.because(&[("name", &name)]).at(call.span));
    }
    exports.push(Export { name, target, element: export_element(&ty), inputs: export_inputs(&ty) });
    Ok(Operand::void())
}

/// What a program exports.
struct Symbol {
    name: String,
    target: ExportTarget,
    ty: Ty,
    /// Of a variable, whether it is declared `var`.
    is_var: Option<bool>,
}

fn symbol(sema: &mut Sema<'_>, id: ExprId, at: Span) -> Result<Symbol> {
    let ev = sema.expr(id, None)?;
    match ev {
        ExprValue::Value(Operand::Known(Value::Fn(f))) => {
            let (function, _) = sema.entry(f, at)?;
            let ty = Ty::Fn(sema.fn_type(f)?);
            let (unit, decl) = sema.fn_unit(f);
            let name = unit.function(decl).name.name.to_string();
            Ok(Symbol { name, target: ExportTarget::Fn(function), ty, is_var: None })
        }
        ExprValue::Place(Place::Memory { addr: Addr { base: Base::Global(g), off: 0 }, ty, .. }) => {
            let addr = sema.place_global(g)?;
            if let Value::Ptr(p) = sema.global(g).value.clone()
                && let Pointee::Global(behind, _) = p.to
            {
                sema.place_global(behind)?;
            }
            let global = sema.global(g);
            let name = global.name.rsplit('.').next().unwrap_or("").to_string();
            let target =
                if matches!(ty, Ty::Ptr(_)) { ExportTarget::Pointer(addr) } else { ExportTarget::Data(addr) };
            let is_var = Some(global.is_var);
            Ok(Symbol { name, target, ty, is_var })
        }
        _ => Err(rules::EXPORT_NOT_GLOBAL.plain().at(at)),
    }
}

/// Whether a variable changes, as the layout has advertised.
fn check_mutability(layout: &LayoutScope, name: &str, is_var: bool) -> Option<Diag> {
    let advertised = &layout.exports()[layout.find_export(name)?];
    let ExportKind::Var { mutable, .. } = advertised.kind else { return None };
    let word = |is_var| if is_var { "var" } else { "const" };
    let facts: [(&str, &dyn std::fmt::Display); 3] =
        [("name", &name), ("is", &word(is_var)), ("want", &word(mutable))];
    (is_var != mutable).then(|| {
        let diag = rules::EXPORT_MUTABILITY.because(&facts).also(advertised.span, "advertised here");
        diag.help(format!("write `{is_var}` as the third argument of `@export_name`"))
    })
}

/// An exported symbol agrees with what the layout has advertised.
fn check_export(layout: &LayoutScope, name: &str, ty: &Ty, span: Span) -> Result<()> {
    let place = layout.find_export(name);
    if layout.exports().is_empty() && !layout.has_block() || place.is_none() && layout.has_failed() {
        return Ok(());
    }
    let Some(place) = place else {
        if layout.exports().is_empty() {
            let diag = rules::EXPORT_UNKNOWN.because(&[("name", &name)]).at(span);
            return Err(
                diag.help(format!("advertise it in the layout block: `@export_name(\"{name}\", ..)`"))
            );
        }
        let names = layout.exports().iter().map(|e| e.name.as_str());
        let c = rules::EXPORT_UNKNOWN.because(&[("name", &name)]).at(span);
        let near = suggest::nearest(name, names.clone());
        let near = near.or_else(|| names.clone().find(|other| other.eq_ignore_ascii_case(name)));
        let advertised: Vec<String> = names.take(12).map(|name| format!("`{name}`")).collect();
        return Err(match near {
            Some(near) => c.did_you_mean(name, near, near),
            None => c.help(format!(
                "export it under a name that the layout advertises ({}), or advertise it there: `@export_name(..)`",
                advertised.join(", ")
            )),
        });
    };
    let advertised = &layout.exports()[place];
    let agrees = match &advertised.kind {
        ExportKind::Fn { inputs } => matches!(ty, Ty::Fn(_)) && export_inputs(ty) == *inputs,
        ExportKind::Var { .. } => agree(ty, layout.export_type(place)),
    };
    if agrees {
        return Ok(());
    }
    let want = match &advertised.kind {
        ExportKind::Fn { inputs } => {
            let list: Vec<_> = inputs.iter().map(|s| s.name()).collect();
            format!("fn({})void", list.join(", "))
        }
        ExportKind::Var { ty, .. } => ty.clone(),
    };
    let c = rules::EXPORT_TYPE.because(&[("name", &name), ("have", ty), ("want", &want)]).at(span);
    let c = c.also(advertised.span, "advertised here");
    Err(match ty {
        _ if ty.to_string() == want => {
            c.help("declare the struct once, in a file that layout and tile import")
        }
        // The host reaches arrays through pointers only.
        Ty::Array(array) => {
            let elem = &array.elem;
            let pointer = format!("`var {name}_ptr: [*]{elem} = &{name};`");
            c.help(format!("export a pointer to it: {pointer}, `@export_symbol({name}_ptr, \"{name}\")`"))
        }
        _ => c,
    })
}

fn symbol_id(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let at = sema.span(call.args[0]);
    let Symbol { name, target, .. } = symbol(sema, call.args[0], at)?;
    let exported = sema.lower.tile.image.exports.iter().find(|e| e.target == target);
    let name = exported.map_or(name, |e| e.name.clone());
    let id = sema.layout.find_export(&name);
    let id = id.ok_or_else(|| rules::EXPORT_UNKNOWN.because(&[("name", &name)]).at(at))?;
    Ok(Operand::Known(Value::u16(id as u16 + 1)))
}

/// `@get_symbol_value(T, id)`
fn symbol_value(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let ty = sema.ty(call.args[0])?;
    symbol_behind(sema, call.args[1], ty, call.span)
}

/// `@get_tensor_ptr(id)`
fn tensor_pointer(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let ty = Ty::U16.pointer(false, true);
    symbol_behind(sema, call.args[0], ty, call.span)
}

/// What the advertised symbol with an id holds, as a value of this type.
fn symbol_behind(sema: &mut Sema<'_>, id: ExprId, ty: Ty, span: Span) -> Result<Operand> {
    let at = sema.span(id);
    let id = sema.value_as(id, &Ty::U16)?;
    let names: Vec<_> = sema.layout.exports().iter().map(|e| e.name.as_str()).collect();
    let names = names.join(",");
    let names = Operand::Known(Value::u32(sema.lower.tile.string(&names)));
    let Operand::Reg(address, _) =
        intrinsics::intrinsic(sema, Intrinsic::SymbolAddress, &[id, names], Ty::U16, at)?
    else {
        unreachable!("the intrinsic has a result")
    };
    let addr = Addr { base: Base::Reg(address), off: 0 };
    sema.load(&Place::Memory { addr, ty, writable: false, known: None }, span)
}

/// Whether two types are the same to the host. Each file declares its structs anew, and a `const` behind
/// a pointer makes no difference.
fn agree(have: &Ty, want: &Ty) -> bool {
    match (have, want) {
        (Ty::Ptr(a), Ty::Ptr(b)) => a.many == b.many && agree(&a.to, &b.to),
        (Ty::Array(a), Ty::Array(b)) => a.dims == b.dims && agree(&a.elem, &b.elem),
        (Ty::Struct(a), Ty::Struct(b)) => {
            let mut fields = a.fields.iter().zip(&b.fields);
            a.layout == b.layout
                && a.fields.len() == b.fields.len()
                && fields.all(|((_, have), (_, want))| agree(have, want))
        }
        _ => have == want || have.to_string() == want.to_string(),
    }
}

fn export_kind(ty: &Ty, mutable: bool) -> Result<ExportKind> {
    match ty {
        Ty::Fn(t) if t.params.len() > MAX_HOST_PARAMS => {
            Err(rules::EXPORT_PARAMS.because(&[("have", &t.params.len()), ("limit", &MAX_HOST_PARAMS)]))
        }
        Ty::Fn(_) => Ok(ExportKind::Fn { inputs: export_inputs(ty) }),
        _ => match export_element(ty) {
            Some(element) if !matches!(ty, Ty::Array(_) | Ty::Struct(_) | Ty::Enum(_)) => {
                Ok(ExportKind::Var { ty: ty.to_string(), element, mutable })
            }
            _ => Err(rules::EXPORT_KIND
                .because(&[("type", ty)])
                .help("export a pointer such as `[*]f32`, or a function")),
        },
    }
}

/// The scalar behind an exported pointer or variable.
fn export_element(ty: &Ty) -> Option<Scalar> {
    let data = match ty {
        Ty::Ptr(p) => &p.to,
        Ty::Fn(_) => return None,
        other => other,
    };
    element_of(data).or_else(|| words_of_structs(data))
}

/// The host sees structs as the words that they consist of, of 32 bits if it can.
fn words_of_structs(ty: &Ty) -> Option<Scalar> {
    let one = match ty {
        Ty::Array(a) => &a.elem,
        other => other,
    };
    match one {
        Ty::Struct(_) if one.words()?.is_multiple_of(2) => Some(Scalar::U32),
        Ty::Struct(_) => Some(Scalar::U16),
        _ => None,
    }
}

fn export_inputs(ty: &Ty) -> Vec<Scalar> {
    match ty {
        Ty::Fn(t) => t.params.iter().flatten().filter_map(|t| repr(t).map(|r| r.scalar)).collect(),
        _ => Vec::new(),
    }
}

//! Other files: `@import_module` and `@import_comptime_value`.

use super::arguments;
use super::entry::{Builtin, Call, Phase, Run, USUAL};
use crate::diagnostics::Result;
use crate::diagnostics::rules::comptime as rules;
use crate::sema::arith;
use crate::sema::mismatch::mismatch;
use crate::sema::unit::DeclState;
use crate::sema::value::{Elems, InstanceId, Value};
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::{self, Decl, ExprId, ExprKind};
use crate::value::float::FloatKind;
use crate::value::ty::{ArrayTy, IdKind, Ty};
use indexmap::IndexMap;
use smol_str::SmolStr;
use std::sync::Arc;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "import_module", takes: 1..=2, phase: Phase::Global,
        usage: "@import_module(path, .{..})",
        doc: "a copy of another file",
        run: Run::Global(|s, call, decl| import_module(s, call, &decl.name.name)), ..USUAL },
    Builtin { name: "import_comptime_value", takes: 2..=2, phase: Phase::Anywhere,
        usage: "@import_comptime_value(T, file)",
        doc: "a value from a JSON file",
        run: Run::Known(|s, call| import_value(s, call.args[0], call.args[1])), ..USUAL },
];

fn import_module(sema: &mut Sema<'_>, call: Call<'_>, name: &str) -> Result<Value> {
    let args = call.args;
    let path_span = sema.span(args[0]);
    let path = sema.known(args[0])?;
    let path = path.as_str().ok_or_else(|| {
        rules::TYPE_MISMATCH.because(&[("want", &Ty::String), ("have", &path.ty())]).at(path_span)
    })?;
    let mut params = IndexMap::new();
    if let Some(p) = args.get(1) {
        let at = sema.span(*p);
        let v = sema.known(*p)?;
        let fields = v.fields().ok_or_else(|| {
            rules::TYPE_MISMATCH.because(&[("want", &"a struct"), ("have", &v.ty())]).at(at)
        })?;
        params.extend(fields);
    }
    // Traces had no `.key` before SDK 1.0: hosts asked for them by the name of the module.
    if path == "<debug>" {
        params.entry("key".into()).or_insert_with(|| Value::str(name));
    }
    import(sema, &path, params, name, path_span)
}

fn import(
    sema: &mut Sema<'_>,
    path: &str,
    params: IndexMap<ast::Name, Value>,
    name: &str,
    span: Span,
) -> Result<Value> {
    let importer = sema.frame().instance;
    let from = sema.instance(importer).unit.path.clone();
    let unit = sema.find_unit(&from, path, span)?;
    let key = unit.path.clone();
    sema.files.check_cycle(&key, span)?;
    let outer = sema.instance(importer).name.clone();
    let full = if outer.is_empty() { name.to_string() } else { format!("{outer}.{name}") };
    let id = sema.instantiate_module(unit, params, full, Some(importer), Some(span));
    sema.instance_mut(importer).imports.push(id);
    sema.files.begin_import(key, span);
    let result = import_all(sema, id);
    sema.files.end_import();
    result.map(|()| Value::Module(id))
}

/// Imports of a module happen at once, so that cycles show as what they are.
fn import_all(sema: &mut Sema<'_>, id: InstanceId) -> Result<()> {
    let unit = sema.instance(id).unit.clone();
    for (i, decl) in unit.file.decls.iter().enumerate() {
        let Decl::Var(v) = decl else { continue };
        let is_import = v.init.is_some_and(|e| {
            matches!(&unit.file.expr(e).kind, ExprKind::Builtin { name, .. } if name.name == "import_module")
        });
        if is_import && matches!(sema.instance(id).decls[i], DeclState::Untouched) {
            sema.resolve(id, i as u32)?;
        }
    }
    Ok(())
}

fn import_value(sema: &mut Sema<'_>, ty: ExprId, path: ExprId) -> Result<Value> {
    let at = sema.span(path);
    let ty = sema.ty(ty)?;
    let name = arguments::known_str(sema, path)?;
    let text = sema.files.data(&sema.frame().unit.path, &name);
    let text = text.map_err(|why| sema.files.unreadable(&name, why).at(at))?;
    let bad = |why: String| rules::BAD_JSON.because(&[("file", &name), ("why", &why)]).at(at);
    let json: serde_json::Value = serde_json::from_str(&text).map_err(|e| bad(e.to_string()))?;
    let v = from_json(&json).ok_or_else(|| bad(NO_VALUE.to_string()))?;
    if ty == Ty::ComptimeStruct {
        return Ok(v);
    }
    as_type(&v, &ty).map_err(|_| {
        let diag = rules::TYPE_MISMATCH.because(&[("want", &ty), ("have", &v.ty())]).at(at);
        diag.label(format!("`{name}` holds {}", v.ty()))
    })
}

const NO_VALUE: &str = "null has no value in CSL, and the elements of an array have one type";

/// An imported value as one of a type: colors are written as their numbers, and an array of several dimensions as one of
/// arrays or as all of its elements in a row.
fn as_type(v: &Value, ty: &Ty) -> Result<Value> {
    match (ty, v) {
        (Ty::Id(kind @ IdKind::Color), Value::Int(_, n)) => {
            let number = n.to::<u16>().filter(|n| *n < 32).ok_or_else(|| mismatch(ty, &v.ty()))?;
            Ok(Value::Id(*kind, number))
        }
        (Ty::Array(a), Value::Array(_)) => {
            let mut elements = Vec::new();
            in_a_row(v, &mut elements);
            if elements.len() as u64 != a.len() {
                return Err(mismatch(ty, &v.ty()));
            }
            let elements = elements.iter().map(|v| as_type(v, &a.elem)).collect::<Result<_>>()?;
            Ok(Value::array(a.clone(), Elems::List(elements)))
        }
        _ => arith::coerce(v, ty),
    }
}

/// The type that a key names: `i16`, `color`, `[2, 3]f32`.
fn type_named(text: &str) -> Option<Ty> {
    let Some(array) = text.strip_prefix('[') else { return Ty::predeclared(text) };
    let (dims, elem) = array.split_once(']')?;
    let dims = dims.split(',').map(|n| n.trim().parse().ok()).collect::<Option<Vec<u32>>>()?;
    dims.iter().try_fold(1u32, |all, n| all.checked_mul(*n))?;
    Some(Ty::Array(Arc::new(ArrayTy { dims, elem: Ty::predeclared(elem.trim())? })))
}

fn in_a_row(v: &Value, elements: &mut Vec<Value>) {
    match v {
        Value::Array(a) => (0..a.ty.len()).filter_map(|i| a.get(i)).for_each(|v| in_a_row(v, elements)),
        _ => elements.push(v.clone()),
    }
}

/// A JSON value as a comptime value; keys of objects are written `name:type`.
fn from_json(json: &serde_json::Value) -> Option<Value> {
    Some(match json {
        serde_json::Value::Bool(b) => Value::Bool(*b),
        serde_json::Value::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(n), _) => Value::int(n.into()),
            (None, Some(n)) => Value::int(n.into()),
            (None, None) => Value::Float(FloatKind::Comptime, n.as_f64()?),
        },
        serde_json::Value::String(s) => Value::str(s),
        serde_json::Value::Array(all) => {
            let list = all.iter().map(from_json).collect::<Option<Vec<_>>>()?;
            let elem = arith::peer(&list.iter().map(Value::ty).collect::<Vec<_>>())?;
            let mut list = list.iter().map(|v| arith::coerce(v, &elem).ok()).collect::<Option<Vec<_>>>()?;
            let (mut dims, mut ty) = (vec![list.len() as u32], elem);
            if let Ty::Array(inner) = ty {
                let mut elements = Vec::new();
                list.iter().for_each(|row| in_a_row(row, &mut elements));
                dims.extend(&inner.dims);
                (list, ty) = (elements, inner.elem.clone());
            }
            Value::array(Arc::new(ArrayTy { dims, elem: ty }), Elems::List(list))
        }
        serde_json::Value::Object(map) => {
            let field = |(key, v): (&String, &serde_json::Value)| {
                let (name, ty) = key.split_once(':').unwrap_or((key, ""));
                let v = from_json(v)?;
                let v = match type_named(ty.trim()) {
                    Some(ty) => as_type(&v, &ty).ok()?,
                    None => v,
                };
                Some((SmolStr::new(name.trim()), v))
            };
            Value::anon(map.iter().map(field).collect::<Option<_>>()?)
        }
        serde_json::Value::Null => return None,
    })
}

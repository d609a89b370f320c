//! Other files: `@import_module` and `@import_comptime_value`.

use super::entry::{Builtin, Call, Phase, Run, USUAL};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Diag, Result};
use crate::sema::arith;
use crate::sema::unit::DeclState;
use crate::sema::value::{Elems, InstanceId, Value};
use crate::sema::world::Sema;
use crate::source::Span;
use crate::syntax::ast::{self, Decl, ExprId, ExprKind};
use crate::value::float::FloatKind;
use crate::value::ty::{ArrayTy, Ty};
use indexmap::IndexMap;
use smol_str::SmolStr;
use std::path::Path;
use std::sync::Arc;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "import_module", takes: 1..=2, phase: Phase::Global,
        usage: "@import_module(path, .{..})",
        doc: "a copy of another file",
        run: Run::Global(|s, call, decl| s.import_module(call, &decl.name.name)), ..USUAL },
    Builtin { name: "import_comptime_value", takes: 2..=2, phase: Phase::Anywhere,
        usage: "@import_comptime_value(T, file)",
        doc: "a value from a JSON file",
        run: Run::Known(|s, call| s.import_value(call.args[0], call.args[1])), ..USUAL },
];

impl Sema<'_> {
    fn import_module(&mut self, call: Call<'_>, name: &str) -> Result<Value> {
        let args = call.args;
        let path_span = self.span(args[0]);
        let path = self.known(args[0])?;
        let path = path.as_str().ok_or_else(|| {
            rules::TYPE_MISMATCH.because(&[("want", &Ty::String), ("have", &path.ty())]).at(path_span)
        })?;
        let mut params = IndexMap::new();
        if let Some(p) = args.get(1) {
            let at = self.span(*p);
            let v = self.known(*p)?;
            let fields = v.fields().ok_or_else(|| {
                rules::TYPE_MISMATCH.because(&[("want", &"a struct"), ("have", &v.ty())]).at(at)
            })?;
            params.extend(fields);
        }
        self.import(&path, params, name, path_span)
    }

    fn import(
        &mut self,
        path: &str,
        params: IndexMap<ast::Name, Value>,
        name: &str,
        span: Span,
    ) -> Result<Value> {
        let importer = self.frame().instance;
        let from = self.instance(importer).unit.path.clone();
        let unit = self.find_unit(&from, path, span)?;
        let key = unit.path.clone();
        if let Some(at) = self.importing.iter().position(|(p, _)| *p == key) {
            return Err(self.import_cycle(at, &key, span));
        }
        let outer = self.instance(importer).name.clone();
        let full = if outer.is_empty() { name.to_string() } else { format!("{outer}.{name}") };
        let id = self.instantiate_module(unit, params, full, Some(importer), Some(span))?;
        self.instance_mut(importer).imports.push(id);
        self.importing.push((key, Some(span)));
        let result = self.import_all(id);
        self.importing.pop();
        result.map(|()| Value::Module(id))
    }

    /// Imports of a module happen at once, so that cycles show as what they are.
    fn import_all(&mut self, id: InstanceId) -> Result<()> {
        let unit = self.instance(id).unit.clone();
        for (i, decl) in unit.file.decls.iter().enumerate() {
            let Decl::Var(v) = decl else { continue };
            let is_import = v.init.is_some_and(|e| {
                matches!(&unit.file.expr(e).kind, ExprKind::Builtin { name, .. } if name.name == "import_module")
            });
            if is_import && matches!(self.instance(id).decls[i], DeclState::Untouched) {
                self.resolve(id, i as u32)?;
            }
        }
        Ok(())
    }

    fn import_cycle(&self, first: usize, path: &Path, span: Span) -> Diag {
        let chain: Vec<String> = self.importing[first..]
            .iter()
            .map(|(p, _)| p.clone())
            .chain([path.to_path_buf()])
            .map(|p| p.display().to_string())
            .collect();
        let mut diag = rules::IMPORT_CYCLE.because(&[("chain", &chain.join(" -> "))]).at(span);
        for (p, at) in &self.importing[first + 1..] {
            if let Some(at) = at {
                diag = diag.also(*at, format!("`{}` is imported here", p.display()));
            }
        }
        diag
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

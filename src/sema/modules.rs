//! The copies of files that make up a tile, or the layout.

use super::unit::{DeclState, Instance, Unit};
use super::value::{FnRef, InstanceId, Value};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, suggest};
use crate::source::Span;
use crate::syntax::ast::{Decl, Linkage, Name, VarDecl, VarKind};
use indexmap::IndexMap;
use std::rc::Rc;

/// What stands between the name of a function of the library and the number of its arguments.
pub const VARIANT: &str = "__with_";

/// The modules of one tile, or of the layout.
#[derive(Debug, Default)]
pub struct Modules {
    instances: Vec<Instance>,
    /// A top-level comptime block has ended with an error: what stands behind it was not done.
    has_failed_block: bool,
}

impl Modules {
    /// A module.
    pub fn get(&self, id: InstanceId) -> &Instance {
        &self.instances[id.0 as usize]
    }

    /// The module that was added after so many others.
    pub fn nth(&self, n: usize) -> Option<InstanceId> {
        (n < self.instances.len()).then_some(InstanceId(n as u32))
    }

    /// A module, to change.
    pub fn get_mut(&mut self, id: InstanceId) -> &mut Instance {
        &mut self.instances[id.0 as usize]
    }

    /// The file in which a function stands, and the index of its declaration.
    pub fn function(&self, f: FnRef) -> (Rc<Unit>, usize) {
        (self.get(f.instance).unit.clone(), f.decl as usize)
    }

    /// The name of a function as the host and messages show it.
    pub fn function_name(&self, f: FnRef) -> String {
        let (unit, decl) = self.function(f);
        let name = &unit.function(decl).name.name;
        match self.get(f.instance).name.as_str() {
            "" => name.to_string(),
            module => [module, ".", name].concat(),
        }
    }

    /// The name of a global in the symbol table, unless its declaration gives it another one.
    pub fn global_name(&self, instance: InstanceId, v: &VarDecl) -> String {
        let module = &self.get(instance).name;
        if module.is_empty() || v.linkage == Linkage::Export {
            return v.name.name.to_string();
        }
        [module, ".", &v.name.name].concat()
    }

    /// The function of the library that takes so many arguments: `name__with_1` is `name` with one.
    pub fn overload(&self, f: FnRef, count: usize) -> FnRef {
        let (unit, decl) = self.function(f);
        let function = unit.function(decl);
        if !unit.library || function.params.len() == count {
            return f;
        }
        let other = unit.names.get(format!("{}{VARIANT}{count}", function.name.name).as_str());
        other.map_or(f, |decl| FnRef { decl: *decl, ..f })
    }

    /// A new copy of a file; `importer` and `imported_at` say which module imports it, and where.
    pub fn add(
        &mut self,
        unit: Rc<Unit>,
        params: IndexMap<Name, Value>,
        name: String,
        importer: Option<InstanceId>,
        imported_at: Option<Span>,
    ) -> InstanceId {
        let decls = unit.file.decls.iter().map(|d| match d {
            Decl::Fn(f) if f.linkage != Linkage::Extern => DeclState::Fn,
            _ => DeclState::Untouched,
        });
        let decls = decls.collect();
        let id = InstanceId(self.instances.len() as u32);
        self.instances.push(Instance {
            unit,
            params,
            decls,
            name,
            importer,
            imported_at,
            imports: Vec::new(),
            blocks_done: false,
        });
        id
    }

    /// Warnings about values for parameters that a module does not have.
    pub fn unknown_params(&self, id: InstanceId) -> Vec<Diag> {
        let Instance { unit, params, imported_at, importer, .. } = self.get(id);
        let is_open = || !LIBRARY_WITH_PARAMS.iter().any(|path| unit.path.as_os_str() == *path);
        let by_library = || importer.is_some_and(|importer| self.get(importer).unit.library);
        if unit.library && (is_open() || by_library()) {
            return Vec::new();
        }
        let is_declared = |name: &&Name| {
            let declared = unit.names.get(*name).map(|i| &unit.file.decls[*i as usize]);
            matches!(declared, Some(Decl::Var(v)) if v.kind == VarKind::Param)
        };
        let diag = |name| match imported_at {
            Some(at) => unknown_param(name, unit).at(*at),
            None => unknown_param(name, unit),
        };
        let unknown: Vec<&Name> = params.keys().filter(|name| !is_declared(name)).collect();
        match unknown.as_slice() {
            // A whole struct was given, and not one that holds it.
            [first, others @ ..] if others.len() >= MOST_UNKNOWN => {
                let others: Vec<_> = others.iter().map(|name| format!("`{name}`")).collect();
                let one = params_of(unit).next().unwrap_or("params");
                let diag = rules::UNKNOWN_PARAM.because(&[("name", first), ("file", &unit.path.display())]);
                let diag = diag.note(format!("nor has it {}", others.join(", ")));
                let diag = diag
                    .help(format!("to give a whole struct to one parameter, name it: `.{{ .{one} = .. }}`"));
                vec![match imported_at {
                    Some(at) => diag.at(*at),
                    None => diag,
                }]
            }
            few => few.iter().map(|name| diag(name)).collect(),
        }
    }

    /// The declarations that export a symbol, in the order of the files.
    pub fn exporting(&self) -> impl Iterator<Item = (InstanceId, u32)> {
        self.instances.iter().enumerate().flat_map(|(i, instance)| {
            let is_exported = |d: &Decl| d.linkage() == Linkage::Export;
            let decls = instance.unit.file.decls.iter().enumerate().filter(move |(_, d)| is_exported(d));
            decls.map(move |(decl, _)| (InstanceId(i as u32), decl as u32))
        })
    }

    /// The declarations that nobody else sees, but that give a `linkname`.
    pub fn with_linkname(&self) -> impl Iterator<Item = (InstanceId, u32)> {
        self.instances.iter().enumerate().flat_map(|(i, instance)| {
            let is_it = |d: &Decl| match d {
                Decl::Var(v) => v.linkage == Linkage::Plain && v.attrs.linkname.is_some(),
                Decl::Fn(_) | Decl::Layout(..) | Decl::Comptime(..) => false,
            };
            let decls = instance.unit.file.decls.iter().enumerate().filter(move |(_, d)| is_it(d));
            decls.map(move |(decl, _)| (InstanceId(i as u32), decl as u32))
        })
    }

    /// The comptime blocks of a module are evaluated now; whether they were before.
    pub fn begin_blocks(&mut self, id: InstanceId) -> bool {
        std::mem::replace(&mut self.get_mut(id).blocks_done, true)
    }

    /// A top-level comptime block has ended with an error.
    pub fn fail_block(&mut self) {
        self.has_failed_block = true;
    }

    /// Whether one has.
    pub fn has_failed_block(&self) -> bool {
        self.has_failed_block
    }
}

/// Values for unknown parameters beside the first, from which on they have one message.
const MOST_UNKNOWN: usize = 3;

/// Modules of the library that have no parameters but those that their documentation lists.
const LIBRARY_WITH_PARAMS: [&str; 6] =
    ["<collectives_2d/pe>", "<debug>", "<malloc>", "<message_passing>", "<simprint>", "<timer>"];

/// The warning about a value for a parameter that a file does not have.
pub fn unknown_param(name: &str, unit: &Unit) -> Diag {
    let c = rules::UNKNOWN_PARAM.because(&[("name", &name), ("file", &unit.path.display())]);
    suggest::instead(c, name, params_of(unit), "its parameters are")
}

/// The names of the parameters of a file.
fn params_of(unit: &Unit) -> impl Iterator<Item = &str> {
    unit.file.decls.iter().filter_map(|d| match d {
        Decl::Var(v) if v.kind == VarKind::Param => Some(v.name.name.as_str()),
        _ => None,
    })
}

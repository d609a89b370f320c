//! What to write instead, where a diagnostic about names and types can say it.

use super::eval::EvalFrame;
use super::files::Files;
use super::mismatch::{ADDRESS, ADDRESS_OF_ELEMENT};
use super::walk::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, counted};
use crate::dsd::ops;
use crate::source::Span;
use crate::stdlib;
use crate::syntax::ast::{Decl, ExprId, ExprKind, FnDecl, FnParam};
use crate::syntax::foreign;
use crate::value::float::FloatKind;
use crate::value::ty::{IdKind, Ty};

/// Shows the text that a diagnostic is about in its help, in place of `..`.
pub fn with_text(files: &Files<'_>, mut diag: Diag) -> Diag {
    let d = &mut *diag.0;
    if !d.has_own_help || d.rule != rules::TYPE_MISMATCH.name {
        return diag;
    }
    let Some(place) = d.primary.as_ref().map(|label| label.span) else { return diag };
    // Of a field only its value is an expression.
    let text = files.text(place);
    let text = match text.split_once('=') {
        Some((name, value)) if name.starts_with('.') && !name.starts_with(".{") => value.trim_start(),
        _ => text,
    };
    let is_about_address =
        d.help.as_deref().is_some_and(|help| [ADDRESS, ADDRESS_OF_ELEMENT].contains(&help));
    if is_about_address && !names_place(text) {
        (d.help, d.has_own_help) = (None, false);
        return diag;
    }
    let is_short = !text.is_empty() && text.len() <= 40 && !text.contains('\n');
    if let Some(help) = d.help.as_mut().filter(|_| is_short) {
        *help = help.replacen("..", text, 1);
    }
    diag
}

/// Whether a text is a name, perhaps with fields and indices behind it: what has an address.
fn names_place(text: &str) -> bool {
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_suffixed = |c: char| c.is_ascii_alphanumeric() || "_.[]*".contains(c);
    is_name && text.chars().all(is_suffixed)
}

/// What a name means that other languages have, or the library.
pub fn elsewhere(frame: &EvalFrame, name: &str) -> Option<String> {
    if foreign::prints(name) {
        return Some(format!("to print, write {}", foreign::PRINTING));
    }
    let meant = foreign::value_of_csl(name).map(str::to_string);
    meant.or_else(|| usual_module(name)).or_else(|| of_library(frame, name))
}

/// How to import the module of the library that has a name in most programs.
fn usual_module(name: &str) -> Option<String> {
    let import = match name {
        "sys_mod" => "\"<memcpy/memcpy>\", memcpy_params".to_string(),
        "memcpy" => "\"<memcpy/get_params>\", .{ .width = width, .height = height }".to_string(),
        name => stdlib::find(name).map(|_| format!("\"<{name}>\""))?,
    };
    Some(format!("import it: `const {name} = @import_module({import});`"))
}

/// How to reach a function of the library.
fn of_library(frame: &EvalFrame, name: &str) -> Option<String> {
    let declares = |module: &&str| {
        let text = stdlib::find(module).unwrap_or_default();
        text.contains(&format!("\nfn {name}(")) || text.contains(&format!("\ninline fn {name}("))
    };
    // Numbers are meant more often than vectors, which have functions of the same names.
    let modules = stdlib::names().filter(|module| !module.contains('/') && *module != "math");
    let module = std::iter::once("math").chain(modules).find(declares)?;
    let imported = frame.unit.file.decls.iter().find_map(|decl| {
        let Decl::Var(v) = decl else { return None };
        let ExprKind::Builtin { args, .. } = &frame.unit.file.expr(v.init?).kind else { return None };
        let ExprKind::Str(path) = &frame.unit.file.expr(*args.first()?).kind else { return None };
        (*path == format!("<{module}>").as_bytes()).then(|| v.name.name.to_string())
    });
    Some(match imported {
        Some(bound) => format!("write `{bound}.{name}`"),
        None => format!(
            "write `const {module} = @import_module(\"<{module}>\");`, and then `{module}.{name}(..)`"
        ),
    })
}

/// `i16(x)` and `float(x)`: a type that is called.
pub fn cast_by_call(sema: &mut Sema<'_>, callee: ExprId, args: &[ExprId], span: Span) -> Option<Diag> {
    let unit = sema.unit();
    let ExprKind::Name(name) = &unit.file.expr(callee).kind else { return None };
    let ([arg], Some(ty)) = (args, foreign::meant_type(name)) else { return None };
    if sema.eval.local(name).is_some() || unit.names.contains_key(name) {
        return None;
    }
    let instead = format!("@as({ty}, {})", sema.snippet(*arg));
    let diag = rules::NOT_CALLABLE.because(&[("type", &format!("the type `{name}`"))]).at(sema.span(callee));
    Some(diag.help(format!("write `{instead}`")).replace(span, instead))
}

/// A better help for `value.function(..)`, which other languages read as a call of a function of the type.
pub fn method(sema: &Sema<'_>, mut diag: Diag, callee: ExprId, args: &[ExprId]) -> Diag {
    let unit = sema.unit();
    let ExprKind::Field { base, name } = &unit.file.expr(callee).kind else { return diag };
    if diag.rule() != rules::UNKNOWN_FIELD.name || !unit.names.contains_key(&name.name) {
        return diag;
    }
    let all: Vec<String> = std::iter::once(base).chain(args).map(|arg| sema.snippet(*arg)).collect();
    (diag.0.has_own_help, diag.0.fix) = (false, None);
    diag.help(format!("types have no functions of their own: write `{}({})`", name.name, all.join(", ")))
}

/// The help for a parameter that has only a name, as in `fn f(a, b)`: the name is read as a type.
pub fn parameter_without_type(mut diag: Diag, param: &FnParam, name: &str) -> Diag {
    let is_plain = foreign::value_of_csl(name).is_none();
    if param.name.is_none() && is_plain && diag.rule() == rules::UNKNOWN_NAME.name {
        diag.0.has_own_help = false;
        diag.0.fix = None;
        diag = diag.help(format!("write its type, such as `{name}: i16`"));
    }
    diag
}

/// The diagnostic about `anytype` where a type is needed.
pub fn any_type() -> Diag {
    let diag = rules::NOT_A_TYPE.because(&[("have", &"anytype")]);
    diag.help("only parameters are `anytype`: write a type, or that of a parameter, `@type_of(x)`")
}

/// The help for a type that is called: how its values are written.
pub fn value_of_type(diag: Diag, ty: &Ty) -> Diag {
    match ty {
        Ty::Struct(_) => {
            let fields: Vec<String> = ty.field_names().iter().map(|field| format!(".{field} = ..")).collect();
            diag.help(format!("write `{ty}{{ {} }}`", fields.join(", ")))
        }
        Ty::Array(_) => diag.help(format!("write the elements between braces: `{ty}{{ .. }}`")),
        Ty::Range => diag.help("write `@range(..)`"),
        _ => diag,
    }
}

/// A better help for a value of another type than the one that is asked for.
pub fn on_value(sema: &Sema<'_>, diag: Diag, id: ExprId, want: &Ty) -> Diag {
    let unit = sema.unit();
    let ExprKind::Builtin { name, args } = &unit.file.expr(id).kind else { return diag };
    let makes_array = matches!(name.name.as_str(), "zeros" | "constants");
    let ([ty, ..], Ty::Array(_), true) = (args.as_slice(), want, makes_array) else { return diag };
    if diag.rule() != rules::TYPE_MISMATCH.name {
        return diag;
    }
    // The help about a single element says less.
    let mut diag = diag;
    diag.0.has_own_help = false;
    let rest = if args.len() > 1 { ", .." } else { "" };
    let help = format!("write `@{}({want}{rest})`", name.name);
    diag.help(help).replace(sema.span(*ty), want.to_string())
}

/// The diagnostic about a loop over a value of a type that has no elements.
pub fn not_iterable(ty: &Ty) -> Diag {
    match ty {
        Ty::Anon(anon) if anon.names.is_none() => rules::NOT_ITERABLE
            .because(&[("type", &"a tuple")])
            .help("write an array, such as `[2]u16{ .. }`, or a statement for each value"),
        ty => rules::NOT_ITERABLE.because(&[("type", ty)]),
    }
}

/// The help for a value that a function without a result returns.
pub fn on_result(sema: &Sema<'_>, diag: Diag, value: ExprId, ret: &Ty) -> Diag {
    if *ret != Ty::Void || diag.rule() != rules::TYPE_MISMATCH.name {
        return diag;
    }
    let is_task = sema.lower.writing().is_some_and(|f| {
        let (unit, decl) = sema.modules.function(f);
        unit.function(decl).task
    });
    let help = match &sema.unit().file.expr(value).kind {
        ExprKind::Int(_) => "write `return;`: a function of type `void` has no result",
        _ if is_task => "write `return;`: a task has no result",
        _ => "write the type of this value in place of `void` in the head of the function",
    };
    diag.help(help)
}

/// The help for an array of so many dimensions with another number of indices.
pub fn advice_on_indices(array: &str, dims: usize, indices: &[String]) -> String {
    match (dims, indices) {
        (1, [row, column]) => format!(
            "write `{array}[{row} * n + {column}]` with rows of n elements, or declare the array with two dimensions: \
             `[m, n]T`"
        ),
        _ => "write one index for each dimension, such as `[i, j]` for two".to_string(),
    }
}

/// The help for an operator on operands of such types.
pub fn on_operands(op: &str, left: &Ty, right: &Ty) -> Option<String> {
    let element = |ty: &Ty| match ty {
        Ty::Array(array) => Some(array.elem.clone()),
        _ => None,
    };
    if let Some(element) = element(left).or_else(|| element(right)) {
        return Some(on_elements(op, &element));
    }
    let is_text = |ty: &Ty| *ty == Ty::String;
    if op == "+" && is_text(left) && is_text(right) {
        return Some("write `@strcat(a, b)`".to_string());
    }
    on_kinds(op, left, right)
}

/// The help for an operator on arrays of such elements, with two operands.
fn on_elements(op: &str, element: &Ty) -> String {
    let (before, behind) = match element {
        Ty::Float(FloatKind::F32) => ("f", "s"),
        Ty::Float(_) => ("f", "h"),
        Ty::Int(int) if int.bits == 16 => ("", "16"),
        _ => return ELEMENTS.into(),
    };
    let stem = match op {
        "+" => "add",
        "-" => "sub",
        "*" => "mul",
        _ => return ELEMENTS.into(),
    };
    let name = format!("{before}{stem}{behind}");
    match ops::lookup(&name) {
        Some(_) => format!("operators take single numbers: for arrays use DSDs, and `@{name}`"),
        None => ELEMENTS.into(),
    }
}

/// The help for an operator that no DSD operation stands for.
pub const ELEMENTS: &str =
    "operators take single numbers: apply it to the elements, in a loop or with `@map`";

/// The help for an operator on operands of these kinds, at least one of which takes no such operator.
fn on_kinds(op: &str, left: &Ty, right: &Ty) -> Option<String> {
    let is_comparison = matches!(op, "==" | "!=" | "<" | "<=" | ">" | ">=");
    Some(match (left, right) {
        (Ty::Dsd(_), Ty::Dsd(_)) if !is_comparison => {
            "operators take single numbers: an operation such as `@fadds(dest, a, b)` adds vectors"
                .to_string()
        }
        (Ty::Dsd(_), other) | (other, Ty::Dsd(_)) if other.is_numeric() && !is_comparison => {
            "an operation such as `@fadds(dest, a, number)` computes with the elements; \
             `@increment_dsd_offset(dsd, n, T)` gives a DSD that begins n elements later"
                .to_string()
        }
        (Ty::Ptr(p), n) if n.is_int() && p.many => {
            "pointers do not move: `p[n]` is the element n behind it".to_string()
        }
        (Ty::Ptr(_), n) if n.is_numeric() => "`p.*` is the value that the pointer leads to".to_string(),
        (Ty::Id(IdKind::Color), n) if n.is_int() => {
            "compute with its number: `@get_color(@get_int(c) + 1)`".to_string()
        }
        (Ty::Id(kind), n) if n.is_int() => {
            format!("compute with its number: `@get_int(..)`, and make a {} of the result", kind.name())
        }
        (Ty::Struct(_) | Ty::Union(_) | Ty::Anon(_), _) if is_comparison => {
            "compare the fields one by one".to_string()
        }
        (Ty::Enum(e), n) | (n, Ty::Enum(e)) if n.is_int() && is_comparison => {
            format!(
                "compare it with a name of {}, or its number, `@as({}, ..)`",
                Ty::Enum(e.clone()),
                Ty::Int(e.repr)
            )
        }
        (Ty::Enum(e), n) | (n, Ty::Enum(e)) if n.is_int() => {
            format!("compute with its number: `@as({}, ..)`", Ty::Int(e.repr))
        }
        (Ty::Bool, Ty::Bool) => match op {
            "&" => "write `and`".to_string(),
            "|" => "write `or`".to_string(),
            "^" => "write `!=`".to_string(),
            _ => return None,
        },
        (Ty::Bool, n) | (n, Ty::Bool) if n.is_numeric() => match is_comparison {
            true => format!("compare two numbers: `@as({n}, ..)` of true is 1"),
            false => format!("convert the bool: `@as({n}, ..)` of true is 1"),
        },
        (Ty::Type, n) if op == "==" && n.is_numeric() => {
            "write `=` to give a declaration its value".to_string()
        }
        (Ty::Float(_), Ty::Float(_)) if !is_comparison => {
            format!("floats have no `{op}`: convert them to integers with `@as`")
        }
        _ => return None,
    })
}

/// The diagnostic about a call with another number of arguments than the function takes.
pub fn wrong_count(function: &FnDecl, have: usize) -> Diag {
    let (name, want) = (&function.name.name, function.params.len());
    let facts: [(&str, &dyn std::fmt::Display); 3] =
        [("name", &format!("`{name}`")), ("want", &counted(want as u64, "argument")), ("have", &have)];
    let diag = rules::ARGUMENT_COUNT.because(&facts).also(function.span, "declared here");
    diag.help(match want {
        0 => format!("write `{name}()`"),
        _ => format!("write `{name}({})`, with a value for each parameter", parameters(function)),
    })
}

/// The names of the parameters, as a call would list them.
fn parameters(function: &FnDecl) -> String {
    let names = function.params.iter().map(|p| p.name.as_ref().map_or("..", |n| n.name.as_str()));
    names.collect::<Vec<_>>().join(", ")
}

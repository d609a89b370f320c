//! What to write instead of a builtin that does not exist.

use super::conversions::type_of;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, suggest};
use crate::dsd::ops;
use crate::sema::advice::elsewhere;
use crate::sema::walk::Sema;
use crate::syntax::ast::{Decl, ExprId, ExprKind, Ident};
use crate::syntax::foreign;
use crate::value::float::FloatKind;
use crate::value::ty::{IntTy, Ty};

/// The diagnostic about a builtin that does not exist.
pub fn unknown_builtin(sema: &mut Sema<'_>, name: &Ident, args: &[ExprId], known: &[&str]) -> Diag {
    let c = rules::UNKNOWN_BUILTIN.because(&[("name", &name.name)]).at(name.span);
    if is_function(sema, &name.name) {
        return c.did_you_mean(&format!("@{}", name.name), &name.name, &name.name);
    }
    if let Some(help) = successor(&name.name) {
        return c.help(help);
    }
    if foreign::prints(&name.name) {
        return c.help(format!("to print, write {}", foreign::PRINTING));
    }
    if let Some(op) = operation(sema, &name.name, args) {
        return c.did_you_mean(&name.name, op, format!("@{op}"));
    }
    if let Some(help) = elsewhere(sema.frame(), &name.name) {
        return c.help(help);
    }
    if let Some(near) = suggest::nearest(&name.name, known.iter().copied()) {
        return c.did_you_mean(&name.name, near, format!("@{near}"));
    }
    match by_words(&name.name, known).as_slice() {
        [] => c,
        [one] => c.did_you_mean(&name.name, one, format!("@{one}")),
        some => {
            let listed: Vec<String> = some.iter().map(|name| format!("`@{name}`")).collect();
            c.help(format!("did you mean one of {}?", listed.join(", ")))
        }
    }
}

/// Whether the file declares a function of this name.
fn is_function(sema: &Sema<'_>, name: &str) -> bool {
    let unit = sema.unit();
    unit.names.get(name).is_some_and(|decl| matches!(unit.file.decls[*decl as usize], Decl::Fn(_)))
}

/// The builtins whose names have most words in common with this one, if either name has all words of the other.
fn by_words<'n>(name: &str, known: &[&'n str]) -> Vec<&'n str> {
    const MOST: usize = 4;
    let given = words(name);
    let mut near: Vec<(usize, &str)> = Vec::new();
    for candidate in known {
        let own = words(candidate);
        let common = own.iter().filter(|word| given.contains(word)).count();
        let all = own.len() + given.len() - common;
        if common > 0 && common == own.len().min(given.len()) {
            // Few of one size are compared, so fractions of the words become whole numbers.
            near.push((1000 * common / all, candidate));
        }
    }
    let best = near.iter().map(|(score, _)| *score).max().unwrap_or_default();
    let best: Vec<&str> = near.iter().filter(|(score, _)| *score == best).map(|(_, name)| *name).collect();
    // One word says little, if it stands in several names.
    if best.len() > MOST || best.len() > 1 && given.len() == 1 { Vec::new() } else { best }
}

/// The words of a name, each in the form that builtins have.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_ascii_uppercase() {
            words.push(String::new());
        }
        words.last_mut().expect("at least one").extend(Some(c.to_ascii_lowercase()).filter(|c| *c != '_'));
    }
    words.retain(|word| !word.is_empty());
    for word in &mut words {
        let usual = match word.as_str() {
            "init" | "initialise" | "setup" => "initialize",
            "alloc" => "allocate",
            "addr" => "address",
            "inc" | "incr" => "increment",
            "len" => "length",
            "cfg" | "conf" | "configure" => "config",
            "create" | "make" | "new" => "get",
            "ctrl" => "control",
            "symb" | "sym" => "symbol",
            _ => continue,
        };
        *word = usual.to_string();
    }
    words
}

/// What replaced a builtin that is gone, or that another language has.
fn successor(name: &str) -> Option<&'static str> {
    Some(match name {
        "concat_struct" => "use `@concat_structs`",
        "export" => "use the `export` keyword",
        "get_microthread_id" | "get_microthread" => "write `@get_ut_id(n)`",
        "mov" | "move" => "use `@mov16` or `@mov32`, or `@fmovh` or `@fmovs` for floats",
        "import" => "write `@import_module(\"<math>\")`",
        "intCast" | "floatCast" | "truncate" | "intToFloat" | "floatToInt" | "cast" | "int_cast" | "to" => {
            "write `@as(T, x)`"
        }
        "floatFromInt" | "intFromFloat" | "intFromEnum" | "enumFromInt" | "intFromBool" => {
            "write `@as(T, x)`"
        }
        "panic" => "write `@assert(false)` to stop the simulation",
        "divTrunc" | "divFloor" | "divExact" => "write `/`",
        "mod" | "rem" => "write `%`",
        "bitCast" | "reinterpret" => "write `@bitcast(T, x)`",
        "ptrCast" | "ptrFromInt" => "write `@ptrcast(*T, p)`",
        "compileError" | "static_assert" | "compile_assert" => "write `@comptime_assert(condition, \"..\")`",
        "compileLog" => "write `@comptime_print(..)`",
        "memcpy" | "memset" | "copy" => {
            "write `@mov16` or `@mov32` with DSDs, or `@fmovh` or `@fmovs` for floats"
        }
        "len" | "length" | "size" => {
            "write `@element_count(@type_of(a))` for the number of elements of an array"
        }
        "typeof" => "write `@type_of(x)`",
        "unblock_cmd_stream" => {
            "write `sys_mod.unblock_cmd_stream()`, where `sys_mod` is `@import_module(\"<memcpy/memcpy>\", memcpy_params)`"
        }
        "ones" => "write `@constants([n]f32, 1.0)`",
        "sizeOf" | "sizeof" => "write `@element_count(@type_of(a))` for the number of elements of an array",
        "fdivs" | "fdivh" | "fdiv" => {
            "there is no division of vectors: multiply by the inverse, or divide in a function and `@map` it"
        }
        "fmins" | "fminh" | "fmin" => {
            "there is no minimum of vectors: write a function and `@map` it, or negate around `@fmaxs`"
        }
        "add32" | "sub32" | "and32" | "or32" | "xor32" | "sll32" | "slr32" | "sar32" => {
            "integer operations have 16 bits: compute with 32 bits in a function, and `@map` it"
        }
        "send" | "transmit" => {
            "write `@mov16` or `@mov32` to a fabout_dsd, or `@fmovh` or `@fmovs` for floats"
        }
        "recv" | "receive" => {
            "write `@mov16` or `@mov32` from a fabin_dsd, or `@fmovh` or `@fmovs` for floats"
        }
        "set_route" | "set_routes" | "route" | "set_color_route" => {
            "write `@set_color_config(x, y, color, .{ .routes = .{ .rx = .., .tx = .. } })`"
        }
        "mul16" | "mul32" => "there is no product of integer vectors: multiply in a function and `@map` it",
        _ => return None,
    })
}

/// The DSD operation of this kind for the type of its operands: `@fmacs` for `@fmac` on `f32`.
fn operation(sema: &mut Sema<'_>, name: &str, args: &[ExprId]) -> Option<&'static str> {
    const STEMS: [(&str, &str); 12] = [
        ("add", "add"),
        ("sub", "sub"),
        ("mul", "mul"),
        ("max", "max"),
        ("mac", "mac"),
        ("fma", "mac"),
        ("mov", "mov"),
        ("neg", "neg"),
        ("abs", "abs"),
        ("and", "and"),
        ("or", "or"),
        ("xor", "xor"),
    ];
    let stem = |word: &str| STEMS.iter().find(|(known, _)| *known == word).map(|(_, stem)| *stem);
    let stem = stem(name).or_else(|| stem(name.strip_prefix('f')?))?;
    // Of numbers alone the functions of `<math>` are meant.
    let is_number = |arg: &ExprId| type_of(sema, *arg).is_ok_and(|ty| ty.is_numeric());
    if args.iter().all(is_number) {
        return None;
    }
    let element = args.iter().find_map(|arg| element(sema, *arg))?;
    let op = match element {
        Ty::Float(FloatKind::F32) => format!("f{stem}s"),
        Ty::Float(_) => format!("f{stem}h"),
        Ty::Int(IntTy { bits: 16, .. }) => format!("{stem}16"),
        Ty::Int(IntTy { bits: 32, .. }) => format!("{stem}32"),
        _ => return None,
    };
    ops::lookup(&op).map(|row| ops::OPS[usize::from(row)].name)
}

/// The type of the elements that an operand of a DSD operation has, as far as its declaration shows it.
fn element(sema: &mut Sema<'_>, id: ExprId) -> Option<Ty> {
    match type_of(sema, id).ok()? {
        Ty::Dsd(_) => {
            let unit = sema.unit();
            let ExprKind::Name(name) = &unit.file.expr(id).kind else { return None };
            let Decl::Var(v) = &unit.file.decls[*unit.names.get(name)? as usize] else { return None };
            let ExprKind::Builtin { args, .. } = &unit.file.expr(v.init?).kind else { return None };
            let ExprKind::Struct { fields, .. } = &unit.file.expr(*args.get(1)?).kind else { return None };
            let array = fields.iter().find_map(|(field, value)| {
                let is_base = matches!(field.name.as_str(), "base_address" | "tensor_access");
                is_base.then_some(*value)
            })?;
            let base = match unit.file.expr(array).kind {
                ExprKind::Unary(_, base) => base,
                ExprKind::Access { target, .. } => target,
                _ => return None,
            };
            match type_of(sema, base).ok()? {
                Ty::Array(array) => Some(array.elem.clone()),
                other => Some(other),
            }
        }
        Ty::Ptr(pointer) => Some(pointer.to.clone()),
        ty @ Ty::Int(_) => Some(ty),
        Ty::Float(kind) if kind != FloatKind::Comptime => Some(Ty::Float(kind)),
        _ => None,
    }
}

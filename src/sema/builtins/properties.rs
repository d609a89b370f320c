//! The fields of a struct that sets something: properties of a DSD, settings of an operation.

use super::arguments::{self, chosen, fields_of};
use super::choices::bad_choice;
use crate::diagnostics::rules::{comptime, dsd as rules};
use crate::diagnostics::{At, Diag, Result, suggest};
use crate::dsd::{Simd, ZeroSource};
use crate::sema::eval::{Eval, EvalFrame};
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::{ExprId, ExprKind};
use crate::value::ty::{DsdTy, Ty};
use smol_str::SmolStr;

/// One field, and where it was written.
pub struct Property {
    /// The name, without its dot.
    pub name: SmolStr,
    /// What it is set to.
    pub value: Operand,
    /// The field, or the whole struct if that came in a variable.
    pub at: Span,
}

/// The fields of a struct that sets something.
pub type Fields = Vec<Property>;

impl Property {
    /// A value that the program must know before it runs.
    pub fn known(&self) -> Result<&Value> {
        let what = format!("`.{}`", self.name);
        self.value.known().ok_or_else(|| comptime::NOT_COMPTIME.because(&[("what", &what)]).at(self.at))
    }

    /// The value of a switch of a DSD.
    pub fn flag(&self) -> Result<bool> {
        match self.value.known() {
            Some(Value::Bool(b)) => Ok(*b),
            Some(other) => Err(not_a_flag(&self.name, &format!("found {}", other.ty())).at(self.at)),
            None => Err(not_a_flag(&self.name, KNOWN_LATE).at(self.at)),
        }
    }

    /// The one mode of `.simd_mode` that is chosen.
    pub fn simd(&self) -> Result<Simd> {
        simd(self.known()?).at(self.at)
    }

    /// The one source that `.zero` chooses.
    pub fn zero_source(&self) -> Result<Option<ZeroSource>> {
        let v = self.known()?;
        match chosen(v).as_deref() {
            Some("first_source") => Ok(Some(ZeroSource::First)),
            Some("second_source") => Ok(Some(ZeroSource::Second)),
            _ => {
                let help = "write `.{ .first_source = true }` or `.{ .second_source = true }`";
                Err(rules::ZERO_CHOICE.because(&[("value", v)]).at(self.at).help(help))
            }
        }
    }
}

/// The fields of a struct argument, each with its place.
pub fn properties(sema: &mut Sema<'_>, argument: ExprId) -> Result<Fields> {
    let fields = arguments::fields(sema, argument)?;
    Ok(fields.into_iter().map(|(name, value)| placed(&sema.eval, argument, name, value)).collect())
}

fn placed(eval: &Eval, argument: ExprId, name: SmolStr, value: Operand) -> Property {
    let file = &eval.frame().unit.file;
    let written = match &file.expr(argument).kind {
        ExprKind::Struct { fields, .. } => fields.iter().find(|(ident, _)| *ident.name == *name),
        _ => None,
    };
    let at = match written {
        Some((ident, value)) => {
            let dot = Span { lo: ident.span.lo - 1, ..ident.span };
            dot.to(file.expr(*value).span)
        }
        None => eval.frame().unit.file.expr(argument).span,
    };
    Property { name, value, at }
}

/// Where a field is written in a struct, in a struct in it, or in the declaration of either.
pub fn written_at(eval: &Eval, argument: ExprId, name: &str) -> Option<Span> {
    const DEEPEST: usize = 8;
    written_within(eval.frame(), argument, name, DEEPEST)
}

fn written_within(frame: &EvalFrame, id: ExprId, name: &str, depth: usize) -> Option<Span> {
    let (file, depth) = (&frame.unit.file, depth.checked_sub(1)?);
    let fields = match &file.expr(id).kind {
        ExprKind::Struct { fields, .. } => fields,
        ExprKind::Name(constant) => {
            return written_within(frame, frame.initial_value(constant)?, name, depth);
        }
        _ => return None,
    };
    fields.iter().find_map(|(field, value)| match field.name == name {
        true => Some(file.expr(*value).span),
        false => written_within(frame, *value, name, depth),
    })
}

/// The properties of a DSD; those that `.tensor_access` stands for take its place.
pub fn dsd_properties(sema: &mut Sema<'_>, kind: DsdTy, argument: ExprId) -> Result<Fields> {
    let given = properties(sema, argument).map_err(|c| late_property(&sema.eval, argument, c))?;
    let mut all = Fields::new();
    for property in given {
        for property in spread(kind, property)? {
            if all.iter().any(|p| p.name == property.name) {
                return Err(comptime::DUPLICATE_NAME.because(&[("name", &property.name)]).at(property.at));
            }
            all.push(property);
        }
    }
    Ok(all)
}

/// What is not known at comptime is a mistake of its own for a switch, and for an array whose address is meant.
fn late_property(eval: &Eval, properties: ExprId, diag: Diag) -> Diag {
    if diag.rule() != comptime::NOT_COMPTIME.name {
        return diag;
    }
    let file = &eval.frame().unit.file;
    let ExprKind::Struct { fields, .. } = &file.expr(properties).kind else { return diag };
    let Some(place) = &diag.0.primary else { return diag };
    let around = |e: &ExprId| {
        let span = file.expr(*e).span;
        span.file == place.span.file && span.lo <= place.span.lo && place.span.hi <= span.hi
    };
    match fields.iter().find(|(_, e)| around(e)) {
        Some((name, e)) if name.name == "base_address" => match &file.expr(*e).kind {
            ExprKind::Name(array) => {
                let (span, address) = (file.expr(*e).span, format!("&{array}"));
                let mut diag = diag;
                diag.0.has_own_help = false;
                diag.replace(span, address.as_str())
                    .help(format!("a DSD takes the address of its array: write `.base_address = {address}`"))
            }
            _ => diag,
        },
        Some((name, _)) if FLAGS.contains(&name.name.as_str()) => {
            let mut own = not_a_flag(&name.name, KNOWN_LATE);
            own.0.primary = diag.0.primary;
            own.0.others = diag.0.others;
            own
        }
        _ => diag,
    }
}

/// The properties that switch something on.
const FLAGS: [&str; 4] = ["wavelet_index_offset", "control", "control_transform", "advance_switch"];

const KNOWN_LATE: &str = "this value is known only at run time";

fn not_a_flag(name: &str, found: &str) -> Diag {
    let diag = rules::DSD_FLAG.because(&[("name", &name)]).note(found);
    diag.help(format!("write `.{name} = true`, or remove it"))
}

/// `.tensor_access` stands for the fields of its struct.
fn spread(kind: DsdTy, property: Property) -> Result<Fields> {
    let is_fabric = matches!(kind, DsdTy::FabIn | DsdTy::FabOut);
    if property.name != "tensor_access" {
        return Ok(vec![property]);
    }
    if is_fabric {
        return Err(no_such_property(&property, kind));
    }
    let at = property.at;
    let fields = fields_of(&property.value).ok_or_else(|| rules::ACCESS_STRUCT.plain().at(at))?;
    Ok(fields.into_iter().map(|(name, value)| Property { name, value, at }).collect())
}

/// The one mode that is chosen.
pub fn simd(v: &Value) -> Result<Simd> {
    match chosen(v).as_deref() {
        Some("simd_32") => Ok(Simd::Simd32),
        Some("simd_64") => Ok(Simd::Simd64),
        Some("simd_32_or_64") => Ok(Simd::Simd32Or64),
        Some("simd_max") => Ok(Simd::Max),
        Some("simd_off") => Ok(Simd::Off),
        _ => {
            let choices = "`.simd_32`, `.simd_64`, `.simd_32_or_64`, `.simd_off`, `.simd_max`";
            Err(bad_choice(v, choices))
        }
    }
}

/// The properties of a type of DSD.
pub fn properties_of(kind: DsdTy) -> &'static [&'static str] {
    match kind {
        DsdTy::Mem1d | DsdTy::Mem4d => {
            &["tensor_access", "base_address", "extent", "stride", "offset", "wavelet_index_offset"]
        }
        DsdTy::Circbuf => &["base_address", "extent", "wraparound"],
        DsdTy::FabIn => {
            &["extent", "fabric_color", "input_queue", "control_transform", "simd_mode", "priority"]
        }
        DsdTy::FabOut => &[
            "extent",
            "fabric_color",
            "output_queue",
            "control",
            "wavelet_index_offset",
            "advance_switch",
            "control_transform",
            "zero",
            "simd_mode",
            "priority",
        ],
        DsdTy::Fifo => &[],
    }
}

/// A property of another type of DSD, or of none.
pub fn no_such_property(property: &Property, kind: DsdTy) -> Diag {
    let Property { name, at, .. } = property;
    let owners = [DsdTy::Mem1d, DsdTy::Mem4d, DsdTy::FabIn, DsdTy::FabOut, DsdTy::Circbuf]
        .into_iter()
        .filter(|other| properties_of(*other).contains(&name.as_str()))
        .map(|other| Ty::Dsd(other).to_string());
    let owners = owners.collect::<Vec<_>>();
    let names: Vec<String> = properties_of(kind).iter().map(|name| format!("`.{name}`")).collect();
    let diag = rules::NO_SUCH_PROPERTY.because(&[("kind", &Ty::Dsd(kind)), ("name", name)]).at(*at);
    let diag = match owners.is_empty() {
        true => diag,
        false => diag.note(format!("`.{name}` is a property of {}", in_words(&owners))),
    };
    let own = || properties_of(kind).iter().copied();
    // `.queue` for `.input_queue`, `.color` for `.fabric_color`.
    let longer = || own().find(|own| own.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with('_')));
    // `.base` for `.base_address`, `.size` for `.extent`.
    let begun =
        || own().find(|own| own.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('_')));
    let meant = || own().find(|own| *own == "extent").filter(|_| COUNTS.contains(&name.as_str()));
    let is_foreign = owners.is_empty();
    let other = || begun().or_else(meant).filter(|_| is_foreign);
    let diag = match suggest::nearest(name, own()).or_else(longer).or_else(other) {
        Some(near) => diag.did_you_mean(name, near, format!(".{near}")),
        None => diag,
    };
    diag.help(format!("its properties are {}", in_words(&names)))
}

/// Words for the number of elements in other interfaces.
const COUNTS: [&str; 6] = ["size", "length", "len", "count", "n", "num_elements"];

/// `a, b and c`
fn in_words(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A property without which the DSD says too little.
pub fn missing_property(name: &str, kind: DsdTy) -> Diag {
    let help = match name {
        "tensor_access" => "write `.tensor_access = |i|{n} -> array[i]`",
        "base_address" => "write `.base_address = &array`",
        "extent" => "write `.extent = n`: the number of elements or wavelets",
        "wraparound" => "write `.wraparound = n`: the number of elements after which it wraps around",
        _ => "write `.fabric_color = color`: the color of the wavelets",
    };
    rules::DSD_PROPERTY.because(&[("kind", &Ty::Dsd(kind)), ("name", &name)]).help(help)
}

/// The number of elements or wavelets that `.extent` gives.
pub fn extent_value(v: &Value) -> Result<u16> {
    v.to::<u16>().ok_or_else(|| rules::BAD_EXTENT.because(&[("value", v)]))
}

//! The diagnostic about a value of another type than expected, and the conversion between both.

use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, Fix, Replaced};
use crate::value::ty::{IdKind, PtrTy, Ty};

/// The help for a variable whose address is meant. Nothing else has an address.
pub const ADDRESS: &str = "take its address: `&..`";

/// The help for an array of which the address of an element is meant.
pub const ADDRESS_OF_ELEMENT: &str = "take the address of an element: `&..[0]`";

/// The diagnostic about a value of another type than expected.
pub fn mismatch(want: &Ty, have: &Ty) -> Diag {
    let diag = rules::TYPE_MISMATCH.because(&[("want", want), ("have", have)]);
    let convert = |with: String| (format!("convert it: `{with}`"), with);
    let (help, with) = match (want, have) {
        (Ty::Bool, Ty::ComptimeInt) => return diag.help("a `bool` is `true` or `false`"),
        (Ty::Bool, Ty::Int(_) | Ty::Float(_)) => ("compare it: `.. != 0`".to_string(), ".. != 0".to_string()),
        (Ty::Id(kind), Ty::ComptimeInt) => match maker(*kind) {
            Some(maker) => (format!("write `{maker}(..)`"), format!("{maker}(..)")),
            None => return diag,
        },
        (Ty::Id(kind), Ty::Int(_)) => match maker(*kind) {
            Some(maker) => return diag.help(format!("write `{maker}(..)`")),
            None => return diag,
        },
        (Ty::Id(IdKind::LocalTask | IdKind::DataTask | IdKind::ControlTask), Ty::Fn(_)) => {
            return diag.help(format!("give the {want} that the task is bound to, not the task"));
        }
        (Ty::Id(IdKind::DataTask), Ty::Id(IdKind::Color | IdKind::InputQueue)) => {
            return diag.help("write `@get_data_task_id(..)`");
        }
        (Ty::Id(to), Ty::Id(from)) if is_task(*to) && is_task(*from) => {
            let bind = have.to_string().replace("_id", "");
            return diag.help(format!("only `@bind_{bind}` takes a {have}"));
        }
        (Ty::Ptr(to), Ty::Ptr(from)) => return about_pointers(diag, to, from),
        (Ty::Ptr(to), have) => return about_address(diag, to, have),
        (want, Ty::Ptr(from)) if from.to == *want => {
            return diag.help(match from.many {
                true => "take one of the elements that it points to: write `[0]` behind it",
                false => "take the value that it points to: write `.*` behind it",
            });
        }
        (Ty::Array(_), Ty::Anon(_)) => {
            return diag.help(format!("write the type of the array in front of the braces: `{want}{{`"));
        }
        (Ty::Union(_), Ty::Anon(_)) => {
            return diag.help(format!("write the type of the union in front of the braces: `{want}{{`"));
        }
        (Ty::Array(array), have) if have.is_numeric() && array.elem.is_numeric() => {
            return diag.help(format!("write `@constants({want}, ..)` for an array of equal elements"));
        }
        (Ty::Enum(_), Ty::Int(_) | Ty::ComptimeInt) | (Ty::Int(_), Ty::Enum(_)) => {
            convert(format!("@as({want}, ..)"))
        }
        (Ty::Int(_) | Ty::Float(_), Ty::Bool) => convert(format!("@as({want}, ..)")),
        (want, have) if want.is_numeric() && have.is_numeric() => convert(format!("@as({want}, ..)")),
        _ => return diag,
    };
    // To convert numbers can lose something, so it is for the user to decide.
    let is_certain = matches!(want, Ty::Bool | Ty::Id(_));
    let mut diag = diag.help(help);
    if is_certain {
        diag.0.fix = Some(Fix { what: Replaced::Place, with });
    }
    diag
}

fn is_task(kind: IdKind) -> bool {
    matches!(kind, IdKind::LocalTask | IdKind::DataTask | IdKind::ControlTask)
}

/// A pointer to an array where one to elements is expected.
fn about_pointers(diag: Diag, to: &PtrTy, from: &PtrTy) -> Diag {
    let is_same = |to: &PtrTy, from: &PtrTy| match &from.to {
        Ty::Array(array) if to.many => to.to == array.elem,
        other => to.to == *other && to.many == from.many,
    };
    if from.is_const && !to.is_const && is_same(to, from) {
        let asked = to.to.clone().pointer(true, to.many);
        return diag.help(format!("point to a `var`, or give the pointer the type `{asked}`"));
    }
    let elements = match &from.to {
        Ty::Array(array) => &array.elem,
        one => one,
    };
    let is_number = |ty: &Ty| ty.is_numeric() && ty.bits().is_some();
    if to.many && is_number(&to.to) && is_number(elements) && to.to.bits() == elements.bits() {
        let asked = to.to.clone().pointer(to.is_const || from.is_const, true);
        return diag
            .help(format!("to take the same words as {}, cast the pointer: `@ptrcast({asked}, ..)`", to.to));
    }
    match &from.to {
        Ty::Array(array) if !to.many && to.to == array.elem => diag.help("point to an element: `..[0]`"),
        Ty::Array(array) if to.many && to.to.is_numeric() && array.elem.is_numeric() => {
            let (want, have) = (&to.to, &array.elem);
            diag.help(format!("give the array elements of {want}, or the pointer the type `[*]{have}`"))
        }
        _ => diag,
    }
}

/// A value where a pointer to it is expected.
fn about_address(diag: Diag, to: &PtrTy, have: &Ty) -> Diag {
    match have {
        have if *have == to.to => diag.help(ADDRESS),
        Ty::Array(array) if to.to == array.elem && to.many => diag.help(ADDRESS),
        Ty::Array(array) if to.to == array.elem => diag.help(ADDRESS_OF_ELEMENT),
        _ => diag,
    }
}

/// The builtin that makes an id of a number.
fn maker(kind: IdKind) -> Option<&'static str> {
    Some(match kind {
        IdKind::Color => "@get_color",
        IdKind::LocalTask => "@get_local_task_id",
        IdKind::ControlTask => "@get_control_task_id",
        IdKind::InputQueue => "@get_input_queue",
        IdKind::OutputQueue => "@get_output_queue",
        IdKind::Microthread => "@get_ut_id",
        _ => return None,
    })
}

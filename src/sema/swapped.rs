//! Two arguments of a call that stand in each other's place.

use super::arith;
use super::files::Files;
use super::lower::ParamKind;
use super::operand::Operand;
use crate::diagnostics::Diag;
use crate::diagnostics::rules::comptime as rules;
use crate::source::Span;
use crate::value::ty::Ty;

/// A better help for an argument of a wrong type, if all types fit when it and another one are exchanged.
pub fn with_swapped(
    files: &Files<'_>,
    mut diag: Diag,
    args: &[(Operand, Span)],
    params: &[ParamKind],
) -> Diag {
    if diag.rule() != rules::TYPE_MISMATCH.name {
        return diag;
    }
    let Some((a, b)) = swapped(args, params) else { return diag };
    let text = |n: usize| files.text(args[n].1);
    let help = format!(
        "arguments {} and {} seem to be swapped: exchange `{}` and `{}`",
        a + 1,
        b + 1,
        text(a),
        text(b)
    );
    (diag.0.has_own_help, diag.0.fix) = (false, None);
    diag.help(help)
}

/// The only two arguments of which each fits nothing but the place of the other.
fn swapped(args: &[(Operand, Span)], params: &[ParamKind]) -> Option<(usize, usize)> {
    let fits = |arg: usize, param: usize| match &params[param] {
        ParamKind::Typed(ty) => coerces(&args[arg].0, ty),
        ParamKind::Known(_) | ParamKind::Any => arg == param,
    };
    let wrong: Vec<usize> = (0..args.len()).filter(|n| !fits(*n, *n)).collect();
    let is_pair = |a: usize, b: usize| a != b && fits(a, b) && fits(b, a);
    match wrong.as_slice() {
        [a, b] => is_pair(*a, *b).then_some((*a, *b)),
        // The other one also fits where it stands, as a small integer does in a larger type. A literal fits in many places.
        [a] => {
            let is_of = |arg: usize, param: usize| matches!(&params[param], ParamKind::Typed(ty) if args[arg].0.ty() == *ty);
            let mut others = (0..args.len()).filter(|b| is_pair(*a, *b) && is_of(*a, *b) && is_of(*b, *a));
            let b = others.next().filter(|_| others.next().is_none())?;
            Some((*a.min(&b), *a.max(&b)))
        }
        _ => None,
    }
}

fn coerces(arg: &Operand, ty: &Ty) -> bool {
    match arg {
        Operand::Known(value) => arith::coerce(value, ty).is_ok(),
        _ => match (&arg.ty(), ty) {
            (Ty::Int(from), Ty::Int(to)) => arith::widens(*from, *to),
            (from @ Ty::Ptr(_), Ty::Ptr(_)) => arith::pointer_coerces(from, ty),
            (from, to) => from == to,
        },
    }
}

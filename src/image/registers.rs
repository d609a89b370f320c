//! Which registers an operation names: for passes that renumber or retarget.

use super::code::{Op, Reg, Target};

impl Op {
    /// The destination register of an operation that does nothing but compute it.
    pub fn dest_mut(&mut self) -> Option<&mut Reg> {
        use Op::*;
        match self {
            Mov { d, .. } | AddS { d, .. } | AddU { d, .. } | SubS { d, .. } | SubU { d, .. } => Some(d),
            MulS { d, .. } | MulU { d, .. } | DivS { d, .. } | DivU { d, .. } | RemS { d, .. } => Some(d),
            RemU { d, .. } | ShlS { d, .. } | ShlU { d, .. } | ShrS { d, .. } | ShrU { d, .. } => Some(d),
            And { d, .. } | Or { d, .. } | Xor { d, .. } | BitNotS { d, .. } | BitNotU { d, .. } => Some(d),
            NegS { d, .. } | Not { d, .. } | Eq { d, .. } | Ne { d, .. } | LtS { d, .. } => Some(d),
            LtU { d, .. } | LeS { d, .. } | LeU { d, .. } | FAdd { d, .. } | FSub { d, .. } => Some(d),
            FMul { d, .. } | FDiv { d, .. } | FNeg { d, .. } | FEq { d, .. } | FNe { d, .. } => Some(d),
            FLt { d, .. } | FLe { d, .. } | HAdd { d, .. } | HSub { d, .. } | HMul { d, .. } => Some(d),
            HDiv { d, .. } | HNeg { d, .. } | HEq { d, .. } | HNe { d, .. } | HLt { d, .. } => Some(d),
            HLe { d, .. } | Convert { d, .. } | NormS { d, .. } | NormU { d, .. } => Some(d),
            Load { d, .. } | LoadAt { d, .. } | LoadElem { d, .. } | Element { d, .. } | Frame { d, .. } => {
                Some(d)
            }
            _ => None,
        }
    }

    /// The target of a jump.
    pub fn target_mut(&mut self) -> Option<&mut Target> {
        use Op::*;
        match self {
            Jump { to } | JumpIf { to, .. } | JumpUnless { to, .. } | JumpEq { to, .. } => Some(to),
            JumpNe { to, .. } | JumpLtS { to, .. } | JumpLtU { to, .. } | JumpLeS { to, .. } => Some(to),
            JumpLeU { to, .. } => Some(to),
            MapNext { done, .. } => Some(done),
            _ => None,
        }
    }

    /// Renumbers every register that the operation names.
    pub fn map_registers(&mut self, f: impl Fn(Reg) -> Reg) {
        if !self.map_registers_of_program(f) {
            unreachable!("{self:?} is made when all registers have their numbers");
        }
    }

    /// The same; false, and nothing is done, for a superinstruction, which no program holds.
    pub fn map_registers_of_program(&mut self, f: impl Fn(Reg) -> Reg) -> bool {
        use Op::*;
        match self {
            AddS { d, a, b, .. } | AddU { d, a, b, .. } | SubS { d, a, b, .. } => each(f, [d, a, b]),
            SubU { d, a, b, .. } | MulS { d, a, b, .. } | MulU { d, a, b, .. } => each(f, [d, a, b]),
            DivS { d, a, b, .. } | DivU { d, a, b, .. } | RemS { d, a, b, .. } => each(f, [d, a, b]),
            RemU { d, a, b, .. } | ShlS { d, a, b, .. } | ShlU { d, a, b, .. } => each(f, [d, a, b]),
            ShrS { d, a, b, .. } | ShrU { d, a, b, .. } | And { d, a, b } => each(f, [d, a, b]),
            Or { d, a, b } | Xor { d, a, b } | Eq { d, a, b } | Ne { d, a, b } => each(f, [d, a, b]),
            LtS { d, a, b } | LtU { d, a, b } | LeS { d, a, b } | LeU { d, a, b } => each(f, [d, a, b]),
            FAdd { d, a, b } | FSub { d, a, b } | FMul { d, a, b } => each(f, [d, a, b]),
            FDiv { d, a, b } | FEq { d, a, b } | FNe { d, a, b } => each(f, [d, a, b]),
            FLt { d, a, b } | FLe { d, a, b } | HAdd { d, a, b } => each(f, [d, a, b]),
            HSub { d, a, b } | HMul { d, a, b } | HDiv { d, a, b } => each(f, [d, a, b]),
            HEq { d, a, b } | HNe { d, a, b } | HLt { d, a, b } | HLe { d, a, b } => each(f, [d, a, b]),
            Element { d, a, b, .. } => each(f, [d, a, b]),
            Mov { d, a } | BitNotS { d, a, .. } | BitNotU { d, a, .. } => each(f, [d, a]),
            NegS { d, a, .. } | Not { d, a } | FNeg { d, a } | HNeg { d, a } => each(f, [d, a]),
            Convert { d, a, .. } | NormS { d, a, .. } | NormU { d, a, .. } => each(f, [d, a]),
            Load { d, a, .. } => each(f, [d, a]),
            JumpEq { a, b, .. } | JumpNe { a, b, .. } | JumpLtS { a, b, .. } => each(f, [a, b]),
            JumpLtU { a, b, .. } | JumpLeS { a, b, .. } | JumpLeU { a, b, .. } => each(f, [a, b]),
            Copy { a, b, .. } | EditDsd { a, b, .. } => each(f, [a, b]),
            JumpIf { a, .. } | JumpUnless { a, .. } | Zero { a, .. } | CheckSet { a } => each(f, [a]),
            UnsetWords { a, .. } | CheckVariant { a, .. } | CheckCast { a, .. } => each(f, [a]),
            CheckConfig { a, .. } | PutDsd { a, .. } | SetDsrBase { a, .. } => each(f, [a]),
            FifoLength { a, .. } | Activate { a } | Block { a } | Unblock { a } => each(f, [a]),
            BlockUt { a } | UnblockUt { a } | CheckId { a, .. } | Assert { a, .. } => each(f, [a]),
            LoadAt { d, .. } | Frame { d, .. } | Unset { d, .. } => each(f, [d]),
            LoadElem { d, b, .. } => each(f, [d, b]),
            StoreElem { s, b, .. } => each(f, [s, b]),
            Store { s, a, .. } => each(f, [s, a]),
            StoreAt { s, .. } | MapPut { s, .. } => each(f, [s]),
            CallPtr { a, base } => each(f, [a, base]),
            Call { base, .. } | MapNext { base, .. } | Intrinsic { base, .. } => each(f, [base]),
            Jump { .. }
            | Ret
            | Vector { .. }
            | MapBegin { .. }
            | MapEnd { .. }
            | LoadDsr { .. }
            | Trap { .. } => {}
            _superinstruction => return false,
        }
        true
    }
}

fn each<const N: usize>(f: impl Fn(Reg) -> Reg, regs: [&mut Reg; N]) {
    for r in regs {
        *r = f(*r);
    }
}

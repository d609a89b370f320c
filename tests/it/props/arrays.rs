//! Arrays of random data, as CSL writes them.

use super::choices::Choices;
use super::number::Elem;
use super::trial::Expected;
use std::fmt::Write;

/// A global array of a trial. Its declaration holds the data of the moment it is written.
pub struct Array {
    /// Its name.
    pub name: String,
    /// The type of its elements in CSL.
    pub ty: &'static str,
    /// The same for the model.
    pub elem: Elem,
    /// Its dimensions; none stand for a single one.
    pub sizes: Vec<usize>,
    /// Its elements are below this number.
    pub limit: Option<u32>,
    /// The bits of its elements.
    pub data: Vec<u32>,
}

impl Array {
    /// Has at least so many elements.
    pub fn grow(&mut self, size: usize) {
        self.data.resize(size.max(self.data.len()), 0);
    }

    /// Fills it with random data. Comes last in a trial, so that simpler data changes nothing else.
    pub fn fill(&mut self, choices: &mut Choices) {
        self.data.fill_with(|| some_bits(choices, self.elem, self.limit));
    }

    /// As a variable with its data.
    pub fn declaration(&self) -> String {
        let sizes: Vec<_> = self.sizes.iter().map(usize::to_string).collect();
        let sizes = if sizes.is_empty() { self.data.len().to_string() } else { sizes.join(", ") };
        let mut text = format!("var {} = [{sizes}]{}{{ ", self.name, self.ty);
        for (k, bits) in self.data.iter().enumerate() {
            let comma = if k == 0 { "" } else { ", " };
            let _ = write!(text, "{comma}{}", scalar_literal(self.ty, self.elem, *bits));
        }
        text.push_str(" };\n");
        text
    }

    /// What it holds, as the expected end.
    pub fn expected(self) -> Expected {
        Expected { name: self.name, elem: self.elem, bits: self.data }
    }
}

/// A value of a type as CSL writes it; floats by their bits unless they are short.
pub fn scalar_literal(ty: &str, elem: Elem, bits: u32) -> String {
    match (ty, elem) {
        ("i16", _) => (bits as i16).to_string(),
        ("i32", _) => (bits as i32).to_string(),
        (_, Elem::Int16 | Elem::Int32) => bits.to_string(),
        (_, Elem::F16) => float_literal(ty, "u16", bits, half::f16::from_bits(bits as u16).to_f64()),
        (_, Elem::F32) => float_literal(ty, "u32", bits, f32::from_bits(bits).into()),
    }
}

fn float_literal(ty: &str, unsigned: &str, bits: u32, value: f64) -> String {
    let is_short = (value * 8.0).fract() == 0.0 && value.abs() < 1000.0;
    match is_short && !(value == 0.0 && value.is_sign_negative()) {
        true => format!("{value:?}"),
        false => format!("@bitcast({ty}, @as({unsigned}, {bits:#x}))"),
    }
}

/// Bits of an element: small numbers, edges, or anything. A NaN is quiet: others change on their
/// way through the processor of the host.
pub fn some_bits(choices: &mut Choices, elem: Elem, limit: Option<u32>) -> u32 {
    if let Some(limit) = limit {
        return choices.below(limit);
    }
    const INT16: [u32; 6] = [0xffff, 0x7fff, 0x8000, 0x8001, 0xff00, 0x00ff];
    const INT32: [u32; 6] = [0xffff_ffff, 0x7fff_ffff, 0x8000_0000, 0xffff, 0xffff_0000, 0x1_0000];
    // Zero, subnormals, around one, the largest, infinity, NaN; each with both signs.
    const F16: [u32; 12] =
        [0, 0x0001, 0x03ff, 0x0400, 0x3bff, 0x3c00, 0x3c01, 0x7bfe, 0x7bff, 0x7c00, 0x7e00, 0x7fff];
    const F32: [u32; 14] = [
        0,
        1,
        0x007f_ffff,
        0x0080_0000,
        0x3f7f_ffff,
        0x3f80_0000,
        0x3f80_0001,
        0x477f_efff,
        0x477f_f000,
        0x3380_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7fc0_0000,
        0x7fff_ffff,
    ];
    let how = choices.below(3);
    match (elem, how) {
        (Elem::Int16 | Elem::Int32, 0) => choices.below(20),
        (Elem::Int16, 1) => choices.pick(&INT16),
        (Elem::Int32, 1) => choices.pick(&INT32),
        (Elem::Int16, _) => choices.below(1 << 16),
        (Elem::Int32, _) => choices.bits(),
        (Elem::F16, 0) => half::f16::from_f32(choices.below(80) as f32 / 8.0).to_bits().into(),
        (Elem::F16, 1) => choices.pick(&F16) | choices.below(2) << 15,
        (Elem::F16, _) => quiet(choices.below(1 << 16), elem, 1 << 9),
        (Elem::F32, 0) => (choices.below(80) as f32 / 8.0).to_bits(),
        (Elem::F32, 1) => choices.pick(&F32) | choices.below(2) << 31,
        (Elem::F32, _) => quiet(choices.bits(), elem, 1 << 22),
    }
}

fn quiet(bits: u32, elem: Elem, quiet_bit: u32) -> u32 {
    if elem.is_nan(bits) { bits | quiet_bit } else { bits }
}

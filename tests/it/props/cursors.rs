//! Random walks over an array: as an affine access of CSL, and as the plain list of the elements
//! that nested loops visit.

use super::choices::Choices;

/// An affine access to an array of one dimension.
#[derive(Clone, Debug)]
pub struct AddressCursor {
    /// Iterations of each variable; the last one moves fastest.
    pub lengths: Vec<usize>,
    /// What each variable counts.
    pub factors: Vec<i32>,
    /// The element where all variables are 0.
    pub offset: i32,
    /// Whether it is written as a `mem4d_dsd`.
    pub mem4d: bool,
}

/// The variables of an access, the slowest first.
pub const VARIABLES: [&str; 4] = ["i", "j", "k", "l"];

impl AddressCursor {
    /// A walk over `count` elements: a line, a line with any stride, or up to four dimensions.
    pub fn any(choices: &mut Choices, count: usize) -> AddressCursor {
        match choices.below(4) {
            0 => AddressCursor::new(choices, vec![count], vec![1], false),
            1 => {
                let stride = choices.between(-3, 4);
                AddressCursor::new(choices, vec![count], vec![stride], false)
            }
            _ => AddressCursor::tensor(choices, count),
        }
    }

    /// `count` elements in a row.
    pub fn line(count: usize) -> AddressCursor {
        AddressCursor { lengths: vec![count], factors: vec![1], offset: 0, mem4d: false }
    }

    fn tensor(choices: &mut Choices, count: usize) -> AddressCursor {
        let mut lengths = vec![count];
        while lengths.len() < 4 && choices.below(3) > 0 {
            // Another factor of the last dimension becomes a dimension of its own.
            let last = lengths[lengths.len() - 1];
            let divisors: Vec<usize> = (1..=last).filter(|d| last % d == 0).collect();
            let outer = choices.pick(&divisors);
            let place = lengths.len() - 1;
            lengths[place] = outer;
            lengths.push(last / outer);
        }
        let factors = lengths.iter().map(|_| choices.between(-3, 5)).collect();
        AddressCursor::new(choices, lengths, factors, true)
    }

    /// Starts where no element lies below the array.
    fn new(choices: &mut Choices, lengths: Vec<usize>, factors: Vec<i32>, mem4d: bool) -> AddressCursor {
        let mut cursor = AddressCursor { lengths, factors, offset: 0, mem4d };
        let lowest = cursor.places().into_iter().min().unwrap_or(0);
        cursor.offset = choices.below(3) as i32 - lowest;
        cursor
    }

    /// The elements it visits, in order.
    pub fn places(&self) -> Vec<i32> {
        let mut places = vec![self.offset];
        for (length, factor) in self.lengths.iter().zip(&self.factors) {
            let steps = |place: i32| (0..*length as i32).map(move |step| place + step * factor);
            places = places.into_iter().flat_map(steps).collect();
        }
        places
    }

    /// The elements it visits, when all of them lie in the array.
    pub fn indices(&self) -> Vec<usize> {
        self.places().into_iter().map(|place| usize::try_from(place).expect("a place in the array")).collect()
    }

    /// One past the last element that it visits.
    pub fn end(&self) -> usize {
        self.indices().into_iter().max().map_or(0, |last| last + 1)
    }

    /// Where it goes on when the slowest variable goes on.
    pub fn next(&self) -> AddressCursor {
        let moved = self.factors[0] * self.lengths[0] as i32;
        AddressCursor { offset: self.offset + moved, ..self.clone() }
    }

    /// The DSD, from fields instead of an access.
    pub fn fields(&self, name: &str) -> String {
        let offset = self.offset;
        if !self.mem4d {
            let (extent, stride) = (self.lengths[0], self.factors[0]);
            return format!(
                "@get_dsd(mem1d_dsd, .{{ .base_address = &{name}, .extent = {extent}, .stride = {stride}, \
                 .offset = {offset} }})"
            );
        }
        // Strides are written fastest first, and lead from the last element of what is inside.
        let mut strides = Vec::new();
        let mut inside = 0;
        for (length, factor) in self.lengths.iter().zip(&self.factors).rev() {
            strides.push((factor - inside).to_string());
            inside += factor * (*length as i32 - 1);
        }
        let extents: Vec<_> = self.lengths.iter().map(usize::to_string).collect();
        format!(
            "@get_dsd(mem4d_dsd, .{{ .base_address = &{name}, .extent = .{{ {} }}, .stride = .{{ {} }}, \
             .offset = {offset} }})",
            extents.join(", "),
            strides.join(", ")
        )
    }

    /// `|i,j|{2,3} -> name[3 * i + j + 1]`
    pub fn access(&self, name: &str) -> String {
        let variables = VARIABLES[..self.lengths.len()].join(", ");
        let lengths: Vec<_> = self.lengths.iter().map(usize::to_string).collect();
        format!("|{variables}|{{{}}} -> {name}[{}]", lengths.join(", "), sum(&self.factors, self.offset))
    }

    /// The DSD.
    pub fn dsd(&self, name: &str) -> String {
        let kind = if self.mem4d { "mem4d_dsd" } else { "mem1d_dsd" };
        format!("@get_dsd({kind}, .{{ .tensor_access = {} }})", self.access(name))
    }
}

/// `2 * i - j + 3`
pub fn sum(factors: &[i32], offset: i32) -> String {
    let mut text = String::new();
    let mut add = |negative: bool, term: String| {
        let sign = match (text.is_empty(), negative) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        text.push_str(sign);
        text.push_str(&term);
    };
    for (factor, variable) in factors.iter().zip(VARIABLES) {
        match factor.unsigned_abs() {
            0 => {}
            1 => add(*factor < 0, variable.to_string()),
            size => add(*factor < 0, format!("{size} * {variable}")),
        }
    }
    if offset != 0 || factors.iter().all(|factor| *factor == 0) {
        add(offset < 0, offset.unsigned_abs().to_string());
    }
    text
}

#[test]
fn nested_loops_visit_the_last_variable_fastest() {
    let cursor = AddressCursor { lengths: vec![2, 3], factors: vec![-1, 10], offset: 1, mem4d: true };
    assert_eq!(cursor.indices(), [1, 11, 21, 0, 10, 20]);
    assert_eq!(cursor.next().places(), [-1, 9, 19, -2, 8, 18]);
    assert_eq!(cursor.access("a"), "|i, j|{2, 3} -> a[-i + 10 * j + 1]");
    assert_eq!(sum(&[0, 0], 0), "0");
}

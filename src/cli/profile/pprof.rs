//! A profile for `go tool pprof`: busy cycles by line, function and task, with the PE as a label.
//!
//! The format is a message of Protocol Buffers (github.com/google/pprof, proto/profile.proto), which `pprof` reads compressed
//! or not. The few kinds of fields that it needs are written here.

use crate::profile::Profile;
use indexmap::IndexSet;

/// The file.
pub fn file(profile: &Profile) -> Vec<u8> {
    let mut strings: IndexSet<String> = IndexSet::from([String::new()]);
    let mut string = |text: &str| strings.insert_full(text.to_string()).0 as u64;
    let mut out = Message::default();
    let mut kind = Message::default();
    kind.number(1, string("cycles")).number(2, string("count"));
    out.message(1, &kind);
    let (column, row) = (string("x"), string("y"));
    // Locations and functions have numbers from 1 on: first the lines, then the tasks and functions.
    let first_function = profile.lines.len() as u64 + 1;
    for slice in &profile.slices {
        let at = &profile.pes[slice.pe as usize];
        let line = u64::from(slice.line) + 1;
        let outer = slice.task.filter(|task| *task != slice.function);
        let outer = [Some(slice.function), outer].into_iter().flatten();
        let stack: Vec<u64> =
            std::iter::once(line).chain(outer.map(|function| first_function + u64::from(function))).collect();
        let mut sample = Message::default();
        sample.numbers(1, &stack).numbers(2, &[slice.busy]);
        for (key, value) in [(column, at.x), (row, at.y)] {
            let mut label = Message::default();
            label.number(1, key).number(3, value.into());
            sample.message(3, &label);
        }
        out.message(2, &sample);
    }
    let lines = profile.lines.iter().map(|line| (format!("line {}", line.line), line.file, line.line));
    let functions = profile.functions.iter().map(|f| (f.name.clone(), f.file, f.line));
    for (index, (name, file, line)) in lines.chain(functions).enumerate() {
        let id = index as u64 + 1;
        let mut place = Message::default();
        place.number(1, id).number(2, line.into());
        let mut location = Message::default();
        location.number(1, id).message(4, &place);
        out.message(4, &location);
        let mut function = Message::default();
        let file = profile.files.get(file as usize).map_or("", String::as_str);
        let name = string(&name);
        function.number(1, id).number(2, name).number(3, name).number(4, string(file)).number(5, line.into());
        out.message(5, &function);
    }
    let mut period = Message::default();
    period.number(1, string("cycles")).number(2, string("count"));
    let comment = string("cycles are estimates");
    strings.iter().for_each(|text| out.bytes(6, text.as_bytes()));
    out.message(11, &period).number(12, 1).numbers(13, &[comment]);
    out.0
}

/// A message that is being written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value > 0x7f {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A field with a number; zero is what a field without a value has.
    fn number(&mut self, field: u64, value: u64) -> &mut Message {
        if value != 0 {
            self.varint(field << 3);
            self.varint(value);
        }
        self
    }

    /// A field with several numbers.
    fn numbers(&mut self, field: u64, values: &[u64]) -> &mut Message {
        let mut packed = Message::default();
        values.iter().for_each(|value| packed.varint(*value));
        self.bytes(field, &packed.0);
        self
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn message(&mut self, field: u64, message: &Message) -> &mut Message {
        self.bytes(field, &message.0);
        self
    }
}

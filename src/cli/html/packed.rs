//! Tables of numbers in a page: columns, each in the form in which it takes the fewest bytes, all compressed together.
//!
//! `packed.js` reads them. JSON of the same numbers takes about six times as much, and a browser several times as long.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::Write;

/// How the numbers of a column are written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// The differences between neighbours, for numbers that are close to each other.
    Steps,
    /// The numbers themselves, small ones in one byte.
    Numbers,
    /// All lowest bytes, then all second bytes and so on: for numbers without an order.
    Planes,
}

/// A number that can stand in a column.
pub trait Cell: Copy {
    /// The array of JavaScript that holds such numbers.
    const ARRAY: &'static str;
    /// The number.
    fn wide(self) -> i64;
}

macro_rules! cells {
    ($($ty:ty: $array:literal),*) => {
        $(impl Cell for $ty {
            const ARRAY: &'static str = $array;
            fn wide(self) -> i64 {
                self as i64
            }
        })*
    };
}

// Cycles are below 2^53, up to which a float is exact.
cells!(u8: "Uint8Array", u16: "Uint16Array", u32: "Uint32Array", i32: "Int32Array", u64: "Float64Array");

/// A table that is being packed.
#[derive(Default)]
pub struct Packer {
    columns: Vec<Value>,
    bytes: Vec<u8>,
}

impl Packer {
    /// Adds a column.
    pub fn column<T: Cell>(mut self, name: &str, form: Form, values: &[T]) -> Packer {
        let wide = values.iter().map(|value| value.wide());
        match form {
            Form::Steps => {
                let mut before = 0;
                for now in wide {
                    let step = now - before;
                    before = now;
                    put(&mut self.bytes, ((step << 1) ^ (step >> 63)) as u64);
                }
            }
            Form::Numbers => wide.for_each(|value| put(&mut self.bytes, value as u64)),
            Form::Planes => {
                for byte in 0..size_of::<T>() {
                    self.bytes.extend(values.iter().map(|value| (value.wide() >> (8 * byte)) as u8));
                }
            }
        }
        let form = match form {
            Form::Steps => "steps",
            Form::Numbers => "numbers",
            Form::Planes => "planes",
        };
        self.columns.push(json!([name, form, T::ARRAY, values.len()]));
        self
    }

    /// The table as the page holds it.
    pub fn packed(self) -> Value {
        json!({ "columns": self.columns, "bytes": compressed(&self.bytes) })
    }
}

/// A number in as few bytes as it needs, seven bits in each, the lowest first.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Data in a compressed form, for those that are large and of which much is alike.
pub fn packed_json(data: &impl Serialize) -> Value {
    let json = serde_json::to_vec(data).expect("numbers and strings are always valid JSON");
    json!({ "json": compressed(&json) })
}

/// Compressed bytes as text.
fn compressed(bytes: &[u8]) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    BASE64_STANDARD.encode(written.expect("memory takes all that is written to it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::ZlibDecoder;
    use std::io::Read;

    fn bytes(table: &Value) -> Vec<u8> {
        let text = table["bytes"].as_str().expect("a text");
        let mut all = Vec::new();
        ZlibDecoder::new(&BASE64_STANDARD.decode(text).unwrap()[..]).read_to_end(&mut all).unwrap();
        all
    }

    #[test]
    fn columns_follow_each_other_in_their_forms() {
        let table = Packer::default()
            .column("cycle", Form::Steps, &[3u64, 3, 200, 199])
            .column("text", Form::Numbers, &[1u32, 300])
            .column("data", Form::Planes, &[0x0102u16, 0x0304])
            .packed();
        let columns = [
            json!(["cycle", "steps", "Float64Array", 4]),
            json!(["text", "numbers", "Uint32Array", 2]),
            json!(["data", "planes", "Uint16Array", 2]),
        ];
        assert_eq!(table["columns"], json!(columns));
        assert_eq!(bytes(&table), [6, 0, 0x8a, 3, 1, 1, 0xac, 2, 2, 4, 1, 3]);
    }

    #[test]
    fn what_is_missing_is_a_negative_number() {
        let table = Packer::default().column("span", Form::Steps, &[-1i32, 5, -1]).packed();
        assert_eq!(bytes(&table), [1, 12, 11]);
    }
}

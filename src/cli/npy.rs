use super::number::Number;
use super::output;
use crate::Scalar;
use half::f16;
use npyz::{AutoSerialize, Deserialize, NpyFile, Order, TypeStr, WriterBuilder};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

/// Bytes that the header of a plain array may have; it needs about a hundred.
const LONGEST_HEADER: u64 = 4096;

const RECORDS: &str = "the elements are records, not plain numbers";

/// Reads an array of numbers, flat, the last index fastest, and keeps what `each` makes of every number: a large wafer
/// has many.
pub fn read<N: Copy>(path: &Path, each: impl FnMut(Number) -> N) -> Result<Vec<N>, String> {
    read_from(path, each).map_err(|e| format!("{}: {e}", path.display()))
}

/// Writes an array of machine values, given as bits, the last index fastest.
pub fn write(path: &Path, shape: &[u64], scalar: Scalar, bits: &[u64]) -> Result<(), String> {
    let result = match scalar {
        Scalar::Bool => write_as(path, shape, bits.iter().map(|b| b & 1 != 0)),
        Scalar::I8 => write_as(path, shape, bits.iter().map(|b| *b as i8)),
        Scalar::U8 => write_as(path, shape, bits.iter().map(|b| *b as u8)),
        Scalar::I16 => write_as(path, shape, bits.iter().map(|b| *b as i16)),
        Scalar::U16 => write_as(path, shape, bits.iter().map(|b| *b as u16)),
        Scalar::I32 => write_as(path, shape, bits.iter().map(|b| *b as i32)),
        Scalar::U32 => write_as(path, shape, bits.iter().map(|b| *b as u32)),
        Scalar::I64 => write_as(path, shape, bits.iter().map(|b| *b as i64)),
        Scalar::U64 => write_as(path, shape, bits.iter().copied()),
        Scalar::F16 => write_as(path, shape, bits.iter().map(|b| f16::from_bits(*b as u16))),
        // Numpy has no type for bf16 and cb16; an f32 holds their values.
        Scalar::Bf16 | Scalar::Cb16 | Scalar::F32 => {
            let values = bits.iter().map(|b| scalar.float_value(*b).unwrap_or_default() as f32);
            write_as(path, shape, values)
        }
    };
    result.map_err(|e| format!("{}: {e}", path.display()))
}

fn read_from<N: Copy>(path: &Path, each: impl FnMut(Number) -> N) -> Result<Vec<N>, String> {
    let mut file = File::open(path).map_err(|e| e.to_string())?;
    check_header(&mut file)?;
    let npy = NpyFile::new(BufReader::new(file)).map_err(|e| format!("not a .npy file: {e}"))?;
    let (shape, order) = (npy.shape().to_vec(), npy.order());
    let numbers = numbers(npy, each)?;
    Ok(match order {
        Order::C => numbers,
        Order::Fortran => last_index_fastest(&numbers, &shape),
    })
}

/// Refuses a header that no plain array has: the reader takes exponential time for nested brackets, and as
/// much memory as the header claims to need.
fn check_header(file: &mut File) -> Result<(), String> {
    const MAGIC: &[u8] = b"\x93NUMPY";
    let mut start = Vec::new();
    let longest = MAGIC.len() as u64 + 6 + LONGEST_HEADER;
    file.take(longest).read_to_end(&mut start).map_err(|e| e.to_string())?;
    file.rewind().map_err(|e| e.to_string())?;
    let is_long =
        |bytes: &[u8]| bytes.iter().fold(0, |n: u64, byte| n << 8 | u64::from(*byte)) > LONGEST_HEADER;
    let text = match start.strip_prefix(MAGIC) {
        Some([1, _, _, _, text @ ..]) => text,
        // The length is written with its low byte first.
        Some([2 | 3, _, a, b, c, d, text @ ..]) if !is_long(&[*d, *c, *b, *a]) => text,
        _ => return Err("not a .npy file".to_string()),
    };
    let header = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if header.contains(&b'[') {
        return Err(RECORDS.to_string());
    }
    match header.iter().filter(|byte| matches!(byte, b'(' | b'{')).count() {
        0..=2 => Ok(()),
        _ => Err("not a .npy file: its header has nested brackets".to_string()),
    }
}

fn numbers<N>(npy: NpyFile<BufReader<File>>, mut each: impl FnMut(Number) -> N) -> Result<Vec<N>, String> {
    let npyz::DType::Plain(ty) = npy.dtype() else {
        return Err(RECORDS.to_string());
    };
    match kind(&ty).as_str() {
        "b1" => all(npy, |x| each(Number::Bool(x))),
        "i1" => all(npy, |x: i8| each(Number::Int(x.into()))),
        "u1" => all(npy, |x: u8| each(Number::Int(x.into()))),
        "i2" => all(npy, |x: i16| each(Number::Int(x.into()))),
        "u2" => all(npy, |x: u16| each(Number::Int(x.into()))),
        "i4" => all(npy, |x: i32| each(Number::Int(x.into()))),
        "u4" => all(npy, |x: u32| each(Number::Int(x.into()))),
        "i8" => all(npy, |x: i64| each(Number::Int(x.into()))),
        "u8" => all(npy, |x: u64| each(Number::Int(x.into()))),
        "f2" => all(npy, |x: f16| each(Number::Float(x.to_f64()))),
        "f4" => all(npy, |x: f32| each(Number::Float(x.into()))),
        "f8" => all(npy, |x| each(Number::Float(x))),
        other => Err(format!("elements of type {other} are not numbers that a PE can hold")),
    }
}

/// The type as numpy abbreviates it, without the byte order: `f4`.
fn kind(ty: &TypeStr) -> String {
    ty.to_string().trim_start_matches(['<', '>', '|', '=']).to_string()
}

fn all<T: Deserialize, N>(
    npy: NpyFile<BufReader<File>>,
    mut each: impl FnMut(T) -> N,
) -> Result<Vec<N>, String> {
    let data = npy.data::<T>().map_err(|e| e.to_string())?;
    data.map(|x| x.map(&mut each).map_err(|e| e.to_string())).collect()
}

fn last_index_fastest<N: Copy>(numbers: &[N], shape: &[u64]) -> Vec<N> {
    let position = |mut flat: usize| {
        let mut index = vec![0; shape.len()];
        for (i, extent) in shape.iter().enumerate().rev() {
            (index[i], flat) = (flat % *extent as usize, flat / *extent as usize);
        }
        index.iter().zip(shape).rev().fold(0, |at, (i, extent)| at * *extent as usize + i)
    };
    (0..numbers.len()).map(|flat| numbers[position(flat)]).collect()
}

fn write_as<T: AutoSerialize>(path: &Path, shape: &[u64], values: impl Iterator<Item = T>) -> io::Result<()> {
    output::write_file(path, |file| {
        let options = npyz::WriteOptions::new().default_dtype().shape(shape);
        let mut writer = options.writer(file).begin_nd()?;
        writer.extend(values)?;
        writer.finish()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn scratch(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("cslrun-npy-{}-{name}.npy", std::process::id()))
    }

    #[test]
    fn what_is_written_reads_back() {
        let path = scratch("back");
        write(&path, &[2, 3], Scalar::F16, &[0x3c00, 0, 0, 0, 0, 0xc000]).unwrap();
        let back = read(&path, |n| n).unwrap();
        assert_eq!((back[0], back[5], back.len()), (Number::Float(1.0), Number::Float(-2.0), 6));
        write(&path, &[2], Scalar::I16, &[0xffff, 7]).unwrap();
        assert_eq!(read(&path, |n| n).unwrap(), [Number::Int(-1), Number::Int(7)]);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn an_array_in_column_order_is_turned() {
        let path = scratch("fortran");
        let file = File::create(&path).unwrap();
        let options = npyz::WriteOptions::new().default_dtype().shape(&[2, 3]).order(Order::Fortran);
        let mut writer = options.writer(file).begin_nd().unwrap();
        writer.extend([0_i32, 10, 1, 11, 2, 12]).unwrap();
        writer.finish().unwrap();
        assert_eq!(read(&path, |n| n).unwrap(), [0, 1, 2, 10, 11, 12].map(Number::Int));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_header_that_is_hard_to_read_is_refused_at_once() {
        let path = scratch("nested");
        let refusal = |version: u8, length: &[u8], header: &str| {
            let bytes = [b"\x93NUMPY", &[version, 0][..], length, header.as_bytes(), b"\n12345678"].concat();
            std::fs::write(&path, bytes).unwrap();
            read(&path, |n| n).unwrap_err()
        };
        let nested = |open: &str, close: &str| open.repeat(40) + &close.repeat(40);
        let list = format!("{{'descr': {}, 'fortran_order': False, 'shape': (4,)}}", nested("[", "]"));
        assert!(refusal(2, &[99, 0, 0, 0], &list).contains("records"));
        assert!(refusal(1, &[99, 0], &list).contains("records"));
        let shape = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {}}}", nested("(", ")"));
        assert!(refusal(1, &[99, 0], &shape).contains("nested"));
        let plain = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}";
        assert!(refusal(2, &[0, 0, 0, 0xff], plain).contains("not a .npy file"));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_that_is_no_array_is_refused_by_name() {
        let path = scratch("text");
        std::fs::write(&path, "A = 1, 2, 3").unwrap();
        let refusal = read(&path, |n| n).unwrap_err();
        assert!(refusal.contains("text.npy") && refusal.contains("not a .npy file"), "{refusal}");
        std::fs::remove_file(path).unwrap();
        assert!(read(&scratch("absent"), |n| n).is_err());
    }
}

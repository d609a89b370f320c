//! A compiled program as a file: a header that names the format, a checksum, then the program and its tiles in
//! postcard.

use super::{Program, stored};
use std::fmt;

const MAGIC: &[u8; 8] = b"cslrun\r\n";

/// Changes whenever a type inside [`Program`] changes, so that an old file is recognised.
const FORMAT: u32 = 31;

/// Why bytes are not a program that this version can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// The bytes were not written by cslrun.
    NotAProgram,
    /// Another version of cslrun wrote them; the version that their header names.
    OtherVersion(String),
    /// The header is right and what follows is not.
    Damaged(String),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::NotAProgram => f.write_str("this is not a program compiled by cslrun"),
            FileError::OtherVersion(theirs) => {
                write!(
                    f,
                    "the program was compiled by cslrun {theirs}, and this is {}; compile it again with the `cslrun` or \
                     `cslc` of this installation",
                    version()
                )
            }
            FileError::Damaged(why) => write!(f, "the compiled program is damaged ({why}); compile it again"),
        }
    }
}

impl std::error::Error for FileError {}

/// The program as bytes; [`from_bytes`] reads them back.
pub fn to_bytes(program: &Program) -> Vec<u8> {
    let version = version();
    let mut bytes = MAGIC.to_vec();
    bytes.push(version.len() as u8);
    bytes.extend(version.as_bytes());
    let checksum = bytes.len()..bytes.len() + size_of::<u32>();
    bytes.extend([0; size_of::<u32>()]);
    let whole = postcard::to_extend(program, bytes).and_then(|bytes| stored::append(&program.tiles, bytes));
    let mut bytes = whole.expect("every part of a program can be stored");
    let sum = crc32fast::hash(&bytes[checksum.end..]);
    bytes[checksum].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Bytes behind their checksum; [`unsealed`] looks at it.
pub fn sealed(body: Vec<u8>) -> Vec<u8> {
    let mut bytes = crc32fast::hash(&body).to_le_bytes().to_vec();
    bytes.extend(body);
    bytes
}

/// The bytes that [`sealed`] was given, if they are still the same.
pub fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    let (checksum, body) = bytes.split_first_chunk()?;
    (crc32fast::hash(body) == u32::from_le_bytes(*checksum)).then_some(body)
}

/// The program that [`to_bytes`] has written.
pub fn from_bytes(bytes: &[u8]) -> Result<Program, FileError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(FileError::NotAProgram)?;
    let (length, rest) = rest.split_first().ok_or(FileError::NotAProgram)?;
    let (theirs, body) = rest.split_at_checked(usize::from(*length)).ok_or(FileError::NotAProgram)?;
    if theirs != version().as_bytes() {
        return Err(FileError::OtherVersion(String::from_utf8_lossy(theirs).into_owned()));
    }
    let body = unsealed(body).ok_or_else(|| FileError::Damaged("its checksum does not match".to_string()))?;
    let read = || {
        let (program, tiles) = postcard::take_from_bytes::<Program>(body)?;
        Ok(Program { tiles: stored::read(tiles)?, ..program })
    };
    let program = read().map_err(|e: postcard::Error| FileError::Damaged(e.to_string()))?;
    program.verify().map_err(|why| FileError::Damaged(why.to_string()))?;
    Ok(program)
}

fn version() -> String {
    format!("{} (format {FORMAT})", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::ArchName;
    use crate::image::{FabricPlace, RouteTable};
    use crate::source::SourceMap;

    fn program() -> Program {
        Program {
            arch: ArchName::Wse3,
            width: 2,
            height: 1,
            fabric: FabricPlace { width: 9, height: 3, x: 4, y: 1, channels: 1 },
            tiles: Vec::new(),
            place: vec![crate::image::NO_TILE; 2],
            routes: RouteTable::new(2),
            exports: Vec::new(),
            memcpy: None,
            sdk_layout: None,
            origin: None,
            sources: SourceMap::default(),
        }
    }

    #[test]
    fn a_program_survives_its_file() {
        let again = from_bytes(&to_bytes(&program())).expect("it was just written");
        assert_eq!((again.arch, again.width, again.fabric), (ArchName::Wse3, 2, program().fabric));
    }

    #[test]
    fn foreign_and_stale_files_are_told_apart() {
        assert_eq!(from_bytes(b"\x7fELF").err(), Some(FileError::NotAProgram));
        let mut stale = to_bytes(&program());
        stale[MAGIC.len() + 1] = b'9';
        assert!(matches!(from_bytes(&stale), Err(FileError::OtherVersion(v)) if v.starts_with('9')));
    }

    #[test]
    fn tables_that_do_not_cover_the_rectangle_are_damage() {
        let short = [
            Program { place: vec![crate::image::NO_TILE], ..program() },
            Program { routes: RouteTable::new(1), ..program() },
        ];
        for program in short {
            assert!(matches!(from_bytes(&to_bytes(&program)), Err(FileError::Damaged(_))));
        }
    }

    #[test]
    fn no_byte_can_be_changed_or_left_out_unnoticed() {
        let whole = to_bytes(&program());
        for at in 0..whole.len() {
            assert!(from_bytes(&whole[..at]).is_err(), "cut behind {at} bytes");
            for bit in 0..8 {
                let mut changed = whole.clone();
                changed[at] ^= 1 << bit;
                assert!(from_bytes(&changed).is_err(), "bit {bit} of byte {at}");
            }
        }
    }
}

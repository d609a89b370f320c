//! Files of numpy whose bytes are damaged.

use super::Signs;
use cslrun::MemoryLoader;
use cslrun::cli::{Exit, perform_words};

const PROGRAM: &str = "var x = @zeros([4]f32);\nvar x_ptr: [*]f32 = &x;\n\
comptime { @export_symbol(x_ptr, \"x\"); }\n";

/// Small arrays of several types and shapes.
pub fn seeds() -> Vec<Vec<u8>> {
    let array = |descr: &str, shape: &str, data: &[u8]| {
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        while (header.len() + 11) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    };
    vec![
        array("<f4", "(4,)", &[0; 16]),
        array(">f4", "(2, 2)", &[1; 16]),
        array("<i8", "(1, 4)", &[2; 32]),
        array("|u1", "(4,)", &[3; 4]),
        array("<f2", "()", &[4; 2]),
        array("|O", "(4,)", b"pickle"),
    ]
}

/// Gives the file to a program.
pub fn read(bytes: &[u8]) -> Signs {
    let name = format!("cslrun-fuzz-{}-{:?}.npy", std::process::id(), std::thread::current().id());
    let path = std::env::temp_dir().join(name.replace(['(', ')'], ""));
    if std::fs::write(&path, bytes).is_err() {
        return Signs::new();
    }
    let mut files = MemoryLoader::default();
    files.add("main.csl", PROGRAM);
    let set = format!("x={}", path.display());
    let outcome = perform_words(&["cslrun", "--set", &set, "main.csl"], &files);
    let _ = std::fs::remove_file(&path);
    let Some(outcome) = outcome else { return Signs::new() };
    assert!(outcome.exit != Exit::OurFault, "exit 70: {:?}", outcome.complaint);
    let why = outcome.complaint.unwrap_or_default();
    // What follows the name of the file, without what the file says of itself.
    let kind =
        why.split(".npy: ").nth(1).unwrap_or_default().chars().take_while(|c| c.is_alphabetic() || *c == ' ');
    Signs::from([format!("{:?} {}", outcome.exit, kind.collect::<String>())])
}

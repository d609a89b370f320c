//! Runs the examples of `examples/seeds`: the snippets of the specification, each completed to a
//! program.
//!
//! They are written like the cases: a header, marks at the lines that break rules, `@assert`s that
//! hold. A file without a header is a part of the program whose name its own begins with.

use crate::case_file::{Case, CaseFile, is_program};
use crate::cases::check;
use crate::{files_below, root};
use std::path::Path;

/// What each snippet of a document writes and no other does, by the folder of its programs.
#[rustfmt::skip]
const SNIPPETS: [(&str, &[&str]); 3] = [
    ("dsds", &[
        "const tenWords =",
        "const oddElements =",
        "const firstElement =",
        "const diagonal =",
        "const memDSD =",
        "@add16(memDSD, memDSD, data, .{.index = my_index})",
        "@add16(memDSD, memDSD, data);",
        "|i,j|{2,2} -> array[i, j]",
        "|i,j,k,l|{1,2,1,4} -> array[i, j, 1+k, l]",
        "array[i + j + k + l]",
        "-> dst_array[0]",
        "@fmovh(dst_array, src_dsd)",
        "@fmovh(&dst_scalar, src_dsd)",
        "const inDsd =",
        "const outDsd =",
        "const dsd = @get_dsd(fabout_dsd",
        "const outDSD =",
        "@add16(outDSD, memDSD, 42, .{.index = my_index})",
        "@add16(outDSD, memDSD, 42);",
        "@allocate_fifo(fifo_buffer)",
        ".{ .activate_pop = on_pop, .activate_push = on_push }",
        "@set_fifo_write_length(fifo, fifo_length)",
        "@set_fifo_read_length(fifo, fifo_length)",
        "@move(",
        "@set_dsd_base_addr(input_dsd, A)",
        "@set_dsd_base_addr(input_dsd, &A)",
        "@increment_dsd_offset(dsdA, -10, f32)",
        "@set_dsd_length(input_dsd, length)",
        "@set_dsd_stride(",
        "@load_to_dsr(source_dsr, my_fabin_dsd",
        ".{.async = true, .activate = mytask}",
        ".{.async = true, .unblock =",
        ".{.async = true, .activate = my_task_id}",
        ".on_control = .{.terminate = true}",
        ".on_control = .{.activate = mytask}",
        ".on_control = .{.unblock = ",
        ".input_queue = @get_input_queue(0)",
        ".output_queue = @get_output_queue(0)",
        "@mov16(fabric_out_dsd, memory_dsd2, .{ .async = true })",
        "@mov16(mem2_dsd, fabric_in_dsd, .{ .async = true })",
        ".priority = .{ .high = true }",
        ".simd_mode = .{ .simd_32 = true }",
        ".zero = .{ .first_source = true }",
        "@fmulh(out_dsd, in_first_dsd, out_first_dsd)",
        ".advance_switch = true",
        "@mov32(fifo, in_dsd, .{ .async = true })",
    ]),
    ("dsrs", &[
        "const dsr1 = @get_dsr(dsr_dest, 0)",
        "const dsr5 = @get_dsr(dsr_fifo_src1, dsr3)",
        "const my_xdsr = @get_xdsr(4)",
        "const my_sr = @get_sr(4)",
        "@load_to_dsr(dsr2, fab_dsd",
        "@load_to_dsr_xdsr(dsr, xdsr, circbuf, .{.save_address = true})",
        "@load_to_dsr_xdsr_sr(dsr, xdsr, .{}, comptime_dsd)",
        "@load_to_dsr_xdsr_sr(dsr, xdsr, .{sr1, sr2, sr3}, dsd",
        "@set_dsr_base_addr(dsr, B)",
        "@set_dsr_base_addr(dsr, &A[2])",
        "@mov16(chunks_out_dsr, chunks_in_dsr)",
        "@set_dsr_base_addr(chunks_out_dsr",
        "@map(math_lib.sqrt_f16, inDSR, outDSR)",
        "const my_fifo = @allocate_fifo(buf",
    ]),
    ("microthreads", &[
        "@mov16(out_dsd, in_dsd, .{.async = true, .ut_id = ut0})",
        "@mov16(out_dsd, in_dsd, .{.async = true, .ut_id = ut1})",
        "@mov16(out_dsr, in_dsd, .{.async = true, .ut_id = ut4})",
        "@mov16(out_dsd, in_dsr, .{.async = true, .ut_id = ut4})",
        "@mov16(out_dsd, in_dsd, .{.async = true})",
        "@unblock(ut0)",
        "@block(ut)",
        "@block(ut0)",
    ]),
];

#[test]
fn every_snippet_has_a_program() {
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    for (folder, snippets) in SNIPPETS {
        let files = files_below(&root().join("examples/seeds").join(folder), "csl");
        let programs: Vec<String> = files.iter().map(|path| plain(&read(path))).collect();
        let has_program = |snippet: &&&str| programs.iter().any(|text| text.contains(&plain(snippet)));
        let missing: Vec<_> = snippets.iter().filter(|snippet| !has_program(snippet)).collect();
        assert!(missing.is_empty(), "{folder}: no program has {missing:?}");
    }
}

#[test]
fn every_snippet_behaves_as_its_comments_say() {
    let failures: Vec<_> = files_below(&root().join("examples/seeds"), "csl")
        .iter()
        .filter_map(|path| Some(format!("{}: {}", name(path), check_program(path).err()?)))
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn every_program_is_listed_in_the_page() {
    let page = root().join("examples/seeds/README.md");
    let text = std::fs::read_to_string(page).expect("the page of the folder");
    let programs = files_below(&root().join("examples/seeds"), "csl").into_iter().filter(|p| is_program(p));
    let unlisted: Vec<_> =
        programs.map(|p| name(&p)).filter(|name| !text.contains(&format!("]({name})"))).collect();
    assert!(unlisted.is_empty(), "not in README.md: {unlisted:?}");
}

fn check_program(path: &Path) -> Result<(), String> {
    if !is_program(path) {
        return Ok(());
    }
    let mut case = Case::read(path)?;
    let program = file_name(path);
    let stem = program.trim_end_matches(".csl");
    for part in files_below(path.parent().expect("a file in a folder"), "csl") {
        let name = file_name(&part);
        if !is_program(&part) && name.starts_with(stem) {
            case.files.push(CaseFile { name, text: read(&part) });
        }
    }
    check(&case).map(drop)
}

fn file_name(path: &Path) -> String {
    path.file_name().expect("a file").to_string_lossy().into_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The path below `examples/seeds`, as the page writes it.
fn name(path: &Path) -> String {
    let below = path.strip_prefix(root().join("examples/seeds")).expect("a path below the folder");
    below.display().to_string()
}

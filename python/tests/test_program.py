import numpy as np
import pytest
from conftest import COUNT, HEIGHT, PROGRAMS, WIDTH

import cslrun


def test_a_program_knows_its_machine_and_its_place(program):
    assert (program.arch, program.size, program.offset) == ("wse2", (WIDTH, HEIGHT), (4, 1))
    assert program.uses_memcpy


def test_exports_are_numbered_from_one_in_the_order_of_the_layout(program):
    assert [(e.id, e.name) for e in program.exports.values()][:2] == [(1, "words"), (2, "floats")]
    assert program.export("combine").inputs == ("i16", "u16", "i32", "u32", "f32")
    assert program.export("halves").dtype == np.float16
    assert program.export("words").mutable and not program.export("numbers").mutable


def test_an_unknown_name_lists_the_names_there_are(program):
    with pytest.raises(KeyError, match="no 'word'; it exports words, floats"):
        program.export("word")


def test_a_program_survives_its_file(program, tmp_path):
    program.save(tmp_path / "p")
    assert cslrun.Program.load(tmp_path / "p").exports == program.exports


def test_a_foreign_file_is_refused(tmp_path):
    (tmp_path / "p").write_bytes(b"\x7fELF")
    with pytest.raises(cslrun.CslError, match="not a program compiled by cslrun"):
        cslrun.Program.load(tmp_path / "p")


def test_invalid_csl_raises_the_report(tmp_path):
    (tmp_path / "bad.csl").write_text("var x: u16 = ;\n")
    with pytest.raises(cslrun.CompileError, match=r"bad\.csl:1:14"):
        cslrun.compile(tmp_path / "bad.csl")


def test_params_that_numpy_has_made_are_plain_numbers():
    params = {"width": np.int64(WIDTH), "height": np.uint16(HEIGHT), "count": COUNT}
    assert cslrun.compile(PROGRAMS / "grid.csl", params=params).size == (WIDTH, HEIGHT)


def test_a_param_of_another_type_is_refused():
    with pytest.raises(TypeError, match="width is a str; it must be an int, a float, a bool or a Color"):
        cslrun.compile(PROGRAMS / "grid.csl", params={"width": "3"})


def test_params_and_programs_of_another_kind_are_named(program):
    with pytest.raises(TypeError, match=r"params are a dict from names to values, such as \{'n': 4\}, not \[\('n', 4\)\]"):
        cslrun.compile(source_text="param n: u16;", params=[("n", 4)])
    with pytest.raises(TypeError, match="a run needs a Program, which cslrun.compile.. returns, not 'layout.csl'"):
        cslrun.Runner("layout.csl")


def test_imports_stay_in_the_folder_that_they_are_confined_to(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "other.csl").write_text("const value = 7;\n")
    program = tmp_path / "mine" / "a.csl"
    program.write_text('const other = @import_module("../other.csl");\nexport var x: u16 = other.value;\n')
    assert cslrun.compile(program).size == (1, 1)
    with pytest.raises(cslrun.CompileError, match="unreadable-file"):
        cslrun.compile(program, import_root=tmp_path / "mine")


def test_folders_to_import_from_exist(tmp_path):
    program = tmp_path / "a.csl"
    program.write_text("export var x: u16 = 3;\n")
    with pytest.raises(FileNotFoundError, match="import_root: there is no folder .*elsewhere"):
        cslrun.compile(program, import_root=tmp_path / "elsewhere")
    with pytest.raises(NotADirectoryError, match="import_paths: .*a.csl is not a folder"):
        cslrun.compile(program, import_paths=[tmp_path, program])
    in_memory = cslrun.compile(source_text="export var x: u16 = 3;", import_root=tmp_path / "elsewhere")
    assert in_memory.size == (1, 1)

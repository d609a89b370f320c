"""Commands at a terminal: the debugger on the whole screen, and the keys of the lessons."""

import os
import select
import subprocess
import time

import pytest
from conftest import command

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")

PATIENCE = 120

PROGRAM = """var n: u16 = 0;
task main() void {
  n += 1;
  n += 20;
}
const id = @get_local_task_id(8);
comptime {
  @bind_local_task(main, id);
  @activate(id);
}
"""


class Terminal:
    """A command at a terminal of 100 columns and 30 rows."""

    def __init__(self, words, folder):
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (30, 100)) if hasattr(termios, "tcsetwinsize") else None
        self.before = termios.tcgetattr(self.slave)
        self.text = ""
        self.process = subprocess.Popen(
            words, cwd=folder, stdin=self.slave, stdout=self.slave, stderr=self.slave, env={**os.environ, "TERM": "xterm"}
        )

    def until(self, words):
        """Reads until the words have come, and forgets what came with them."""
        end = time.monotonic() + PATIENCE
        while words not in self.text:
            assert time.monotonic() < end, f"{words!r} does not come in {self.text!r}"
            if select.select([self.master], [], [], 1)[0]:
                self.text += os.read(self.master, 65536).decode(errors="replace")
        self.text = ""

    def press(self, keys, words):
        os.write(self.master, keys.encode())
        self.until(words)

    def end(self, keys):
        """The exit status; the terminal is as it was."""
        os.write(self.master, keys.encode())
        status = self.process.wait(timeout=PATIENCE)
        assert termios.tcgetattr(self.slave)[3] == self.before[3]
        while select.select([self.master], [], [], 0)[0]:
            self.text += os.read(self.master, 65536).decode(errors="replace")
        os.close(self.slave)
        os.close(self.master)
        return status


def test_the_debugger_shows_code_and_values_on_the_whole_screen(tmp_path):
    (tmp_path / "pe.csl").write_text(PROGRAM, encoding="utf-8")
    terminal = Terminal([command("cslrun"), "debug", "pe.csl"], tmp_path)
    terminal.until("1  var n: u16 = 0;")
    terminal.press("break 4\r", "breakpoint 1: pe.csl:4")
    terminal.press("\x1b[15~", ">    4    n += 20;")
    terminal.press("\t", "n = 1")
    terminal.press("\x1b[18~", ">    3    n += 1;")
    terminal.press("print n + 6\r", "= 6")
    assert terminal.end("quit\r") == 0
    # What stood on the terminal before is there again.
    assert "\x1b[?1049l" in terminal.text


def test_the_end_of_input_ends_the_debugger_and_leaves_the_terminal_as_it_was(tmp_path):
    (tmp_path / "pe.csl").write_text(PROGRAM, encoding="utf-8")
    terminal = Terminal([command("cslrun"), "debug", "pe.csl"], tmp_path)
    terminal.until("1  var n: u16 = 0;")
    assert terminal.end("\x04") == 0


def test_a_key_of_the_lessons_needs_no_enter(tmp_path):
    terminal = Terminal([command("cslrun"), "learn", "--watch"], tmp_path)
    terminal.until("keys: n next")
    terminal.press("h", "hint 1 of")
    terminal.press("l", "keys: n next")
    assert terminal.end("q") == 0

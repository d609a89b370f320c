"""Host scripts under the debugger: at a prompt, and with an editor that attaches over TCP."""

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest
from conftest import PROGRAMS, call, command

SCRIPT = str(PROGRAMS / "grid_run.py")
KERNEL = str(PROGRAMS / "grid_pe.csl")
PATIENCE = 120

#: A launch that never unblocks the command stream, so that the copy behind it waits for ever.
HANGING = """
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
runner = SdkRuntime("out")
runner.load()
runner.run()
runner.launch("stay_busy", nonblock=False)
back = np.zeros(1, dtype=np.uint32)
options = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_32BIT, nonblock=False)
runner.memcpy_d2h(back, runner.get_id("words"), 0, 0, 1, 1, 1, **options)
"""

#: A script that computes for as long as there is no file `go`, between two launches.
COMPUTING = """
import time
from pathlib import Path
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
runner = SdkRuntime("out")
runner.load()
runner.run()
back = np.zeros(1, dtype=np.uint32)
options = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_32BIT, nonblock=False)
for _ in range(2):
    runner.launch("double_all", nonblock=False)
    runner.memcpy_d2h(back, runner.get_id("words"), 0, 0, 1, 1, 1, **options)
    while not Path("go").exists():
        time.sleep(0.01)
runner.stop()
print("SUCCESS!")
"""


def line_of(text):
    """The number of the first line of the kernel that holds a text."""
    lines = Path(KERNEL).read_text(encoding="utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if text in line)


class Editor:
    """A client of the Debug Adapter Protocol that attaches to a script."""

    def __init__(self, words, folder):
        self.script = subprocess.Popen(
            [command("cs_python"), "--cslrun-debug=0", *words],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        line = self.script.stderr.readline()
        assert "waiting for a debugger at" in line, line + self.script.stderr.read()
        host, port = line.split()[-1].rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=PATIENCE)
        self.stream = self.socket.makefile("rwb")
        self.sent = 0
        self.events = []

    def ask(self, name, **arguments):
        """Sends a request; the body of the response, or its message if it is refused."""
        self.sent += 1
        text = json.dumps({"seq": self.sent, "type": "request", "command": name, "arguments": arguments}).encode()
        self.stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.stream.flush()
        while True:
            message = self.receive()
            if message["type"] == "event":
                self.events.append(message)
            elif message["request_seq"] == self.sent:
                return message["body"] if message["success"] else message["message"]

    def receive(self):
        length = 0
        while line := self.stream.readline().strip():
            length = int(line.split(b":")[1])
        return json.loads(self.stream.read(length))

    def event(self, name):
        """The next event of this name."""
        while True:
            found = [event for event in self.events if event["event"] == name]
            if found:
                self.events.remove(found[0])
                return found[0]["body"]
            self.events.append(self.receive())

    def value(self, expression):
        answer = self.ask("evaluate", expression=expression)
        return answer["result"] if isinstance(answer, dict) else answer

    def end(self):
        """What the script has printed, and its exit status."""
        self.ask("disconnect")
        out, err = self.script.communicate(timeout=PATIENCE)
        self.stream.close()
        self.socket.close()
        return out, err, self.script.returncode


@pytest.fixture
def editor(compiled):
    """An editor that has attached to the script of the grid and has set a breakpoint in its kernel."""
    editor = Editor([SCRIPT, "--name", "out"], compiled.parent)
    editor.ask("initialize", linesStartAt1=True)
    editor.ask("attach")
    place = {"line": line_of("words[i] *= 2"), "condition": "pe.x == 1 and pe.y == 0 and i == 2"}
    set_ = editor.ask("setBreakpoints", source={"path": KERNEL}, breakpoints=[place])
    assert set_["breakpoints"][0]["verified"], set_
    editor.ask("configurationDone")
    return editor


def test_a_breakpoint_stops_a_launch_of_a_script_and_the_run_goes_back_from_there(editor):
    stopped = editor.event("stopped")
    assert stopped["reason"] == "breakpoint"
    # The script has copied 0, 1, 2 .. to the PEs, four words to each.
    assert editor.value("words") == "[8, 10, 6, 7]"
    frames = editor.ask("stackTrace", threadId=stopped["threadId"])["stackFrames"]
    assert [frame["name"] for frame in frames][:1] == ["double_all"]
    editor.ask("stepBack", threadId=stopped["threadId"])
    editor.event("stopped")
    editor.ask("stepBack", threadId=stopped["threadId"])
    editor.event("stopped")
    assert editor.value("words") in ("[8, 5, 6, 7]", "[8, 10, 6, 7]")
    editor.ask("reverseContinue", threadId=stopped["threadId"])
    assert editor.event("stopped")["reason"] == "entry"
    assert editor.value("words") == "[0, 0, 0, 0]"
    editor.ask("continue", threadId=stopped["threadId"])
    assert editor.event("stopped")["reason"] == "breakpoint"
    assert editor.value("words") == "[8, 10, 6, 7]"
    written = editor.ask("evaluate", expression="who wrote words[1]", context="repl")["result"]
    assert "grid_pe.csl" in written, written
    editor.ask("continue", threadId=stopped["threadId"])
    assert "finished" in editor.event("stopped")["text"]
    assert editor.value("words") == "[8, 10, 12, 14]"
    editor.ask("continue", threadId=stopped["threadId"])
    editor.event("terminated")
    out, err, status = editor.end()
    assert (out, status) == ("SUCCESS!\n", 0), err


def test_constants_and_parameters_are_known_as_in_a_run_without_a_script(editor):
    thread = editor.event("stopped")["threadId"]
    assert editor.value("count") == "4"
    assert editor.value("i + count") == "6"
    frame = editor.ask("stackTrace", threadId=thread)["stackFrames"][0]["id"]
    scopes = editor.ask("scopes", frameId=frame)["scopes"]
    known = next(scope for scope in scopes if scope["name"] == "Comptime")
    names = editor.ask("variables", variablesReference=known["variablesReference"])["variables"]
    assert ("count", "4") in [(variable["name"], variable["value"]) for variable in names], names
    editor.end()


def test_while_the_script_computes_an_editor_looks_at_the_last_moment_and_goes_back(compiled):
    script = compiled.parent / "computing.py"
    script.write_text(COMPUTING, encoding="utf-8")
    editor = Editor([str(script)], compiled.parent)
    editor.ask("initialize", linesStartAt1=True)
    editor.ask("attach")
    editor.ask("setFunctionBreakpoints", breakpoints=[{"name": "double_all PE(1,0)"}])
    editor.ask("configurationDone")
    thread = editor.event("stopped")["threadId"]
    editor.ask("continue", threadId=thread)
    # Nothing is to run any more before the script acts, which it does not without the file.
    editor.ask("pause", threadId=thread)
    assert "host script computes" in editor.event("stopped")["text"]
    frames = editor.ask("stackTrace", threadId=thread)["stackFrames"]
    assert "idle since" in frames[0]["name"] and editor.value("words.len") == "4"
    assert len(editor.ask("threads")["threads"]) == 6
    later = int(editor.value("cycle"))
    editor.ask("reverseContinue", threadId=thread)
    assert editor.event("stopped")["reason"] == "breakpoint"
    assert int(editor.value("cycle")) < later
    # The script comes back to the wafer, and waits there for the debugger.
    (compiled.parent / "go").touch()
    try:
        script_waits = editor.script.poll() is None
        editor.ask("continue", threadId=thread)
        assert editor.event("stopped")["reason"] == "breakpoint" and script_waits
        assert int(editor.value("cycle")) > later
        editor.ask("continue", threadId=thread)
        assert "finished" in editor.event("stopped")["text"]
        editor.ask("continue", threadId=thread)
        editor.event("terminated")
        out, err, status = editor.end()
    finally:
        (compiled.parent / "go").unlink()
    assert (out, status) == ("SUCCESS!\n", 0), err


def test_a_step_goes_on_over_what_the_script_does_meanwhile(editor):
    thread = editor.event("stopped")["threadId"]
    editor.ask("setBreakpoints", source={"path": KERNEL}, breakpoints=[])
    for _ in range(30):
        editor.ask("next", threadId=thread)
        stopped = editor.event("stopped")
        if stopped["reason"] != "step":
            break
    assert "finished" in stopped["text"]
    out, err, status = editor.end()
    assert (out, status) == ("SUCCESS!\n", 0), err


def test_an_editor_that_leaves_lets_the_script_go_on(editor):
    editor.event("stopped")
    out, err, status = editor.end()
    assert (out, status) == ("SUCCESS!\n", 0), err


def test_a_hang_of_a_script_stops_in_the_debugger_before_the_script_hears_of_it(compiled, tmp_path):
    script = compiled.parent / "hang.py"
    script.write_text(HANGING, encoding="utf-8")
    editor = Editor([str(script)], compiled.parent)
    editor.ask("initialize")
    assert "attach" in editor.ask("launch", program="grid.csl")
    editor.ask("attach")
    editor.ask("configurationDone")
    stopped = editor.event("stopped")
    assert stopped["reason"] == "exception"
    assert "unblock_cmd_stream" in json.dumps(editor.ask("exceptionInfo", threadId=stopped["threadId"]))
    editor.ask("reverseContinue", threadId=stopped["threadId"])
    assert editor.event("stopped")["reason"] == "step"
    editor.ask("continue", threadId=stopped["threadId"])
    assert editor.event("stopped")["reason"] == "exception"
    assert editor.script.poll() is None
    editor.ask("continue", threadId=stopped["threadId"])
    editor.event("terminated")
    _, err, status = editor.end()
    assert status == 1 and "RunError" in err and "unblock_cmd_stream" in err, err


def test_at_a_prompt_the_commands_of_the_debugger_are_typed_while_the_script_waits(compiled):
    typed = "break double_all PE(2,1)\ncontinue\nprint words\nfinish\nprint words[1]\nrc\nc\nc\nquit\n"
    words = [command("cs_python"), "--cslrun-debug", "prompt", SCRIPT, "--name", "out"]
    done = call(words, input=typed, cwd=compiled.parent)
    assert done.returncode == 0, done.stderr
    assert "3 x 2 PEs, before the first cycle" in done.stdout
    assert "words = [20, 21, 22, 23]" in done.stdout and "words[1] = 42" in done.stdout, done.stdout
    assert done.stdout.count("breakpoint 1") >= 2, done.stdout
    assert done.stdout.endswith("SUCCESS!\n"), done.stdout


@pytest.mark.parametrize(
    "variables, says",
    [
        ({"CSLRUN_DEBUGGER": "gdb"}, "`gdb` is neither `prompt` nor the number of a port"),
        ({"CSLRUN_DEBUGGER": "0", "CSLRUN_TRACE": "x.json"}, "a run that is debugged has no trace"),
    ],
)
def test_a_debugger_that_cannot_be_is_refused_before_the_script_runs(variables, says, tmp_path):
    done = call([command("cs_python"), "-c", "print(1)"], env={**os.environ, **variables}, cwd=tmp_path)
    assert done.returncode == 2 and says in done.stderr and not done.stdout, done.stderr


def test_a_port_that_is_taken_is_a_sentence(compiled):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = [command("cs_python"), f"--cslrun-debug={port}", SCRIPT, "--name", "out"]
        done = call(words, cwd=compiled.parent)
    assert done.returncode == 1 and f"ValueError: port {port}" in done.stderr, done.stderr

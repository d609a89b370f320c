"""Pages of `cslrun --report` in a real browser: the run in time, values, states, and how it ends."""

import subprocess

import pytest
from browser import LAPTOP, PROGRAM, Page, needs_browser

from cslrun import Runner

pytestmark = needs_browser


def multiples(n):
    return [str(n * k) for k in range(1, 7)]


def test_it_opens_at_the_start_and_steps(open_page):
    page = open_page("small")
    assert page.text("#title") == "layout.csl"
    assert "8 × 8 PEs" in page.text("#facts")
    assert page.text("#verdict") == f"ended after about {page.last} cycles (estimate)"
    assert page.cycle == 0
    for _ in range(3):
        page.press("step")
    assert page.cycle == 3
    page.press("back")
    assert page.cycle == 2
    page.press("last")
    assert page.cycle == page.last
    page.press("first")
    assert page.cycle == 0


def test_values_at_the_end_are_those_of_the_run(open_page, cslrun_command):
    page = open_page("small")
    page.scrub(page.last)
    for x, y, times in [(0, 0, 1), (2, 3, 6), (6, 7, 14), (7, 0, 8), (7, 7, 15)]:
        page.click_pe(x, y)
        assert page.text("#pe-name") == f"PE({x},{y})"
        assert page.values("path") == multiples(times)
    words = [cslrun_command, str(PROGRAM), "--get", "path"]
    shown = subprocess.run(words, capture_output=True, text=True, timeout=60).stdout
    assert "PE(7,7) = [15.0, 30.0, 45.0, 60.0, 75.0, 90.0]" in shown


def test_memory_changes_element_by_element(open_page):
    page = open_page("small")
    page.click_pe(1, 0)
    assert page.values("path") == multiples(1)
    seen = []
    while page.values("path") != multiples(2):
        before = page.values("path")
        page.press("step-event")
        after = page.values("path")
        if after == before:
            continue
        changed = [i for i in range(6) if before[i] != after[i]]
        fresh = page.all('.variable[data-name="path"] .cells .fresh')
        assert [cell.get_attribute("title") for cell in fresh] == [f"path[{i}]" for i in changed]
        seen += changed
        assert page.cycle < page.last
    assert seen == [0, 1, 2, 3, 4, 5]


def test_states_follow_the_run(open_page):
    page = open_page("small")
    page.scrub(17)
    page.click_pe(7, 7)
    assert page.text("#pe-state") == "stalled"
    assert ": input queue 2 (color 2) is empty" in page.text("#pe-details .stalled")
    assert page.lines_here() == ["    @fmovs(before, receive_west);"]
    # All but three PEs have received nothing yet.
    assert page.states()["stalled"] >= 61
    page.press("last")
    assert page.text("#pe-state") == "ended"
    assert page.states() == {"idle": 0, "running": 0, "stalled": 0, "ended": 64}
    assert page.lines_here() == []


def test_a_wavelet_is_drawn_on_its_link(open_page):
    page = open_page("small")
    page.click_pe(0, 0)
    page.scrub(0)
    between = page.pixel(1, 0.5 + 0.09)
    while "to the east" not in page.text("#pe-details"):
        page.press("step-event")
        assert page.cycle < 60
    assert "color 2" in page.text("#pe-details")
    drawn = page.pixel(1, 0.5 + 0.09)
    swatch = page.find("#colors button i").value_of_css_property("background-color")
    assert drawn != between
    assert f"{drawn[0]}, {drawn[1]}, {drawn[2]}" in swatch
    # A color can be hidden.
    page.find("#colors button").click()
    assert page.find("#colors button").get_attribute("aria-pressed") == "false"
    assert page.pixel(1, 0.5 + 0.09) == between


def test_keys_step_and_play(open_page):
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait

    page = open_page("small")
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert page.cycle == 2
    page.keys(Keys.ARROW_LEFT)
    assert page.cycle == 1
    page.keys("d", "s", "s")
    assert page.text("#pe-name") == "PE(1,2)"
    page.keys(Keys.SPACE)
    assert page.text("#play") == "Pause"
    WebDriverWait(page.driver, 20).until(lambda _: page.cycle > 1)
    page.keys(Keys.SPACE)
    assert page.text("#play") == "Play"
    stopped = page.cycle
    page.keys(Keys.END)
    assert page.cycle == page.last > stopped
    page.keys(Keys.HOME)
    assert page.cycle == 0


def test_playing_ends_at_the_end(open_page):
    from selenium.webdriver.support.ui import WebDriverWait

    page = open_page("small")
    page.run("document.getElementById('speed').value = '500'")
    page.press("play")
    WebDriverWait(page.driver, 30).until(lambda _: page.cycle == page.last)
    WebDriverWait(page.driver, 10).until(lambda _: page.text("#play") == "Play")


def test_a_large_wafer_is_one_canvas(open_page):
    page = open_page("large")
    assert "64 × 64 PEs" in page.text("#facts")
    assert not page.find("#cut").is_displayed()
    assert page.run("return document.querySelectorAll('*').length") < 1500
    page.scrub(page.last // 2)
    page.press("step")
    assert page.cycle == page.last // 2 + 1
    assert sum(page.states().values()) == 4096
    page.press("last")
    for x, y, times in [(0, 63, 64), (31, 20, 52), (63, 0, 64), (63, 63, 127)]:
        page.click_pe(x, y)
        assert page.text("#pe-name") == f"PE({x},{y})"
        assert page.values("path") == multiples(times)
    assert page.states()["ended"] == 4096


def test_a_deadlock_is_shown_at_its_end(open_page):
    page = open_page("stuck")
    assert page.text("#verdict").startswith("deadlock after about ")
    assert page.cycle == page.last
    assert "error[deadlock]" in page.text("#diagnostics")
    # The PE that got too little is chosen, and its line is marked.
    assert page.text("#pe-name") == "PE(1,0)"
    assert page.text("#pe-state") == "stalled"
    assert page.values("path") == ["2", "4", "6", "8", "10", "6"]
    assert page.lines_here() == ["    @fadds(mine, mine, receive_west);"]
    assert page.find(".row.here").get_attribute("class").split() == ["row", "blamed", "here"]
    assert page.states() == {"idle": 0, "running": 0, "stalled": 56, "ended": 8}
    # A PE in the message is a link.
    link = next(e for e in page.all(".pe-link") if e.text == "PE(0,0)")
    link.click()
    assert page.text("#pe-name") == "PE(0,0)"
    assert page.text("#pe-state") == "ended"


def test_commands_of_the_host_are_listed_with_their_lines(driver, program, tmp_path):
    runner = Runner(program, report=tmp_path / "host.html")
    runner.copy_in("words", [1, 2, 3, 4])
    runner.launch("double_all")
    runner.copy_out("words", 4)
    runner.finish()
    driver.set_window_size(*LAPTOP)
    page = Page(driver, tmp_path / "host.html")
    assert page.text("#host summary").startswith("Host: waits for the launch of `double_all` (test_report.py:")
    page.find("#host summary").click()
    lines = [line.text for line in page.all("#host-commands li")]
    commands = ["the copy to `words`", "the launch of `double_all`", "the copy from `words`"]
    assert [command in line for command, line in zip(commands, lines, strict=True)] == [True] * 3
    assert page.all("#host-commands li")[2].get_attribute("class") in (None, "")
    page.all("#host-commands button")[2].click()
    assert page.cycle > 0 and page.all("#host-commands li")[2].get_attribute("class") == "now"
    assert page.complaints() == []


def test_programs_without_a_host_have_no_list_of_commands(open_page):
    assert not open_page("small").find("#host").is_displayed()


def test_a_run_that_is_too_long_is_cut_with_a_note(open_page):
    page = open_page("cut")
    note = page.find("#cut")
    assert note.is_displayed()
    assert note.text.startswith(f"cut at cycle {page.last:,}: ")
    page.press("last")
    assert page.cycle == page.last
    assert page.states()["running"] + page.states()["stalled"] > 0


def test_every_control_has_a_name(open_page):
    page = open_page("stuck")
    for control in page.all("button, input, select, canvas"):
        if control.is_displayed():
            assert control.accessible_name, control.get_attribute("outerHTML")


def test_it_asks_for_nothing_outside(open_page):
    page = open_page("small")
    asked = page.run("return performance.getEntriesByType('resource').map((e) => e.name)")
    assert [name for name in asked if not name.startswith("data:")] == []


@pytest.mark.parametrize("size", [(1280, 800), (1440, 900), (1920, 1080)])
@pytest.mark.parametrize("name", ["small", "huge", "stuck"])
def test_it_fits_on_a_screen(open_page, name, size):
    page = open_page(name, size)
    width, height = page.run("return [innerWidth, innerHeight]")
    root = page.run("const e = document.documentElement; return [e.scrollWidth, e.scrollHeight]")
    assert root[0] <= width and root[1] <= height
    frame, canvas = page.find("#wafer-frame").rect, page.find("#wafer").rect
    assert canvas["width"] <= frame["width"] + 1
    boxes = [page.find(f"#{part}-panel").rect for part in ("wafer", "pe", "source")]
    for left, right in zip(boxes, boxes[1:]):
        assert left["x"] + left["width"] <= right["x"]
    assert max(box["y"] + box["height"] for box in boxes) <= page.find("footer").rect["y"] + 1


def test_light_and_dark(open_page):
    page = open_page("small")
    grounds = set()
    for _ in range(2):
        page.press("theme")
        grounds.add(page.find("body").value_of_css_property("background-color"))
        # The state of PE(0,0) is still told by its square.
        assert page.pixel(0.5, 0.7)[3] == 255
    assert len(grounds) == 2

"""Pages of `cslrun profile` in a real browser, headless, as those of reports are tested."""

import subprocess

import pytest
from browser import LAPTOP, PROGRAM, Page, needs_browser

pytestmark = needs_browser


@pytest.fixture
def page(cslrun_command, driver, tmp_path):
    """The profile of a program on 8 x 8 PEs; at the end the browser must have nothing to complain about."""
    path = tmp_path / "profile.html"
    words = [cslrun_command, "profile", "layout.csl", "--output", str(path)]
    done = subprocess.run(words, cwd=PROGRAM.parent, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert f"the profile of the run is in {path}" in done.stdout
    driver.set_window_size(*LAPTOP)
    page = Page(driver, path)
    yield page
    assert page.complaints() == []


def square(page, x, y):
    """The color of the middle of a PE on the map, near its upper edge."""
    script = """
        const canvas = document.getElementById("wafer");
        const pitch = canvas.clientWidth / 8;
        const ratio = window.devicePixelRatio || 1;
        const place = [(arguments[0] + 0.5) * pitch, (arguments[1] + 0.25) * pitch];
        return [...canvas.getContext("2d").getImageData(place[0] * ratio, place[1] * ratio, 1, 1).data];
    """
    return tuple(page.run(script, x, y))


def test_the_map_shows_a_measure_and_a_pe_its_numbers(page):
    assert page.text("#title").startswith("Profile of ")
    assert "cycles (estimate)" in page.text("#verdict")
    busy = square(page, 0, 0)
    select = "arguments[0].selectedIndex = arguments[1]; arguments[0].dispatchEvent(new Event('change'))"
    page.run(select, page.find("#measure"), 5)
    assert square(page, 0, 0) != busy
    assert page.text("#pe-name") == "All PEs"
    page.find("#wafer").click()
    assert page.text("#pe-name").startswith("PE (")
    rows = [row.text for row in page.all("#numbers table tr")]
    assert any(row.startswith("busy ") for row in rows)
    page.press("all")
    assert page.text("#pe-name") == "All PEs"


def test_lines_have_cycles_and_the_time_can_be_zoomed(page):
    cycles = [cell.text for cell in page.all("#source .cycles") if cell.text]
    assert cycles and all(text.replace(",", "").isdigit() for text in cycles)
    assert page.all("#source .on-path")
    whole = page.text("#range")
    page.press("closer")
    assert page.text("#range") != whole
    page.press("whole")
    assert page.text("#range") == whole
    page.find("#numbers tr.link").click()
    assert len(page.all("#source .chosen")) == 1

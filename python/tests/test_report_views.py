"""Pages of `cslrun --report` in a real browser: large wafers, routes, waits, links, help, and the pictures of the
documentation, which `DOCS=write` takes anew."""

import os

import pytest
from browser import ROOT, needs_browser

pytestmark = needs_browser


def test_a_wafer_of_256_by_256_can_be_used(open_page, reports):
    page = open_page("huge")
    assert "256 × 256 PEs" in page.text("#facts")
    # What was measured is in docs/report.md; a machine that is busy takes longer.
    assert reports["huge"].stat().st_size < 20_000_000
    assert page.run("return Number(document.documentElement.dataset.ready)") < 20_000
    assert page.run("return document.querySelectorAll('*').length") < 1500
    assert sum(page.states().values()) == 65_536
    page.press("last")
    assert page.states()["ended"] == 65_536
    # The whole wafer is seen; a PE is chosen by its numbers, and can be looked at alone.
    assert page.pitch() < 4
    page.select("#pe-x", "200")
    page.select("#pe-y", "31")
    page.run("document.getElementById('pe-choice').dispatchEvent(new Event('change'))")
    assert page.text("#pe-name") == "PE(200,31)"
    page.press("one")
    assert page.pitch() > 200
    page.press("whole")
    assert page.pitch() < 4


def test_the_line_of_code_is_marked(open_page):
    page = open_page("code")
    page.click_pe(3, 2)
    seen = set()
    wanted = {"value[0] *= 0.5;", "if (x > value[0]) {", "value[0] += 1.0;", "counted += 1;"}
    while page.cycle < page.last and not wanted <= seen:
        seen.update(line.strip() for line in page.lines_here())
        page.press("step")
    assert wanted <= seen


def test_values_have_the_type_of_their_color(open_page):
    page = open_page("code")
    assert page.text("#colors button").endswith("color 2 (f32)")
    page.click_pe(1, 0)
    page.press("last")
    received = [line.text for line in page.all("#pe-details .log li") if "receives" in line.text]
    assert [line.split("receives ")[1] for line in received] == ["1 on color 2", "1 on color 2"]


def test_the_route_of_a_color_is_drawn(open_page):
    page = open_page("small")
    assert [option.text for option in page.all("#route option")] == ["none"] + [f"color {n}" for n in (2, 3, 4, 5)]
    # Beside the links, where nothing else is drawn: eastwards they keep to the south.
    place = (0.95, 0.5 + 0.09)
    before = page.pixel(*place)
    page.select("#route", "2")
    drawn = page.pixel(*place)
    assert drawn != before
    page.select("#route", "3")
    assert page.pixel(*place) == before
    assert page.is_at("#cycle=0&pe=0,0&route=3")


def test_an_arrow_leads_to_the_pe_that_a_stalled_one_waits_for(open_page):
    page = open_page("stuck")
    assert "It waits for PE(0,0)." in page.text("#pe-details")
    middle = lambda: [page.pixel(1.0 + 0.01 * k, 0.5) for k in range(-8, 9)]  # noqa: E731
    drawn = middle()
    page.select("#waits", "none")
    assert middle() != drawn
    page.select("#waits", "all")
    assert middle() == drawn
    page.find("#pe-details .pe-link").click()
    assert page.text("#pe-name") == "PE(0,0)"


def test_waits_are_followed_through_swaps_of_colors(open_page):
    page = open_page("swapped")
    page.click_pe(3, 0)
    assert "It waits for PE(0,0)." in page.text("#pe-details")
    page = open_page("swapped-full")
    page.click_pe(0, 0)
    assert "It waits for PE(3,0)." in page.text("#pe-details")


def test_squares_can_show_how_busy_pes_are(open_page):
    page = open_page("small")
    page.scrub(100)
    states = page.pixel(0.5, 0.7)
    page.select("#measure", "all")
    assert "of all cycles so far" in page.text("#states")
    assert page.pixel(0.5, 0.7) != states
    page.select("#measure", "late")
    assert "of the last" in page.text("#states")


def test_the_wafer_can_be_enlarged_and_moved(open_page):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

    page = open_page("large")
    whole = page.pitch()
    canvas = page.find("#wafer")
    ActionChains(page.driver).scroll_from_origin(ScrollOrigin.from_element(canvas), 0, -600).perform()
    assert page.pitch() > 2 * whole
    left = float(canvas.get_attribute("data-left"))
    ActionChains(page.driver).drag_and_drop_by_offset(canvas, 60, 30).perform()
    assert float(canvas.get_attribute("data-left")) == pytest.approx(left + 60, abs=2)
    chosen = page.text("#pe-name")
    page.keys("0")
    assert page.pitch() == whole and page.text("#pe-name") == chosen


def test_an_address_leads_to_a_cycle_and_a_pe_and_the_way_back(open_page):
    page = open_page("small", place="#cycle=100&pe=2,3&route=4")
    assert (page.cycle, page.text("#pe-name")) == (100, "PE(2,3)")
    assert page.find("#route").get_property("value") == "4"
    page.click_pe(5, 5)
    page.press("step")
    assert page.is_at("#cycle=101&pe=5,5&route=4")
    page.driver.back()
    assert (page.cycle, page.text("#pe-name")) == (100, "PE(2,3)")
    # What does not fit the program is left out.
    page = open_page("small", place="#cycle=x&pe=99,0")
    assert (page.cycle, page.text("#pe-name")) == (0, "PE(0,0)")


def test_a_question_mark_shows_the_keys(open_page):
    from selenium.webdriver.common.keys import Keys

    page = open_page("small")
    assert not page.find("#help").is_displayed()
    page.keys("?")
    assert page.find("#help").is_displayed() and "play, pause" in page.text("#help")
    page.keys(Keys.ESCAPE)
    assert not page.find("#help").is_displayed()


def test_a_screen_reader_is_told_what_the_wafer_shows(open_page):
    from selenium.webdriver.support.ui import WebDriverWait

    page = open_page("stuck")
    told = lambda _: page.find("#told").get_property("textContent")  # noqa: E731
    WebDriverWait(page.driver, 10).until(lambda _: "PE(1,0), stalled" in told(_).replace(" · ", ", "))
    assert told(None).startswith(f"Cycle {page.last:,}. ") and "stalled 56" in told(None)


def test_the_box_of_the_error_has_its_help_and_all_its_lines(open_page):
    page = open_page("stuck")
    text = page.text("#diagnostics pre")
    assert "pe.csl:" in text and "help" in text.lower()
    links = page.all("#diagnostics .places .pe-link")
    assert links and links[0].text.startswith("pe.csl:")
    links[-1].click()
    assert page.all(".row.pointed")


#: The pictures of docs/report.md: page, size of the window, cycle, PE, and what is chosen.
PICTURES = {
    "report": ("small", (1240, 900), 100, (2, 2), {"#route": "4"}),
    "report-stuck": ("stuck", (1240, 900), None, None, {}),
    "report-64": ("large", (1240, 900), 400, (20, 22), {"#measure": "late"}),
    "report-256": ("huge", (1240, 900), 700, (120, 60), {"#measure": "all"}),
}


@pytest.mark.parametrize("picture", PICTURES)
def test_the_documentation_has_its_pictures(open_page, picture):
    path = ROOT / "docs" / "img" / f"{picture}.png"
    if os.environ.get("DOCS") == "write":
        name, size, cycle, pe, chosen = PICTURES[picture]
        page = open_page(name, size, "" if cycle is None else f"#cycle={cycle}&pe={pe[0]},{pe[1]}")
        for selector, value in chosen.items():
            page.select(selector, value)
        path.parent.mkdir(exist_ok=True)
        page.driver.save_screenshot(str(path))
    assert 30_000 < path.stat().st_size < 200_000
    assert f"]({path.relative_to(ROOT / 'docs')})" in (ROOT / "docs" / "report.md").read_text()

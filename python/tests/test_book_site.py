"""The site of the book in a real browser, headless: colors, contents, search, and exercises that are done.

Chromium and its driver are Debian's packages; `scripts/browser` installs them.
"""

import subprocess

import pytest

from browser import ROOT, needs_browser

pytestmark = needs_browser
WINDOW = (1280, 900)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        ["cargo", "run", "--quiet", "--package", "book", "--", str(folder)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def visit(site, driver):
    """Opens a page; no page may leave an error in the console."""
    driver.set_window_size(*WINDOW)
    driver.get_log("browser")

    def open_page(name):
        driver.get((site / name).as_uri())
        return driver

    yield open_page
    assert [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"] == []


def all_of(driver, selector):
    return driver.find_elements("css selector", selector)


def one(driver, selector):
    return driver.find_element("css selector", selector)


def test_exercises_that_are_done_are_remembered(visit):
    page = visit("04-matrices.html")
    for box in all_of(page, ".exercise .done input"):
        box.click()
    assert len(all_of(page, ".exercise.solved")) == 2

    page = visit("introduction.html")
    assert one(page, "#progress").text.startswith("2 of 54 exercises done")
    assert [link.text for link in all_of(page, "#mdbook-sidebar a.solved")] == ["4. Two dimensions"]
    one(page, "#progress button").click()
    assert one(page, "#progress").text == "0 of 54 exercises done"


def test_colors_follow_the_system_until_they_are_chosen(visit):
    page = visit("01-one-vector.html")
    paper = "return getComputedStyle(document.body).backgroundColor"
    assert page.execute_script(paper) == "rgb(255, 255, 255)"
    one(page, "#theme").click()
    one(page, "#theme").click()
    assert page.execute_script(paper) == "rgb(20, 24, 31)"
    page = visit("rules/deadlock.html")
    assert page.execute_script(paper) == "rgb(20, 24, 31)"
    one(page, "#theme").click()
    assert page.execute_script("return document.documentElement.dataset.theme ?? 'system'") == "system"


def test_keys_turn_pages_and_search(visit):
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait

    page = visit("01-one-vector.html")
    one(page, "body").send_keys(Keys.ARROW_RIGHT)
    WebDriverWait(page, 10).until(lambda page: page.current_url.endswith("02-strides.html"))
    one(page, "body").send_keys("/")
    WebDriverWait(page, 10).until(lambda page: page.execute_script("return !!window.search?.index"))
    one(page, "#mdbook-searchbar").send_keys("unblock_cmd_stream")
    WebDriverWait(page, 10).until(lambda page: all_of(page, "#mdbook-searchresults li a"))
    found = [link.get_attribute("href") for link in all_of(page, "#mdbook-searchresults li a")]
    assert any("18-host.html" in link for link in found), found


def test_contents_unfold_on_a_phone(visit, driver):
    from selenium.webdriver.support.ui import WebDriverWait

    driver.set_window_size(500, 900)
    page = visit("12-two-pes.html")
    assert not one(page, "#mdbook-sidebar").is_displayed()
    one(page, "#menu").click()
    # It slides in.
    WebDriverWait(page, 10).until(lambda page: one(page, "#mdbook-sidebar a.active").text == "12. Two PEs")
    assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")

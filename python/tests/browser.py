"""A browser for the pages of `cslrun --report`, `cslrun profile` and the book, headless, and the pages of reports.

Chromium and its driver are Debian's packages; `scripts/browser` installs them.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"
PROGRAM = ROOT / "examples" / "09-wavefront" / "layout.csl"
RIPPLE = PROGRAMS / "ripple.csl"
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
LAPTOP = (1440, 900)

needs_browser = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="chromium and chromedriver are not installed (scripts/browser)"
)


@pytest.fixture(scope="session")
def cslrun_command():
    """The command, as cargo builds it; `CSLRUN` names another one."""
    if "CSLRUN" in os.environ:
        return os.environ["CSLRUN"]
    # Together with the package, whose features it shares: it is not compiled once more.
    packages = ["--package", "cslrun", "--package", "cslrun-python"]
    subprocess.run(["cargo", "build", "--quiet", *packages, "--bin", "cslrun"], cwd=ROOT, check=True)
    return str(ROOT / "target" / "debug" / "cslrun")


class Reports:
    """Pages by name, each made when it is first opened: programs on 8 x 8, 64 x 64 and 256 x 256 PEs, and one that hangs."""

    def __init__(self, command, folder):
        self._command = command
        self._folder = folder
        self._made = {}
        self._runs = {
            "small": (PROGRAM, [], 0),
            "large": (PROGRAM, ["--param", "width=64", "--param", "height=64"], 0),
            "stuck": (PROGRAM, ["--param", "kept=1"], 4),
            "cut": (PROGRAM, [f"--trace={folder / 'cut.json'}", "--trace-limit=2000"], 0),
            "code": (RIPPLE, [], 0),
            "swapped": (PROGRAMS / "swap.csl", [], 4),
            "swapped-full": (PROGRAMS / "swap.csl", ["--param", "sent=100"], 4),
            "huge": (RIPPLE, ["--param", "width=256", "--param", "height=256"], 0),
        }

    def __getitem__(self, name):
        if name not in self._made:
            program, options, status = self._runs[name]
            page = self._folder / f"{name}.html"
            words = [self._command, program.name, *options, "--report", str(page)]
            done = subprocess.run(words, cwd=program.parent, capture_output=True, text=True, timeout=300)
            assert done.returncode == status, done.stderr
            assert f"the report of the run is in {page}" in done.stdout
            self._made[name] = page
        return self._made[name]


@pytest.fixture(scope="session")
def reports(cslrun_command, tmp_path_factory):
    """The pages of reports."""
    return Reports(cslrun_command, tmp_path_factory.mktemp("reports"))


@pytest.fixture(scope="session")
def driver():
    """A browser with the window of a laptop."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for option in OPTIONS:
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


class Page:
    """A report in the browser, in the words of a user."""

    def __init__(self, driver, path, place=""):
        from selenium.webdriver.support.ui import WebDriverWait

        self.driver = driver
        driver.get_log("browser")
        # Another end of the same address would not load the page again.
        driver.get("about:blank")
        driver.get(path.as_uri() + place)
        ready = "return 'ready' in document.documentElement.dataset"
        WebDriverWait(driver, 60).until(lambda _: self.run(ready))

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def text(self, selector):
        return self.find(selector).text

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    @property
    def cycle(self):
        return int(self.find("#cycle").get_property("value"))

    @property
    def last(self):
        return int(self.find("#cycle").get_property("max"))

    def press(self, button):
        self.find(f"#{button}").click()

    def keys(self, *keys):
        self.find("body").send_keys(*keys)

    def scrub(self, cycle):
        """Moves the slider, as a drag does."""
        script = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))"
        self.run(script, self.find("#scrub"), cycle)

    def click_pe(self, x, y):
        """Clicks into the square of a PE."""
        from selenium.webdriver import ActionChains

        canvas = self.find("#wafer")
        data = {name: float(canvas.get_attribute(f"data-{name}")) for name in ("left", "top", "pitch")}
        box = canvas.rect
        left = data["left"] + (x + 0.5) * data["pitch"] - box["width"] / 2
        top = data["top"] + (y + 0.5) * data["pitch"] - box["height"] / 2
        ActionChains(self.driver).move_to_element_with_offset(canvas, left, top).click().perform()

    def pixel(self, x, y):
        """The color of the wafer at a place, in units of PEs; (0.5, 0.5) is the middle of PE(0,0)."""
        script = """
            const canvas = document.getElementById("wafer");
            const { left, top, pitch } = canvas.dataset;
            const ratio = window.devicePixelRatio || 1;
            const place = [Number(left) + arguments[0] * pitch, Number(top) + arguments[1] * pitch];
            return [...canvas.getContext("2d").getImageData(place[0] * ratio, place[1] * ratio, 1, 1).data];
        """
        return tuple(self.run(script, x, y))

    def values(self, variable):
        return [cell.text for cell in self.all(f'.variable[data-name="{variable}"] .cells span')]

    def states(self):
        """How many PEs are in each state, as the legend counts them."""
        entries = (entry.text.split() for entry in self.all("#states span"))
        return {words[0]: int(words[1].replace(",", "")) for words in entries if words[-1][0].isdigit()}

    def select(self, selector, value):
        """Chooses an entry of a list."""
        script = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))"
        self.run(script, self.find(selector), value)

    def pitch(self):
        return float(self.find("#wafer").get_attribute("data-pitch"))

    def is_at(self, place):
        """Waits until the end of the address is this one."""
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, 10).until(lambda _: self.run("return location.hash") == place)
        return True

    def lines_here(self):
        return [row.text for row in self.all(".row.here .text")]

    def complaints(self):
        """What the browser has to complain about, except that this test reads pixels."""
        entries = self.driver.get_log("browser")
        return [entry for entry in entries if "willReadFrequently" not in entry["message"]]


@pytest.fixture
def open_page(driver, reports):
    """Opens a report; at the end the browser must have nothing to complain about."""
    opened = []

    def open_it(name, size=LAPTOP, place=""):
        driver.set_window_size(*size)
        opened.append(Page(driver, reports[name], place))
        return opened[-1]

    yield open_it
    for page in opened:
        assert page.complaints() == []

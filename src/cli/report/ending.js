// How the run ended: the verdict, and what the diagnostics say, with links to the PEs and lines that they name.

/** The title, and how the run ended. */
function showHead(data) {
  byId("title").textContent = data.title;
  const size = `${data.width} × ${data.height} PEs`;
  byId("facts").textContent = [size, data.machine].join(" · ");
  byId("verdict").textContent = data.verdict;
  byId("verdict").className = data.failed ? "bad" : "";
  if (data.cut !== null) {
    byId("cut").hidden = false;
    byId("cut").textContent = `cut at cycle ${grouped(data.cut)}: ${data.cut_because}`;
  }
}

/** The diagnostics as the terminal shows them; PEs and lines that they name can be chosen. */
function showEnding(data, choose, openLine) {
  if (data.diagnostics.length === 0) return;
  const box = byId("ending");
  box.hidden = false;
  box.open = data.failed;
  box.classList.toggle("mild", !data.failed);
  const count = data.diagnostics.length;
  const what = count === 1 ? "1 diagnostic" : `${count} diagnostics`;
  box.querySelector("summary").textContent = data.failed ? `Why the run failed (${what})` : what;
  for (const diagnostic of data.diagnostics) {
    const links = diagnostic.labels.map((label) => lineLink(data, label, openLine));
    const places = links.length > 0 ? [element("p", { class: "places" }, "Lines: ", ...links)] : [];
    const text = element("pre", {}, ...linked(data, diagnostic.text, choose));
    byId("diagnostics").append(element("article", {}, ...places, text));
  }
}

function lineLink(data, label, openLine) {
  const { file, line, text, is_primary: isPrimary } = label;
  const attributes = { class: "pe-link", type: "button", onclick: () => openLine(file, line) };
  const place = `${data.files[file].name}:${line}`;
  return element("span", { class: isPrimary ? "primary" : "" }, element("button", attributes, place), text ? ` ${text}` : "", "  ");
}

/** Text in which each `PE(x,y)` is a button. */
function linked(data, text, choose) {
  return text.split(/(PE\(\d+,\d+\))/).map((part) => {
    const pe = peNamed(data, part);
    return pe < 0 ? part : peLink(data, pe, choose);
  });
}

/** The name of a PE, which chooses it. */
function peLink(data, pe, choose) {
  return element("button", { class: "pe-link", type: "button", onclick: () => choose(pe) }, nameOf(data, pe));
}

function peNamed(data, text) {
  const [, x, y] = /^PE\((\d+),(\d+)\)$/.exec(text)?.map(Number) ?? [0, -1, -1];
  return x >= 0 && x < data.width && y < data.height ? y * data.width + x : -1;
}

/** The PEs that errors name. */
function blamedPes(data) {
  const errors = data.diagnostics.filter((c) => c.severity !== "warning");
  const names = errors.flatMap((c) => c.text.match(/PE\(\d+,\d+\)/g) ?? []);
  return new Set(names.map((name) => peNamed(data, name)).filter((pe) => pe >= 0));
}

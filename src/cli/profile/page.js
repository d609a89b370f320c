// The page of a profile: numbers by PE and line, the wafer as a heat map, the time of each PE, and the critical path over
// both. All cycles are estimates.

const data = JSON.parse(document.getElementById("data").textContent);
const profile = data.profile;
const find = (id) => document.getElementById(id);
const grouped = (n) => Math.round(n).toLocaleString("en-US");
const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(part < whole / 100 ? 1 : 0)} %` : "");

/** What a PE can be at, in the order of the numbers in the data, with the color of the style sheet. */
const CLASSES = [
  ["busy", "busy", "--running"],
  ["wavelet", "waits for a wavelet", "--stalled"],
  ["room", "waits for room", "--bad"],
  ["fifo", "waits for a FIFO", "--builtin"],
  ["task", "waits for a task", "--ended"],
];

/** What the heat map can show: a name, and the number of a PE. */
const MEASURES = [
  ["busy cycles", (pe) => pe.times.busy],
  ["cycles waiting for a wavelet", (pe) => pe.times.wavelet],
  ["cycles waiting for room", (pe) => pe.times.room],
  ["cycles waiting for a FIFO", (pe) => pe.times.fifo],
  ["cycles waiting for a task", (pe) => pe.times.task],
  ["idle cycles", (pe) => pe.times.idle],
  ["cycles on the critical path", (pe) => pe.path],
  ["elements", (pe) => pe.elements],
  ["tasks started", (pe) => pe.tasks],
  ["wavelets sent", (pe) => pe.sent],
  ["wavelets received", (pe) => pe.delivered],
  ["wavelets through its router", (pe) => pe.hops],
  ["fullest queue, in percent", (pe) => pe.fullest],
  ["words of memory", (pe) => pe.memory],
];

/** What can stand beside a line. */
const COLUMNS = [
  ["busy", (line) => line.busy],
  ["on the critical path", (line) => line.path],
  ["waiting for wavelets", (line) => line.wavelet],
  ["waiting for room", (line) => line.room],
  ["hidden behind code", (line) => line.hidden],
];

let chosen = null;
let chosenLine = null;
let theme = {};

function readTheme() {
  const probe = document.body.appendChild(document.createElement("i"));
  const names = ["--ink", "--soft", "--line", "--panel", "--ground", "--accent", "--bad", ...CLASSES.map((c) => c[2])];
  for (const name of names) {
    probe.style.color = `var(${name})`;
    theme[name] = getComputedStyle(probe).color;
  }
  probe.remove();
}

function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  Object.assign(made, attributes);
  return made;
}

function fill(select, names) {
  names.forEach((name, index) => select.append(element("option", name, { value: index })));
}

function sized(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.ceil(width * ratio);
  canvas.height = Math.ceil(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

// The wafer.

let pitch = 1;
const wafer = find("wafer");

function drawWafer() {
  const frame = find("wafer-frame");
  pitch = Math.min(90, Math.max(4, Math.min(frame.clientWidth / profile.width, frame.clientHeight / profile.height)));
  const context = sized(wafer, profile.width * pitch, profile.height * pitch);
  const measure = MEASURES[find("measure").value][1];
  const most = profile.pes.reduce((most, pe) => Math.max(most, measure(pe)), 1);
  const gap = pitch > 10 ? 2 : 0;
  context.fillStyle = theme["--line"];
  for (let y = 0; y < profile.height; y += 1) {
    for (let x = 0; x < profile.width; x += 1) {
      context.globalAlpha = 0.4;
      context.fillRect(x * pitch + gap, y * pitch + gap, pitch - 2 * gap, pitch - 2 * gap);
    }
  }
  profile.pes.forEach((pe, index) => {
    const value = measure(pe);
    context.globalAlpha = 1;
    context.fillStyle = theme["--panel"];
    context.fillRect(pe.x * pitch + gap, pe.y * pitch + gap, pitch - 2 * gap, pitch - 2 * gap);
    context.globalAlpha = 0.06 + (0.94 * value) / most;
    context.fillStyle = theme["--accent"];
    context.fillRect(pe.x * pitch + gap, pe.y * pitch + gap, pitch - 2 * gap, pitch - 2 * gap);
    context.globalAlpha = 1;
    if (pitch >= 44) {
      context.fillStyle = theme["--ink"];
      context.font = "11px system-ui";
      context.textAlign = "center";
      context.fillText(grouped(value), (pe.x + 0.5) * pitch, (pe.y + 0.5) * pitch + 4);
    }
    if (index === chosen) {
      context.strokeStyle = theme["--ink"];
      context.lineWidth = 2;
      context.strokeRect(pe.x * pitch + 1, pe.y * pitch + 1, pitch - 2, pitch - 2);
    }
  });
  context.globalAlpha = 1;
  if (find("show-path").checked) {
    drawPathOnWafer(context);
  }
}

/** Where the path goes from PE to PE. */
function drawPathOnWafer(context) {
  context.strokeStyle = theme["--bad"];
  context.fillStyle = theme["--bad"];
  context.lineWidth = Math.max(1.5, pitch / 22);
  const drawn = new Set();
  for (const part of profile.path.parts) {
    const key = `${part.before} ${part.pe}`;
    if (part.before === null || part.pe === null || part.before === part.pe || drawn.has(key)) {
      continue;
    }
    drawn.add(key);
    const [from, to] = [profile.pes[part.before], profile.pes[part.pe]];
    const at = (pe) => [(pe.x + 0.5) * pitch, (pe.y + 0.5) * pitch];
    context.beginPath();
    context.moveTo(...at(from));
    context.lineTo(...at(to));
    context.stroke();
    context.beginPath();
    context.arc(...at(to), Math.max(2, pitch / 14), 0, 7);
    context.fill();
  }
}

function peAt(event) {
  const box = wafer.getBoundingClientRect();
  const [x, y] = [Math.floor((event.clientX - box.left) / pitch), Math.floor((event.clientY - box.top) / pitch)];
  const index = profile.pes.findIndex((pe) => pe.x === x && pe.y === y);
  return [index < 0 ? null : index, x, y];
}

function choose(pe) {
  chosen = pe;
  drawWafer();
  showNumbers();
  showSource();
  drawTime();
}

// Numbers.

function table(head, rows) {
  const made = document.createElement("table");
  const top = made.insertRow();
  head.forEach((text) => top.append(element("th", text)));
  for (const { cells, code, onclick } of rows) {
    const row = made.insertRow();
    cells.forEach((text) => row.append(element("td", text)));
    if (code) {
      const second = made.insertRow();
      const cell = second.insertCell();
      cell.colSpan = head.length;
      cell.append(element("code", code));
      second.onclick = onclick;
    }
    if (onclick) {
      row.className = "link";
      row.onclick = onclick;
    }
  }
  return made;
}

/** Busy cycles by line on the chosen PE, or on all. */
function linesOf(pe) {
  if (pe === null) {
    return profile.lines.map((line, index) => [index, line.busy]);
  }
  const sums = new Map();
  for (const slice of profile.slices.filter((slice) => slice.pe === pe)) {
    sums.set(slice.line, (sums.get(slice.line) || 0) + slice.busy);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

function lineName(line) {
  return `${profile.files[line.file].split("/").pop()}:${line.line}`;
}

function showNumbers() {
  const pe = chosen === null ? null : profile.pes[chosen];
  find("pe-name").textContent = pe ? `PE (${pe.x},${pe.y})` : "All PEs";
  find("all").hidden = pe === null;
  const times = pe ? pe.times : profile.times;
  const total = Object.values(times).reduce((a, b) => a + b, 0);
  const box = find("numbers");
  box.replaceChildren();
  const rows = [...CLASSES.map(([key, name]) => [name, times[key]]), ["idle", times.idle]].filter(([, n]) => n > 0);
  box.append(table(["cycles (estimates)", "", ""], rows.map(([name, n]) => ({ cells: [name, grouped(n), percent(n, total)] }))));
  if (pe) {
    const facts = [["elements", pe.elements], ["tasks started", pe.tasks], ["wavelets sent", pe.sent], ["wavelets received", pe.delivered],
      ["fullest queue, in percent", pe.fullest], ["words of memory", pe.memory], ["cycles on the critical path", pe.path]];
    box.append(table(["PE", ""], facts.map(([name, n]) => ({ cells: [name, grouped(n)] }))));
  }
  const busy = times.busy;
  const lines = linesOf(chosen).filter(([, n]) => n > 0).slice(0, 12);
  box.append(element("h3", "Lines by busy cycles"));
  box.append(table(["line", "busy", ""], lines.map(([index, n]) => {
    const line = profile.lines[index];
    return { cells: [lineName(line), grouped(n), percent(n, busy)], code: line.text, onclick: () => goToLine(index) };
  })));
  showPathTable(box);
  if (profile.phases.length > 1) {
    box.append(element("h3", "Phases between commands of the host"));
    box.append(table(["command", "cycles", "busy"], profile.phases.map((phase) => {
      const all = Object.values(phase.times).reduce((a, b) => a + b, 0);
      const name = phase.place ? `${phase.name} (${phase.place})` : phase.name;
      return { cells: [name, grouped(phase.until - phase.from), percent(phase.times.busy, all)], onclick: () => zoomTo(phase.from, phase.until) };
    })));
  }
  if (profile.colors.length > 0) {
    box.append(element("h3", "Colors"));
    box.append(table(["color", "sent", "hops", "waits"], profile.colors.map((color) => ({
      cells: [color.color, grouped(color.sent), grouped(color.hops), grouped(color.wavelet + color.room)],
    }))));
  }
}

function showPathTable(box) {
  const path = profile.path;
  const kinds = [["work", path.work], ["wavelets on their way", path.wavelet], ["room that comes back", path.room],
    ["the host", path.host], ["other delays", path.other]].filter(([, n]) => n > 0);
  if (kinds.length === 0) {
    return;
  }
  box.append(element("h3", "Critical path"));
  box.append(table(["what", "cycles", ""], kinds.map(([name, n]) => ({ cells: [name, grouped(n), percent(n, profile.until)] }))));
  const free = path.free.filter((free) => free.cycles < profile.until).sort((a, b) => a.cycles - b.cycles);
  box.append(table(["if the line took no time", "cycles", ""], free.map(({ line, cycles }) => {
    const row = profile.lines[line];
    const less = `-${percent(profile.until - cycles, profile.until)}`;
    return { cells: [lineName(row), grouped(cycles), less], onclick: () => goToLine(line) };
  })));
}

// Source.

function goToLine(index) {
  chosenLine = index;
  find("source-file").value = profile.lines[index].file;
  showSource();
  drawTime();
}

function showSource() {
  const file = Number(find("source-file").value || 0);
  const column = COLUMNS[find("column").value || 0];
  const own = new Map(linesOf(chosen));
  const isBusy = column[0] === "busy";
  const byNumber = new Map();
  profile.lines.forEach((line, index) => {
    if (line.file === file) {
      byNumber.set(line.line, [index, isBusy ? own.get(index) || 0 : column[1](line), line.path > 0]);
    }
  });
  const most = Math.max(1, ...[...byNumber.values()].map(([, n]) => n));
  const box = find("source");
  box.replaceChildren();
  data.texts[file].split("\n").forEach((text, at) => {
    const row = element("div", "", { className: "row" });
    const [index, cycles, isOnPath] = byNumber.get(at + 1) || [null, 0, false];
    const cell = element("span", cycles > 0 ? grouped(cycles) : "", { className: "cycles" });
    if (cycles > 0) {
      const share = Math.round(8 + (72 * cycles) / most);
      cell.style.background = `color-mix(in srgb, var(--stalled) ${share}%, transparent)`;
    }
    row.append(cell, element("span", at + 1, { className: "number" }), element("span", text));
    row.classList.toggle("on-path", isOnPath);
    row.classList.toggle("chosen", index !== null && index === chosenLine);
    box.append(row);
    if (index !== null && index === chosenLine) {
      box.scrollTop = row.offsetTop - box.offsetTop - box.clientHeight / 3;
    }
  });
}

// Time.

const ROW = 15;
const LABEL = 54;
const bars = data.bars;
const rows = bars.rows;
let view = { from: 0, until: Math.max(1, profile.until) };
const time = find("time");
/** Where the bars of each row begin and end among all. */
const ranges = rows.map(() => [0, 0]);

function indexBars() {
  let row = 0;
  bars.row.forEach((own, at) => {
    if (own !== row || at === 0) {
      ranges[own][0] = at;
      row = own;
    }
    ranges[own][1] = at + 1;
  });
}

function firstBar(row, cycle) {
  let [low, high] = ranges[row];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bars.until[middle] <= cycle) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function toX(cycle, width) {
  return LABEL + ((cycle - view.from) / (view.until - view.from)) * (width - LABEL);
}

function drawTime() {
  const width = find("time-frame").clientWidth - 2;
  const context = sized(time, width, rows.length * ROW + 4);
  context.font = "11px system-ui";
  context.textAlign = "left";
  rows.forEach((row, at) => {
    const pe = profile.pes[row.pe];
    const y = at * ROW + 2;
    context.fillStyle = row.pe === chosen ? theme["--accent"] : theme["--soft"];
    const name = row.thread === 8 ? `(${pe.x},${pe.y})` : `  ut${row.thread}`;
    context.fillText(name, 4, y + 10);
    let last = -1;
    for (let bar = firstBar(at, view.from); bar < ranges[at][1] && bars.from[bar] < view.until; bar += 1) {
      const [from, until] = [Math.max(LABEL, toX(bars.from[bar], width)), Math.min(width, toX(bars.until[bar], width))];
      // Of bars that fall on one pixel, the first is drawn.
      if (until - from < 0.5 && Math.floor(from) === last) {
        continue;
      }
      last = Math.floor(from);
      context.fillStyle = theme[CLASSES[bars.what[bar]][2]];
      context.globalAlpha = bars.what[bar] === 0 ? 1 : 0.65;
      context.fillRect(from, y, Math.max(0.8, until - from), ROW - 4);
      if (chosenLine !== null && bars.line[bar] === chosenLine) {
        context.globalAlpha = 1;
        context.fillStyle = theme["--ink"];
        context.fillRect(from, y + ROW - 4, Math.max(0.8, until - from), 2);
      }
    }
  });
  context.globalAlpha = 1;
  if (find("show-path").checked) {
    drawPathOverTime(context, width);
  }
  find("range").textContent = `cycles ${grouped(view.from)} to ${grouped(view.until)}`;
}

/** The row of the main thread of each PE that has one. */
const rowOf = new Map(rows.map((row, at) => [row, at]).filter(([row]) => row.thread === 8).map(([row, at]) => [row.pe, at]));

function drawPathOverTime(context, width) {
  context.strokeStyle = theme["--bad"];
  context.lineWidth = 2;
  context.beginPath();
  let last = null;
  for (const part of profile.path.parts) {
    if (!rowOf.has(part.pe) || part.until < view.from || part.from > view.until) {
      continue;
    }
    const y = (pe) => (rowOf.has(pe) ? rowOf.get(pe) : rowOf.get(part.pe)) * ROW + ROW / 2;
    const start = part.before === null || part.what === "work" ? part.pe : part.before;
    const clip = (cycle) => Math.max(LABEL, Math.min(width, toX(cycle, width)));
    if (last === null) {
      context.moveTo(clip(part.from), y(start));
    } else {
      context.lineTo(clip(part.from), y(start));
    }
    context.lineTo(clip(part.until), y(part.pe));
    last = part;
  }
  context.stroke();
}

function zoomTo(from, until) {
  const length = Math.max(8, until - from);
  const most = Math.max(8, profile.until);
  const start = Math.max(0, Math.min(from, most - length));
  view = { from: start, until: Math.min(most, start + length) };
  drawTime();
}

function zoom(factor, at = (view.from + view.until) / 2) {
  zoomTo(at - (at - view.from) * factor, at - (at - view.from) * factor + (view.until - view.from) * factor);
}

function cycleAt(event) {
  const box = time.getBoundingClientRect();
  return view.from + ((event.clientX - box.left - LABEL) / (box.width - LABEL)) * (view.until - view.from);
}

function tellMoment(event) {
  const box = time.getBoundingClientRect();
  const row = Math.floor((event.clientY - box.top) / ROW);
  const cycle = Math.floor(cycleAt(event));
  if (!rows[row] || cycle < 0) {
    return;
  }
  const pe = profile.pes[rows[row].pe];
  const bar = firstBar(row, cycle);
  const isThere = bar < ranges[row][1] && bars.from[bar] <= cycle;
  const line = isThere && bars.line[bar] >= 0 ? profile.lines[bars.line[bar]] : null;
  const what = isThere ? CLASSES[bars.what[bar]][1] : "nothing";
  const length = isThere ? `, ${grouped(bars.until[bar] - bars.from[bar])} cycles` : "";
  const text = line ? `: ${lineName(line)}  ${line.text}` : "";
  find("moment").textContent = `cycle ${grouped(cycle)}, PE (${pe.x},${pe.y}): ${what}${length}${text}`;
}

function listen() {
  wafer.onclick = (event) => choose(peAt(event)[0]);
  wafer.onmousemove = (event) => {
    const [index, x, y] = peAt(event);
    const [name, measure] = MEASURES[find("measure").value];
    const value = index === null ? "nothing has happened to it" : `${grouped(measure(profile.pes[index]))} ${name}`;
    find("hover").textContent = `PE (${x},${y}): ${value}`;
  };
  find("all").onclick = () => choose(null);
  find("measure").onchange = drawWafer;
  find("show-path").onchange = () => { drawWafer(); drawTime(); };
  find("source-file").onchange = () => { chosenLine = null; showSource(); };
  find("column").onchange = showSource;
  find("closer").onclick = () => zoom(0.5);
  find("wider").onclick = () => zoom(2);
  find("whole").onclick = () => zoomTo(0, profile.until);
  time.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, cycleAt(event));
  }, { passive: false });
  let held = null;
  time.onmousedown = (event) => { held = { x: event.clientX, view }; };
  window.addEventListener("mouseup", () => { held = null; });
  time.onmousemove = (event) => {
    tellMoment(event);
    if (held) {
      const cycles = ((held.x - event.clientX) / (time.clientWidth - LABEL)) * (held.view.until - held.view.from);
      zoomTo(held.view.from + cycles, held.view.until + cycles);
    }
  };
  time.onkeydown = (event) => {
    const step = (view.until - view.from) / 8;
    const actions = {
      ArrowLeft: () => zoomTo(view.from - step, view.until - step),
      ArrowRight: () => zoomTo(view.from + step, view.until + step),
      "+": () => zoom(0.5),
      "-": () => zoom(2),
    };
    if (actions[event.key]) {
      event.preventDefault();
      actions[event.key]();
    }
  };
  find("theme").onclick = () => {
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = document.documentElement.style.colorScheme || (isDark ? "dark" : "light");
    document.documentElement.style.colorScheme = now === "dark" ? "light" : "dark";
    drawAll();
  };
  window.addEventListener("resize", drawAll);
}

function drawAll() {
  readTheme();
  drawWafer();
  drawTime();
  const legend = CLASSES.map(([, name, color]) => {
    const entry = element("span", "");
    const mark = document.createElement("i");
    mark.style.background = theme[color];
    entry.append(mark, name);
    return entry;
  });
  const path = element("span", "critical path");
  path.style.color = theme["--bad"];
  find("legend").replaceChildren(...legend, path);
}

find("title").textContent = `Profile of ${data.title}`;
find("facts").textContent = `${profile.width} x ${profile.height} PEs of ${profile.machine}`;
find("verdict").textContent = data.verdict;
if (data.note) {
  find("cut").textContent = data.note;
  find("cut").hidden = false;
}
fill(find("measure"), MEASURES.map(([name]) => name));
fill(find("source-file"), profile.files);
fill(find("column"), COLUMNS.map(([name]) => name));
if (profile.lines.length > 0) {
  find("source-file").value = (profile.lines.find((line) => !line.is_library) || profile.lines[0]).file;
}
indexBars();
listen();
drawAll();
showNumbers();
showSource();

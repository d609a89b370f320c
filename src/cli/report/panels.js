// Everything beside the wafer: legends, the chosen PE, the text of the program, how the run ended.

/** How many of its latest events are listed for a PE. */
const LOG_LINES = 14;
/** How many elements of a variable are shown. */
const MOST_CELLS = 1024;

/** An element with attributes and children; text is never read as HTML. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

/** The title, and how the run ended. */
function showHead(data) {
  byId("title").textContent = data.title;
  const size = `${data.width} × ${data.height} PEs`;
  byId("facts").textContent = [size, data.machine, data.command].filter(Boolean).join(" · ");
  byId("verdict").textContent = data.verdict;
  byId("verdict").className = data.failed ? "bad" : "";
  if (data.cut !== null) {
    byId("cut").hidden = false;
    byId("cut").textContent = `cut at cycle ${grouped(data.cut)}: ${data.cut_because}`;
  }
}

/** The diagnostics; PEs that they name can be chosen. */
function showEnding(data, choose) {
  if (data.diagnostics.length === 0) return;
  const box = byId("ending");
  box.hidden = false;
  box.open = data.failed;
  box.classList.toggle("mild", !data.failed);
  const count = data.diagnostics.length;
  const what = count === 1 ? "1 diagnostic" : `${count} diagnostics`;
  box.querySelector("summary").textContent = data.failed ? `Why the run failed (${what})` : what;
  for (const diagnostic of data.diagnostics) {
    byId("diagnostics").append(element("pre", {}, ...linked(data, diagnostic.text, choose)));
  }
}

/** Text in which each `PE(x,y)` is a button. */
function linked(data, text, choose) {
  return text.split(/(PE\(\d+,\d+\))/).map((part) => {
    const pe = peNamed(data, part);
    if (pe < 0) return part;
    return element("button", { class: "pe-link", type: "button", onclick: () => choose(pe) }, part);
  });
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

/** The legend of states, with how many PEs are in each. */
function showStates(states, hasMarks) {
  const counts = new Uint32Array(STATES.length);
  for (const state of states) counts[state]++;
  const entry = ([name, text, title], state) => {
    const style = state === NONE ? "border: 1px solid var(--line)" : `background: var(--${name})`;
    return element("span", { title }, element("i", { style }), text, " ", element("b", {}, grouped(counts[state])));
  };
  const all = STATES.map((s, i) => [s, i]).filter(([, i]) => i !== NONE || counts[NONE] > 0);
  const shown = all.map(([s, i]) => entry(s, i));
  if (hasMarks) {
    const style = "border: 2px solid var(--bad)";
    shown.push(element("span", {}, element("i", { style }), "named by the error"));
  }
  byId("states").replaceChildren(...shown);
}

/** The legend of colors; a click hides or shows the wavelets of one. */
function showColors(data, view, redraw) {
  const used = data.colors;
  const entry = (color) => {
    const toggle = () => {
      if (!view.hidden.delete(color)) view.hidden.add(color);
      button.setAttribute("aria-pressed", String(!view.hidden.has(color)));
      redraw();
    };
    const attributes = { type: "button", "aria-pressed": String(!view.hidden.has(color)), onclick: toggle };
    const swatch = element("i", { style: `background: ${view.colorOf(color)}` });
    const button = element("button", attributes, swatch, `color ${color}`);
    return button;
  };
  const text = used.length === 0 ? "No wavelets in this run." : "Wavelets:";
  const signs = used.length === 0 ? "" : "● on a link  ■ control  ▲ sent  ▼ received";
  const name = (words) => element("span", { class: "name" }, words);
  byId("colors").replaceChildren(name(text), ...used.map(entry), name(signs));
}

/** One line about a PE, for the pointer. */
function summaryOf(data, replay, pe) {
  const [first] = replay.threadsOf(pe);
  const words = [nameOf(data, pe), STATES[replay.stateOf(pe)][1]];
  if (first) words.push(describeThread(data, first).join(", "));
  return words.join(" · ");
}

/** What a thread does, in words: what runs, where, what it waits for. */
function describeThread(data, { task, operation, stall }) {
  const { threads, texts } = data;
  const words = [];
  if (task >= 0) words.push(texts[threads.text[task]]);
  if (operation >= 0) words.push(texts[threads.text[operation]]);
  if (stall >= 0) words.push(`waiting: ${texts[threads.text[stall]]}`);
  return words;
}

/** Everything about the chosen PE. */
function showPe(data, replay, pe, goTo) {
  const state = replay.stateOf(pe);
  byId("pe-name").textContent = nameOf(data, pe);
  byId("pe-state").textContent = STATES[state][1];
  byId("pe-state").className = STATES[state][0];
  byId("pe-state").title = STATES[state][2];
  const parts = state === NONE
    ? [element("p", { class: "none" }, "The layout gives this PE no code; its router may forward wavelets.")]
    : [...threadsPart(data, replay, pe), ...queuesPart(data, replay, pe), ...memoryPart(data, replay, pe)];
  const details = byId("pe-details");
  const top = details.scrollTop;
  const rest = [...routerPart(data, replay, pe), ...logPart(data, replay, pe, goTo)];
  details.replaceChildren(...parts, ...rest, ...(state === NONE ? [] : programPart(data, pe)));
  details.scrollTop = top;
}

function threadsPart(data, replay, pe) {
  const items = replay.threadsOf(pe).map((found) => threadItem(data, found));
  const nothing = element("p", { class: "none" }, "Nothing runs in this cycle.");
  return [
    element("h3", {}, "Threads"),
    items.length > 0 ? element("ul", { class: "threads" }, ...items) : nothing,
  ];
}

/** What the layout has given to a PE. */
function programPart(data, pe) {
  const { file, params } = data.tiles[data.place[pe]];
  const values = params ? params.split(", ").map((value) => element("li", {}, element("code", {}, value))) : [];
  return [element("h3", {}, `Program ${file}`), element("ul", { class: "params" }, ...values)];
}

function threadItem(data, found) {
  const { threads, texts } = data;
  const row = found.operation >= 0 ? found.operation : found.task;
  const item = element("li", { class: found.stall >= 0 ? "stalled" : "running" });
  item.append(element("span", { class: "who" }, threadName(found.thread)));
  const parts = [found.task, found.operation].filter((r) => r >= 0);
  for (const part of parts) {
    const since = ` since cycle ${grouped(threads.cycle[part])}`;
    item.append(element("div", {}, element("code", {}, texts[threads.text[part]]), since));
  }
  if (found.stall >= 0) {
    const wait = `waiting since cycle ${grouped(threads.cycle[found.stall])}: ${texts[threads.text[found.stall]]}`;
    item.append(element("b", { class: "wait" }, wait));
  }
  if (row >= 0 && threads.span[row] >= 0) item.append(element("div", { class: "who" }, placeName(data, threads.span[row])));
  return item;
}

/** `pe.csl:41` */
function placeName(data, span) {
  return `${data.files[data.spans.file[span]].name}:${data.spans.line[span]}`;
}

function queuesPart(data, replay, pe) {
  const queues = replay.queuesOf(pe);
  if (queues.length === 0) return [];
  const most = Math.max(8, ...queues.map(([, , depth]) => depth));
  const line = ([queue, color, depth]) => {
    const style = `width: ${(100 * depth) / most}%; background: ${app.view.colorOf(color)}`;
    return element("div", { class: "queue", "data-queue": queue },
      `${queueName(queue)} (color ${color})`,
      element("span", { class: "bar" }, element("i", { style })),
      element("b", {}, String(depth)));
  };
  return [element("h3", {}, "Wavelets in queues"), ...queues.map(line)];
}

function memoryPart(data, replay, pe) {
  const { variables } = data.tiles[data.place[pe]];
  if (variables.length === 0) return [];
  const memory = replay.memoryOf(pe);
  const key = element("p", { class: "key" },
    element("span", {}, element("i", { class: "fresh" }), "changed in this cycle"),
    element("span", {}, element("i", { class: "other" }), "differs from the start"));
  return [element("h3", {}, "Memory"), key, ...variables.map((v) => variablePart(v, memory))];
}

function variablePart(variable, { words, start, fresh }) {
  const size = wordsPer(variable.element);
  const count = Math.floor(variable.words / size);
  const cells = [];
  for (let i = 0; i < Math.min(count, MOST_CELLS); i++) {
    const at = variable.at + i * size;
    const range = Array.from({ length: size }, (_, k) => at + k);
    const value = showValue(variable.element, words.subarray(at, at + size));
    const marks = [];
    if (range.some((k) => words[k] !== start[k])) marks.push("other");
    if (range.some((k) => fresh[k])) marks.push("fresh");
    cells.push(element("span", { class: marks.join(" "), title: elementName(variable, i) }, value));
  }
  const longest = Math.max(...cells.map((cell) => cell.textContent.length), 3);
  const grid = element("div", { class: "cells", style: `--cell: ${longest + 1.6}ch` }, ...cells);
  const rest = count > MOST_CELLS ? [element("p", { class: "key" }, `and ${grouped(count - MOST_CELLS)} more elements`)] : [];
  const name = element("code", {}, element("b", {}, variable.name), element("span", { class: "type" }, ` : ${variable.type}`));
  return element("div", { class: "variable", "data-name": variable.name }, name, grid, ...rest);
}

/** `A[2, 3]` */
function elementName({ name, dims }, index) {
  const places = [];
  for (const size of [...dims].reverse()) {
    places.unshift(index % size);
    index = Math.floor(index / size);
  }
  return dims.length > 0 ? `${name}[${places.join(", ")}]` : name;
}

/** The wavelets that leave the router of a PE in this cycle. */
function routerPart(data, replay, pe) {
  const { moves } = data;
  const [from, to] = rowsBetween(moves, replay.cycle, replay.cycle);
  const lines = [];
  for (let row = from; row < to; row++) {
    if (moves.pe[row] === pe && moves.what[row] <= TO_PE) lines.push(routerLine(moves.color[row], moveText(moves, row)));
  }
  for (const held of heldIn(data, replay.cycle)) {
    if (held.pe !== pe) continue;
    const whence = held.side < 4 ? `from the ${SIDES[held.side][0]}` : "from the PE";
    const what = held.count === 1 ? "1 wavelet" : `${held.count} wavelets`;
    lines.push(routerLine(held.color, `${what} ${whence} blocked since cycle ${grouped(held.since)}`));
  }
  return lines.length > 0 ? [element("h3", {}, "Router in this cycle"), element("ul", { class: "log" }, ...lines)] : [];
}

function routerLine(color, text) {
  return element("li", {}, element("span", {}, `color ${color}`), element("span", {}, text));
}

function moveText(moves, row) {
  const what = moves.what[row];
  const value = `${moves.control[row] ? "control " : ""}0x${moves.data[row].toString(16)}`;
  const color = `on color ${moves.color[row]}`;
  switch (what) {
    case SENT: return `sends ${value} ${color}`;
    case DELIVERED: return `receives ${value} ${color}`;
    case FROM_HOST: return `${value} ${color} comes from the host`;
    case TO_HOST: return `${value} ${color} goes to the host`;
    case DROPPED: return `${value} ${color} is dropped`;
    case TO_PE: return `${value} to the PE`;
    default: return `${value} to the ${SIDES[what][0]}`;
  }
}

/** The latest events of a PE, newest first. */
function logPart(data, replay, pe, goTo) {
  const lines = [
    ...latest(data.threads, pe, replay.cycle, (row) => threadText(data, row)),
    ...latest(data.moves, pe, replay.cycle, (row) => data.moves.what[row] > TO_PE && moveText(data.moves, row)),
    ...latest(data.notes, pe, replay.cycle, (row) => data.texts[data.notes.text[row]]),
  ];
  lines.sort((a, b) => b.cycle - a.cycle || b.order - a.order);
  const items = lines.slice(0, LOG_LINES).map(({ cycle, text }) => {
    const jump = element("button", { type: "button", onclick: () => goTo(cycle) }, grouped(cycle));
    return element("li", { class: cycle === replay.cycle ? "now" : "" }, jump, element("span", {}, text));
  });
  return items.length > 0 ? [element("h3", {}, "Latest events"), element("ul", { class: "log" }, ...items)] : [];
}

/** The last rows of a PE up to a cycle that have a text. */
function latest(table, pe, cycle, textOf) {
  const rows = rowsOf(table, pe);
  const found = [];
  for (let i = rows.length - 1; i >= 0 && found.length < LOG_LINES; i--) {
    const text = table.cycle[rows[i]] <= cycle && textOf(rows[i]);
    if (text) found.push({ cycle: table.cycle[rows[i]], order: rows[i], text });
  }
  return found;
}

function threadText(data, row) {
  const { threads, texts } = data;
  const text = threads.text[row] >= 0 ? texts[threads.text[row]] : "";
  const who = threads.thread[row] === 0 ? "" : ` (microthread ${threads.thread[row] - 1})`;
  switch (threads.what[row]) {
    case TASK: return `starts ${text}`;
    case TASK_END: return `ends ${text}`;
    case START: return `starts ${text}${who}`;
    case STALL: return `stalls${who}: ${text}`;
    case RESUME: return `resumes${who}`;
    default: return `ends ${text}${who}`;
  }
}

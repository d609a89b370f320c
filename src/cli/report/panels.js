// Beside the wafer: legends, and the chosen PE.

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

/** The legend of states, with how many PEs are in each; or the scale from idle to busy. */
function showStates(data, view) {
  const counts = new Uint32Array(STATES.length);
  for (const state of view.states) counts[state]++;
  const isState = view.measure === "state";
  const entry = ([name, text, title], state) => {
    const style = state === NONE ? "border: 1px solid var(--line)" : `background: ${isState ? `var(--${name})` : "none"}`;
    return element("span", { title }, element("i", { style, hidden: isState ? undefined : "" }), text, " ", element("b", {}, grouped(counts[state])));
  };
  const all = STATES.map((s, i) => [s, i]).filter(([, i]) => i !== NONE || counts[NONE] > 0);
  const shown = all.map(([s, i]) => entry(s, i));
  if (!isState) {
    const cycles = view.measure === "late" ? `the last ${grouped(lateCycles(data))} cycles` : "all cycles so far";
    shown.unshift(element("span", {}, "busy in 0 %", element("i", { class: "scale" }), `100 % of ${cycles}`));
  }
  if (view.marked.size > 0) {
    shown.push(element("span", {}, element("i", { style: "border: 2px solid var(--bad)" }), "named by the error"));
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
    const title = "Shows or hides the wavelets of this color";
    const attributes = { type: "button", title, "aria-pressed": String(!view.hidden.has(color)), onclick: toggle };
    const swatch = element("i", { style: `background: ${view.colorOf(color)}` });
    const type = data.payloads[color] ? ` (${data.payloads[color]})` : "";
    const button = element("button", attributes, swatch, `color ${color}${type}`);
    return button;
  };
  const text = used.length === 0 ? "No wavelets in this run." : "Wavelets:";
  const name = (words) => element("span", { class: "name" }, words);
  byId("colors").replaceChildren(name(text), ...used.map(entry));
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
function showPe(app) {
  const { data, replay, pe } = app;
  const state = replay.stateOf(pe);
  byId("pe-name").textContent = nameOf(data, pe);
  byId("pe-state").textContent = STATES[state][1];
  byId("pe-state").className = STATES[state][0];
  byId("pe-state").title = STATES[state][2];
  const parts = state === NONE
    ? [element("p", { class: "none" }, "The layout gives this PE no code; its router may forward wavelets.")]
    : [...threadsPart(app), ...queuesPart(app), ...memoryPart(data, replay, pe)];
  const details = byId("pe-details");
  const top = details.scrollTop;
  const rest = [...routerPart(data, replay, pe), ...logPart(app)];
  details.replaceChildren(...parts, ...rest, ...(state === NONE ? [] : programPart(data, pe)));
  details.scrollTop = top;
}

function threadsPart(app) {
  const { data, replay, pe } = app;
  const items = replay.threadsOf(pe).map((found) => threadItem(app, found));
  const nothing = element("p", { class: "none" }, "Nothing runs in this cycle.");
  const share = Math.round(100 * Math.min(1, replay.shareOf(pe, 0)));
  return [
    element("h3", {}, "Threads"),
    items.length > 0 ? element("ul", { class: "threads" }, ...items) : nothing,
    element("p", { class: "key" }, `Busy in ${share} % of the cycles so far.`),
  ];
}

/** What the layout has given to a PE. */
function programPart(data, pe) {
  const tile = data.place[pe];
  const [file, params] = [data.tiles.file[tile], data.tiles.params[tile]];
  const values = params ? params.split(", ").map((value) => element("li", {}, element("code", {}, value))) : [];
  return [element("h3", {}, `Program ${file}`), element("ul", { class: "params" }, ...values)];
}

function threadItem(app, found) {
  const { threads, texts } = app.data;
  const row = [found.operation, found.line, found.task].find((r) => r >= 0) ?? -1;
  const item = element("li", { class: found.stall >= 0 ? "stalled" : "running" });
  item.append(element("span", { class: "who" }, threadName(found.thread)));
  const parts = [found.task, found.operation].filter((r) => r >= 0);
  for (const part of parts) {
    const since = ` since cycle ${grouped(threads.cycle[part])}`;
    item.append(element("div", {}, element("code", {}, texts[threads.text[part]]), since));
  }
  if (found.stall >= 0) {
    const wait = `waiting since cycle ${grouped(threads.cycle[found.stall])}: ${texts[threads.text[found.stall]]}`;
    item.append(element("b", { class: "wait" }, wait), waitPart(app, found));
  }
  if (row >= 0 && threads.span[row] >= 0) item.append(element("div", { class: "who" }, placeName(app.data, threads.span[row])));
  return item;
}

/** Which PE ends a wait, as far as the routes tell. */
function waitPart(app, found) {
  const { data, replay, routes, pe } = app;
  const { pe: other, others } = routes.waitsFor(replay, found);
  const part = element("div", { class: "waits-for" });
  if (other === pe) part.append("It waits for another thread of this PE.");
  else if (other < 0) part.append("No PE is at the other end of the route.");
  else part.append("It waits for ", peLink(data, other, (to) => app.choose(to)), others > 0 ? ` or ${grouped(others)} more.` : ".");
  return part;
}

/** `pe.csl:41` */
function placeName(data, span) {
  return `${data.files[data.spans.file[span]].name}:${data.spans.line[span]}`;
}

function queuesPart({ replay, pe, view }) {
  const queues = replay.queuesOf(pe);
  if (queues.length === 0) return [];
  const most = Math.max(8, ...queues.map(([, , depth]) => depth));
  const line = ([queue, color, depth]) => {
    const style = `width: ${(100 * depth) / most}%; background: ${view.colorOf(color)}`;
    return element("div", { class: "queue", "data-queue": queue },
      `${queueName(queue)} (color ${color})`,
      element("span", { class: "bar" }, element("i", { style })),
      element("b", {}, String(depth)));
  };
  return [element("h3", {}, "Wavelets in queues"), ...queues.map(line)];
}

function memoryPart(data, replay, pe) {
  const variables = data.tiles.shapes[data.tiles.shape[data.place[pe]]];
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
    if (moves.pe[row] === pe && moves.what[row] <= TO_PE) lines.push(routerLine(moves.color[row], moveText(data, row)));
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

function moveText(data, row) {
  const { moves } = data;
  const what = moves.what[row];
  const value = moves.control[row]
    ? `control 0x${moves.data[row].toString(16)}`
    : payloadText(data, moves.color[row], moves.data[row]);
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
function logPart({ data, replay, pe, jump: goTo }) {
  const lines = [
    ...latest(data, "threads", pe, replay.cycle, (row) => threadText(data, row)),
    ...latest(data, "moves", pe, replay.cycle, (row) => data.moves.what[row] > TO_PE && moveText(data, row)),
    ...latest(data, "notes", pe, replay.cycle, (row) => data.texts[data.notes.text[row]]),
  ];
  lines.sort((a, b) => b.cycle - a.cycle || b.order - a.order);
  const items = lines.slice(0, LOG_LINES).map(({ cycle, text }) => {
    const jump = element("button", { type: "button", onclick: () => goTo(cycle) }, grouped(cycle));
    return element("li", { class: cycle === replay.cycle ? "now" : "" }, jump, element("span", {}, text));
  });
  return items.length > 0 ? [element("h3", {}, "Latest events"), element("ul", { class: "log" }, ...items)] : [];
}

/** The last rows of a PE up to a cycle that have a text. */
function latest(data, name, pe, cycle, textOf) {
  const table = data[name];
  const rows = rowsOf(data, table, pe);
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
    case LINE: return "";
    default: return `ends ${text}${who}`;
  }
}

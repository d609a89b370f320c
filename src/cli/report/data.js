// The data of the report: tables of columns, read once and never changed.

/** The threads of a PE: the main thread, then eight microthreads. */
const THREADS = 9;

/** What an event of the table `threads` says. */
const TASK = 0, TASK_END = 1, START = 2, STALL = 3, RESUME = 4, END = 5, LINE = 6;

/** What a PE does, as far as its threads tell it. */
const NONE = 0, IDLE = 1, RUNNING = 2, STALLED = 3, ENDED = 4;

/** What an event of the table `moves` says; 0 to 3 are hops to a side. */
const TO_PE = 4, SENT = 5, DELIVERED = 6, FROM_HOST = 7, TO_HOST = 8, DROPPED = 9;

/** The sides of a router: name, and the way in columns and rows. */
const SIDES = [["north", 0, -1], ["south", 0, 1], ["east", 1, 0], ["west", -1, 0]];

/** Tables without which there is a picture already; they are read after it has been drawn. */
const LATER = ["routes", "switches", "queues", "memory", "held", "notes"];

/** Reads what the first picture needs from the JSON of the page. */
async function openData(text) {
  const data = JSON.parse(text);
  data.pes = data.width * data.height;
  data.packed = {};
  for (const name of LATER) {
    data.packed[name] = data[name];
    data[name] = emptyTable(data[name]);
  }
  for (const name of ["files", "texts", "tiles"]) data[name] = await unpackedJson(data[name]);
  data.spans = await unpackedTable(data.spans);
  data.place = (await unpackedTable(data.place)).tile;
  for (const name of ["threads", "moves"]) data[name] = measured(await unpackedTable(data[name]));
  shortenNames(data);
  followThreads(data);
  summarise(data);
  return data;
}

/** Reads another table; what is drawn until then is as if nothing stood in it. */
async function openLater(data, name) {
  data[name] = measured(await unpackedTable(data.packed[name]));
  delete data.packed[name];
  if (name === "memory") placeWords(data.memory);
  if (name === "held") findReach(data.held);
  summarise(data);
}

function emptyTable(packed) {
  const table = Object.fromEntries(packed.columns.map(([column]) => [column, []]));
  return { ...table, first: [], reach: [], length: 0 };
}

function measured(table) {
  table.length = table.pe.length;
  return table;
}

/** What several tables tell together. */
function summarise(data) {
  const used = new Uint8Array(256);
  for (const table of [data.moves, data.queues]) for (const color of table.color) used[color] = 1;
  data.colors = [...used.keys()].filter((color) => used[color]);
  data.eventful = eventfulCycles(data);
}

/** Names of files without the folders that all of them are in. */
function shortenNames(data) {
  const own = data.files.filter((file) => !file.name.startsWith("<"));
  const folders = own.map((file) => file.name.split("/").slice(0, -1));
  let same = 0;
  while (folders.length > 0 && folders.every((f) => f.length > same && f[same] === folders[0][same])) same++;
  const short = (name) => (name.startsWith("<") ? name : name.split("/").slice(same).join("/"));
  for (const file of data.files) file.name = short(file.name);
  data.tiles.file = data.tiles.file.map(short);
}

/** For each PE the rows of a table that are about it: `rows` from `first[pe]` to `first[pe + 1]`. */
function groupByPe(column, pes) {
  const first = new Uint32Array(pes + 2);
  for (const pe of column) first[pe + 2]++;
  for (let pe = 2; pe < first.length; pe++) first[pe] += first[pe - 1];
  const rows = new Uint32Array(column.length);
  for (let i = 0; i < column.length; i++) rows[first[column[i] + 1]++] = i;
  return { first, rows };
}

/** The rows of one PE in a table, in order. */
function rowsOf(data, table, pe) {
  table.ofPe ??= groupByPe(table.pe, data.pes);
  const { first, rows } = table.ofPe;
  return rows.subarray(first[pe], first[pe + 1]);
}

/**
 * For each event of `threads`, what holds on its thread afterwards, as rows: the task, the innermost operation, the line of
 * code and the stall, -1 where there is none. Of its PE: the state, the cycles in which it was busy before, and
 * whether an operation did its last element in this cycle.
 */
function followThreads(data) {
  const t = data.threads;
  const rows = () => new Int32Array(t.length);
  Object.assign(t, { task: rows(), operation: rows(), line: rows(), stall: rows() });
  Object.assign(t, { state: new Uint8Array(t.length), moved: new Uint8Array(t.length), busy: new Float64Array(t.length) });
  const of = (many) => new Int32Array(many).fill(-1);
  const threads = data.pes * THREADS;
  const now = { task: of(threads), operation: of(threads), line: of(threads), stall: of(threads), outer: rows() };
  const pes = { open: new Uint8Array(data.pes), stalled: new Uint8Array(data.pes), last: of(data.pes) };
  for (let row = 0; row < t.length; row++) {
    const pe = t.pe[row], key = pe * THREADS + t.thread[row];
    pes.open[pe] -= isOpen(now, key);
    pes.stalled[pe] -= Number(now.stall[key] >= 0);
    follow(now, t.what[row], key, row);
    pes.open[pe] += isOpen(now, key);
    pes.stalled[pe] += Number(now.stall[key] >= 0);
    t.task[row] = now.task[key];
    t.operation[row] = now.operation[key];
    t.line[row] = now.line[key];
    t.stall[row] = now.stall[key];
    account(t, pes, pe, row);
  }
  data.lastRow = pes.last;
}

function isOpen(now, key) {
  return Number(now.task[key] >= 0 || now.operation[key] >= 0 || now.stall[key] >= 0);
}

function follow(now, what, key, row) {
  switch (what) {
    case TASK: now.task[key] = row; now.line[key] = -1; break;
    case TASK_END: now.task[key] = -1; now.line[key] = -1; break;
    case START: now.outer[row] = now.operation[key]; now.operation[key] = row; break;
    case STALL: now.stall[key] = row; break;
    case RESUME: now.stall[key] = -1; break;
    case END:
      if (now.operation[key] >= 0) now.operation[key] = now.outer[now.operation[key]];
      now.stall[key] = -1;
      break;
    case LINE: now.line[key] = row; break;
  }
}

/** The state of a PE after an event, and how long it was busy up to then. */
function account(t, pes, pe, row) {
  const before = pes.last[pe];
  pes.last[pe] = row;
  t.state[row] = pes.open[pe] === 0 ? IDLE : pes.open[pe] > pes.stalled[pe] ? RUNNING : STALLED;
  t.moved[row] = Number(t.what[row] === END && t.thread[row] > 0);
  if (before < 0) return;
  const cycles = t.cycle[row] - t.cycle[before];
  t.busy[row] = t.busy[before] + (t.state[before] === RUNNING ? cycles : 0);
  if (cycles === 0 && t.moved[before]) t.moved[row] = 1;
}

/** Where the new words of each change of memory begin in `memory.words`. */
function placeWords(memory) {
  memory.first = new Uint32Array(memory.length);
  for (let i = 1; i < memory.length; i++) memory.first[i] = memory.first[i - 1] + memory.count[i - 1];
}

/** For each row, the last cycle in which any wavelet up to it is held. */
function findReach(held) {
  held.reach = new Float64Array(held.length);
  for (let i = 0; i < held.length; i++) {
    held.reach[i] = Math.max(i > 0 ? held.reach[i - 1] : 0, held.cycle[i] + held.until[i]);
  }
}

/** The cycles in which anything happens, ascending. */
function eventfulCycles(data) {
  const all = [0, data.last, ...hostCycles(data)];
  for (const name of ["threads", "moves", "queues", "memory", "notes"]) {
    const { cycle, length } = data[name];
    for (let i = 0; i < length; i++) if (i === 0 || cycle[i] !== cycle[i - 1]) all.push(cycle[i]);
  }
  return Float64Array.from(all).sort().filter((cycle, i, sorted) => i === 0 || cycle !== sorted[i - 1]);
}

/** How many of the ascending `values` are at most `limit`. */
function countUpTo(values, limit) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= limit) low = middle + 1; else high = middle;
  }
  return low;
}

/** The wavelets that routers hold up in a cycle, by PE and side: how many, of which color, since when. */
function heldIn(data, cycle) {
  const { held } = data;
  const found = new Map();
  for (let row = countUpTo(held.cycle, cycle) - 1; row >= 0 && held.reach[row] >= cycle; row--) {
    if (held.cycle[row] + held.until[row] < cycle) continue;
    const key = held.pe[row] * 8 + held.side[row];
    const before = found.get(key);
    const since = held.cycle[row];
    if (before) Object.assign(before, { count: before.count + 1, color: held.color[row], since });
    else found.set(key, { pe: held.pe[row], side: held.side[row], color: held.color[row], since, count: 1 });
  }
  return [...found.values()];
}

/** The rows of a table from one cycle to another, both included. */
function rowsBetween(table, from, to) {
  return [countUpTo(table.cycle, from - 1), countUpTo(table.cycle, to)];
}

/** How people name a PE. */
function nameOf(data, pe) {
  return `PE(${pe % data.width},${Math.floor(pe / data.width)})`;
}

/** 1234567 as 1,234,567. */
function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** How people name a thread. */
function threadName(thread) {
  return thread === 0 ? "main thread" : `microthread ${thread - 1}`;
}

/** How people name a queue: 0 to 7 are input queues, 8 to 15 output queues, others private ones. */
function queueName(queue) {
  if (queue < 8) return `input ${queue}`;
  if (queue < 16) return `output ${queue - 8}`;
  return queue < 48 ? "private input" : "private output";
}

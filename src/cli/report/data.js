// The data of the report: tables of columns, read once and never changed.

/** The threads of a PE: the main thread, then eight microthreads. */
const THREADS = 9;

/** What an event of the table `threads` says. */
const TASK = 0, TASK_END = 1, START = 2, STALL = 3, RESUME = 4, END = 5;

/** What an event of the table `moves` says; 0 to 3 are hops to a side. */
const TO_PE = 4, SENT = 5, DELIVERED = 6, FROM_HOST = 7, TO_HOST = 8, DROPPED = 9;

/** The sides of a router: name, and the way in columns and rows. */
const SIDES = [["north", 0, -1], ["south", 0, 1], ["east", 1, 0], ["west", -1, 0]];

/** Reads the JSON of the page; cycles are written as differences. */
function readData(text) {
  const data = JSON.parse(text);
  data.pes = data.width * data.height;
  for (const name of ["threads", "moves", "held", "queues", "memory", "notes"]) {
    const table = data[name];
    table.cycle = absolute(table.cycle);
    table.length = table.cycle.length;
    table.ofPe = groupByPe(table.pe, data.pes);
  }
  shortenNames(data);
  followThreads(data);
  placeWords(data);
  data.colors = [...new Set([...data.moves.color, ...data.queues.color])].sort((a, b) => a - b);
  data.lastEvent = lastEvents(data);
  data.eventful = eventfulCycles(data);
  return data;
}

/** Names of files without the folders that all of them are in. */
function shortenNames(data) {
  const own = data.files.filter((file) => !file.name.startsWith("<"));
  const folders = own.map((file) => file.name.split("/").slice(0, -1));
  let same = 0;
  while (folders.length > 0 && folders.every((f) => f.length > same && f[same] === folders[0][same])) same++;
  const short = (name) => (name.startsWith("<") ? name : name.split("/").slice(same).join("/"));
  for (const file of data.files) file.name = short(file.name);
  for (const tile of data.tiles) tile.file = short(tile.file);
}

/** Differences to sums. */
function absolute(steps) {
  const cycles = new Float64Array(steps.length);
  let now = 0;
  for (let i = 0; i < steps.length; i++) {
    now += steps[i];
    cycles[i] = now;
  }
  return cycles;
}

/** For each PE the rows of a table that are about it: `rows` from `first[pe]` to `first[pe + 1]`. */
function groupByPe(column, pes) {
  const first = new Uint32Array(pes + 2);
  for (const pe of column) first[pe + 2]++;
  for (let pe = 2; pe < first.length; pe++) first[pe] += first[pe - 1];
  const rows = new Uint32Array(column.length);
  column.forEach((pe, i) => { rows[first[pe + 1]++] = i; });
  return { first, rows };
}

/** The rows of one PE in a table, in order. */
function rowsOf(table, pe) {
  const { first, rows } = table.ofPe;
  return rows.subarray(first[pe], first[pe + 1]);
}

/**
 * For each event of `threads` what holds on its thread afterwards, as rows: the task, the innermost
 * operation and the stall; -1 where there is none.
 */
function followThreads(data) {
  const t = data.threads;
  t.task = new Int32Array(t.length).fill(-1);
  t.operation = new Int32Array(t.length).fill(-1);
  t.stall = new Int32Array(t.length).fill(-1);
  const open = new Map();
  for (let i = 0; i < t.length; i++) {
    const key = t.pe[i] * THREADS + t.thread[i];
    if (!open.has(key)) open.set(key, { task: -1, operations: [], stall: -1 });
    const thread = open.get(key);
    follow(thread, t.what[i], i);
    t.task[i] = thread.task;
    t.operation[i] = thread.operations.at(-1) ?? -1;
    t.stall[i] = thread.stall;
  }
}

function follow(thread, what, row) {
  switch (what) {
    case TASK: thread.task = row; break;
    case TASK_END: thread.task = -1; break;
    case START: thread.operations.push(row); break;
    case STALL: thread.stall = row; break;
    case RESUME: thread.stall = -1; break;
    case END: thread.operations.pop(); thread.stall = -1; break;
  }
}

/** Where the new words of each change of memory begin in `memory.words`. */
function placeWords(data) {
  const m = data.memory;
  m.first = new Uint32Array(m.length);
  let next = 0;
  for (let i = 0; i < m.length; i++) {
    m.first[i] = next;
    next += m.count[i];
  }
}

/** For each PE the cycle of the last event of its threads, or -1 if it never ran. */
function lastEvents(data) {
  const last = new Float64Array(data.pes).fill(-1);
  data.threads.pe.forEach((pe, i) => { last[pe] = data.threads.cycle[i]; });
  return last;
}

/** The cycles in which anything happens, ascending. */
function eventfulCycles(data) {
  const tables = [data.threads, data.moves, data.queues, data.memory, data.notes];
  const host = hostCycles(data);
  const all = new Float64Array(tables.reduce((sum, t) => sum + t.length, 2 + host.length));
  let end = 0;
  for (const table of tables) {
    all.set(table.cycle, end);
    end += table.length;
  }
  all.set(host, end);
  end += host.length;
  all[end] = 0;
  all[end + 1] = data.last;
  return all.sort().filter((cycle, i, sorted) => i === 0 || cycle !== sorted[i - 1]);
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
  const end = countUpTo(held.cycle, cycle);
  for (let row = 0; row < end; row++) {
    if (held.cycle[row] + held.until[row] < cycle) continue;
    const key = held.pe[row] * 8 + held.side[row];
    const before = found.get(key);
    if (before) before.count++;
    else found.set(key, { pe: held.pe[row], side: held.side[row], color: held.color[row], since: held.cycle[row], count: 1 });
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

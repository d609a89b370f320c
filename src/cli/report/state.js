// What every PE does in the cycle shown: the events up to it, played back.

/** The states as the legend lists them: class, name, meaning. */
const STATES = [
  ["none", "no code", "the layout gives this PE no code"],
  ["idle", "idle", "nothing runs now, but something will later"],
  ["running", "running", "the main thread or a microthread is working"],
  ["stalled", "stalled", "everything that has started waits"],
  ["ended", "ended", "nothing runs for the rest of the run"],
];

/** Numbers of queues. */
const QUEUES = 80;

/** The state of all PEs at one cycle; `seek` goes to another one. */
class Replay {
  constructor(data) {
    this.data = data;
    /** The last event of each thread, and of each PE. */
    this.latest = new Int32Array(data.pes * THREADS);
    this.latestOf = new Int32Array(data.pes);
    this.inside = new Int32Array(data.pes);
    this.depth = new Uint16Array(data.pes * QUEUES);
    this.reset();
  }

  reset() {
    this.cycle = -1;
    this.nextThread = 0;
    this.nextQueue = 0;
    this.latest.fill(-1);
    this.latestOf.fill(-1);
    this.inside.fill(0);
    this.depth.fill(0);
  }

  /** Plays back from the start if need be: going on is much more frequent. */
  seek(cycle) {
    if (cycle < this.cycle) this.reset();
    this.cycle = cycle;
    const { threads, queues } = this.data;
    for (; this.nextThread < threads.length && threads.cycle[this.nextThread] <= cycle; this.nextThread++) {
      const row = this.nextThread;
      this.latest[threads.pe[row] * THREADS + threads.thread[row]] = row;
      this.latestOf[threads.pe[row]] = row;
    }
    for (; this.nextQueue < queues.length && queues.cycle[this.nextQueue] <= cycle; this.nextQueue++) {
      this.fill(this.nextQueue);
    }
  }

  fill(row) {
    const { pe, queue, depth } = this.data.queues;
    const key = pe[row] * QUEUES + queue[row];
    this.inside[pe[row]] += depth[row] - this.depth[key];
    this.depth[key] = depth[row];
  }

  /** What the threads of a PE do: `{thread, task, operation, line, stall}` as rows of `threads`. */
  threadsOf(pe) {
    const { task, operation, line, stall } = this.data.threads;
    const all = [];
    for (let thread = 0; thread < THREADS; thread++) {
      const row = this.latest[pe * THREADS + thread];
      if (row < 0 || (task[row] < 0 && operation[row] < 0 && stall[row] < 0)) continue;
      all.push({ thread, task: task[row], operation: operation[row], line: line[row], stall: stall[row] });
    }
    return all;
  }

  stateOf(pe) {
    if (this.data.place[pe] < 0) return NONE;
    const { state, moved, cycle } = this.data.threads;
    const row = this.latestOf[pe];
    if (row < 0) return IDLE;
    // An operation of a microthread does its last element in the cycle in which it ends.
    if (moved[row] && cycle[row] === this.cycle) return RUNNING;
    if (state[row] !== IDLE) return state[row];
    return row === this.data.lastRow[pe] && this.data.cut === null ? ENDED : IDLE;
  }

  /** In how many cycles before the current one a PE was busy. */
  busyOf(pe) {
    return busyUpTo(this.data.threads, this.latestOf[pe], this.cycle);
  }

  /** The share of the cycles from `from` to the current one in which a PE was busy. */
  shareOf(pe, from) {
    const length = this.cycle - from;
    if (length <= 0) return Number(this.stateOf(pe) === RUNNING);
    return (this.busyOf(pe) - (from > 0 ? this.busyAt(pe, from) : 0)) / length;
  }

  busyAt(pe, cycle) {
    const { threads } = this.data;
    const rows = rowsOf(this.data, threads, pe);
    let low = 0, high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (threads.cycle[rows[middle]] <= cycle) low = middle + 1; else high = middle;
    }
    return low === 0 ? 0 : busyUpTo(threads, rows[low - 1], cycle);
  }

  /** The place in the text where a PE is, as a row of `spans`; -1 between tasks. */
  spanOf(pe) {
    const { task, operation, line, span } = this.data.threads;
    for (let i = pe * THREADS; i < (pe + 1) * THREADS; i++) {
      const row = this.latest[i];
      if (row < 0) continue;
      const shown = [operation[row], line[row], task[row]].find((place) => place >= 0);
      if (shown !== undefined) return span[shown];
    }
    return -1;
  }

  /** The queues of a PE that are not empty or were used: `[queue, color, depth]`. */
  queuesOf(pe) {
    const { queues } = this.data;
    const known = new Map();
    for (const row of rowsOf(this.data, queues, pe)) {
      const past = queues.cycle[row] <= this.cycle;
      if (past || !known.has(queues.queue[row])) {
        known.set(queues.queue[row], [queues.color[row], past ? queues.depth[row] : 0]);
      }
    }
    return [...known].sort((a, b) => a[0] - b[0]).map(([queue, rest]) => [queue, ...rest]);
  }

  /** The words of the variables of a PE, and which of them changed in this cycle or ever. */
  memoryOf(pe) {
    const { tiles, place, memory } = this.data;
    const words = Uint16Array.from(tiles.starts[tiles.start[place[pe]]]);
    const start = words.slice();
    const fresh = new Uint8Array(words.length);
    for (const row of rowsOf(this.data, memory, pe)) {
      if (memory.cycle[row] > this.cycle) break;
      for (let k = 0; k < memory.count[row]; k++) {
        words[memory.at[row] + k] = memory.words[memory.first[row] + k];
        fresh[memory.at[row] + k] = Number(memory.cycle[row] === this.cycle);
      }
    }
    return { words, start, fresh };
  }
}

function busyUpTo(threads, row, cycle) {
  if (row < 0) return 0;
  return threads.busy[row] + (threads.state[row] === RUNNING ? cycle - threads.cycle[row] : 0);
}

// What every PE does in the cycle shown: the events up to it, played back.

const NONE = 0, IDLE = 1, RUNNING = 2, STALLED = 3, ENDED = 4;

/** The states as the legend lists them: class, name, meaning. */
const STATES = [
  ["none", "no code", "the layout gives this PE no code"],
  ["idle", "idle", "nothing runs now, but something will later"],
  ["running", "running", "the main thread or a microthread is working"],
  ["stalled", "stalled", "everything that has started is waiting"],
  ["ended", "ended", "nothing runs for the rest of the run"],
];

/** The state of all PEs at one cycle; `seek` goes to another one. */
class Replay {
  constructor(data) {
    this.data = data;
    this.latest = new Int32Array(data.pes * THREADS);
    this.inside = new Int32Array(data.pes);
    this.depth = new Map();
    this.reset();
  }

  reset() {
    this.cycle = -1;
    this.nextThread = 0;
    this.nextQueue = 0;
    this.latest.fill(-1);
    this.inside.fill(0);
    this.depth.clear();
  }

  /** Plays back from the start if need be: going on is much more frequent. */
  seek(cycle) {
    if (cycle < this.cycle) this.reset();
    this.cycle = cycle;
    const { threads, queues } = this.data;
    for (; this.nextThread < threads.length && threads.cycle[this.nextThread] <= cycle; this.nextThread++) {
      const row = this.nextThread;
      this.latest[threads.pe[row] * THREADS + threads.thread[row]] = row;
    }
    for (; this.nextQueue < queues.length && queues.cycle[this.nextQueue] <= cycle; this.nextQueue++) {
      this.fill(this.nextQueue);
    }
  }

  fill(row) {
    const { pe, queue, depth } = this.data.queues;
    const key = pe[row] * 128 + queue[row];
    this.inside[pe[row]] += depth[row] - (this.depth.get(key) ?? 0);
    this.depth.set(key, depth[row]);
  }

  /** What the threads of a PE do: `{thread, task, operation, stall}` as rows of `threads`. */
  threadsOf(pe) {
    const { threads } = this.data;
    const all = [];
    for (let thread = 0; thread < THREADS; thread++) {
      const row = this.latest[pe * THREADS + thread];
      if (row < 0) continue;
      const found = {
        thread, task: threads.task[row], operation: threads.operation[row], stall: threads.stall[row],
      };
      if (found.task >= 0 || found.operation >= 0 || found.stall >= 0) all.push(found);
    }
    return all;
  }

  stateOf(pe) {
    if (this.data.place[pe] < 0) return NONE;
    const { task, operation, stall } = this.data.threads;
    let begun = false;
    for (let i = pe * THREADS; i < (pe + 1) * THREADS; i++) {
      const row = this.latest[i];
      if (row >= 0 && i > pe * THREADS && this.endsNow(row)) return RUNNING;
      if (row < 0 || (task[row] < 0 && operation[row] < 0 && stall[row] < 0)) continue;
      if (stall[row] < 0) return RUNNING;
      begun = true;
    }
    if (begun) return STALLED;
    const last = this.data.lastEvent[pe];
    return last >= 0 && last <= this.cycle && this.data.cut === null ? ENDED : IDLE;
  }

  /** Whether an operation has done its last element in this cycle. */
  endsNow(row) {
    const { what, cycle } = this.data.threads;
    return what[row] === END && cycle[row] === this.cycle;
  }

  /** The place in the text where a PE is, as a row of `spans`; -1 between tasks. */
  spanOf(pe) {
    const { task, operation, span } = this.data.threads;
    for (let i = pe * THREADS; i < (pe + 1) * THREADS; i++) {
      const row = this.latest[i];
      const shown = row < 0 ? -1 : operation[row] >= 0 ? operation[row] : task[row];
      if (shown >= 0) return span[shown];
    }
    return -1;
  }

  /** The queues of a PE that are not empty or were used: `[queue, color, depth]`. */
  queuesOf(pe) {
    const { queues } = this.data;
    const known = new Map();
    for (const row of rowsOf(queues, pe)) {
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
    const words = Uint16Array.from(tiles[place[pe]].start);
    const start = words.slice();
    const fresh = new Uint8Array(words.length);
    for (const row of rowsOf(memory, pe)) {
      if (memory.cycle[row] > this.cycle) break;
      for (let k = 0; k < memory.count[row]; k++) {
        words[memory.at[row] + k] = memory.words[memory.first[row] + k];
        fresh[memory.at[row] + k] = Number(memory.cycle[row] === this.cycle);
      }
    }
    return { words, start, fresh };
  }
}

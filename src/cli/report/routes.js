// Where colors lead, and so which PE a stalled one waits for.

/** Colors have smaller numbers. */
const COLORS = 32;
/** The side of a router that leads to its PE, as a bit. */
const RAMP = 1 << 4;
/** The side on the other end of a link. */
const OPPOSITE = [1, 0, 3, 2];

class Routes {
  constructor(data) {
    this.data = data;
    this.swap = data.gates.some(({ swaps }) => swaps.includes(true));
    this.forget();
  }

  /** The tables have changed. */
  forget() {
    this.configs = new Map();
    this.positions = { cycle: -1, of: new Map() };
  }

  /** For each PE the number of its `gates` for a color; -1 if its router does not know the color. */
  configsOf(color) {
    if (!this.configs.has(color)) {
      const { pes, routes } = this.data;
      const all = new Int32Array(pes).fill(-1);
      for (let row = 0; row < routes.length; row++) if (routes.color[row] === color) all[routes.pe[row]] = routes.config[row];
      this.configs.set(color, all);
    }
    return this.configs.get(color);
  }

  /** The colors that have routes. */
  colors() {
    return [...new Set(this.data.routes.color)].sort((a, b) => a - b);
  }

  /** By PE, the position of the switch of a color, where it has moved. */
  positionsOf(color, cycle) {
    if (this.positions.cycle !== cycle) this.positions = { cycle, of: new Map() };
    if (!this.positions.of.has(color)) {
      const { switches } = this.data;
      const moved = new Map();
      const end = countUpTo(switches.cycle, cycle);
      for (let row = 0; row < end; row++) if (switches.color[row] === color) moved.set(switches.pe[row], switches.position[row]);
      this.positions.of.set(color, moved);
    }
    return this.positions.of.get(color);
  }

  /** What a router lets through: the sides that wavelets may come from and those they go to, as bits. */
  gateOf(color, pe, cycle) {
    const config = this.configsOf(color)[pe];
    if (config < 0) return [0, 0];
    const { positions, start } = this.data.gates[config];
    return positions[this.positionsOf(color, cycle).get(pe) ?? start] ?? positions[0];
  }

  /** The same, whatever the switch does. */
  widestOf(color, pe) {
    const config = this.configsOf(color)[pe];
    if (config < 0) return [0, 0];
    return this.data.gates[config].positions.reduce(([rx, tx], [from, to]) => [rx | from, tx | to], [0, 0]);
  }

  /** The neighbour of a PE on a side; -1 beyond the edge. */
  neighbour(pe, side) {
    const { width, height } = this.data;
    const [, dx, dy] = SIDES[side];
    const [x, y] = [(pe % width) + dx, Math.floor(pe / width) + dy];
    return x >= 0 && y >= 0 && x < width && y < height ? y * width + x : -1;
  }

  /** The colors on which a router receives a wavelet of a color from a side: its own, that of its partner, or both. */
  receivedOn(color, pe, side) {
    if (!this.swap) return [color];
    const swaps = (one) => {
      const config = this.configsOf(one)[pe];
      if (config < 0) return false;
      const [x, y] = this.data.gates[config].swaps;
      return side === 4 ? x && y : side < 2 ? y : x;
    };
    const partner = color ^ 1;
    if (!swaps(partner)) return [color];
    return swaps(color) || this.configsOf(color)[pe] < 0 ? [partner] : [color, partner];
  }

  /** The colors of wavelets that a router receives from a side on this color. */
  arriveAs(color, pe, side) {
    return this.swap ? [color, color ^ 1].filter((one) => this.receivedOn(one, pe, side).includes(color)) : [color];
  }

  /**
   * The PEs at the other ends of a color, the nearest first: those that send what a PE receives, or, downstream, those that
   * receive what it sends. Switches count as they are in a cycle; if nobody is found, as they may ever be.
   */
  ends(color, pe, cycle, downstream) {
    const found = this.search(color, pe, downstream, (one, at) => this.gateOf(one, at, cycle));
    return found.length > 0 ? found : this.search(color, pe, downstream, (one, at) => this.widestOf(one, at));
  }

  search(color, pe, downstream, gateOf) {
    const [onward, back] = downstream ? [1, 0] : [0, 1];
    const lane = (one, at) => at * COLORS + one;
    const seen = new Set((downstream ? this.receivedOn(color, pe, 4) : [color]).map((one) => lane(one, pe)));
    const found = new Set();
    for (const reached of seen) {
      const [one, at] = [reached % COLORS, Math.floor(reached / COLORS)];
      const sides = gateOf(one, at)[onward];
      if (at !== pe && sides & RAMP) found.add(at);
      for (let side = 0; side < 4; side++) {
        const next = sides & (1 << side) ? this.neighbour(at, side) : -1;
        if (next < 0) continue;
        const others = downstream ? this.receivedOn(one, next, OPPOSITE[side]) : this.arriveAs(one, at, side);
        for (const other of others) if (gateOf(other, next)[back] & (1 << OPPOSITE[side])) seen.add(lane(other, next));
      }
    }
    return [...found];
  }

  /**
   * Whom a stalled thread waits for: `{pe, others}`, with how many more PEs may end the wait. `pe` is the PE itself if it
   * waits for another of its threads, and -1 if nobody on the wafer is on the other end.
   */
  waitsFor(replay, { stall }) {
    const { threads } = this.data;
    const [on, pe] = [threads.on[stall], threads.pe[stall]];
    if (on > 64) return { pe, others: 0 };
    const downstream = on > 32;
    const ends = this.ends((on - 1) % 32, pe, replay.cycle, downstream);
    if (ends.length === 0) return { pe: -1, others: 0 };
    // Of those that receive, one that holds wavelets makes the others wait.
    const slow = downstream ? ends.find((end) => replay.inside[end] > 0) : undefined;
    return { pe: slow ?? ends[0], others: ends.length - 1 };
  }

  /** From a PE to the one it waits for and so on, until one does not wait, or it begins again. */
  chainFrom(replay, pe) {
    const chain = [pe];
    while (chain.length < 64) {
      const stalled = replay.threadsOf(chain.at(-1)).find((thread) => thread.stall >= 0);
      if (!stalled || replay.stateOf(chain.at(-1)) !== STALLED) break;
      const next = this.waitsFor(replay, stalled).pe;
      if (next < 0 || next === chain.at(-1)) break;
      chain.push(next);
      if (chain.indexOf(next) < chain.length - 1) break;
    }
    return chain;
  }
}

// Where colors lead, and so which PE a stalled one waits for.

/** The side of a router that leads to its PE, as a bit. */
const RAMP = 1 << 4;
/** The side on the other end of a link. */
const OPPOSITE = [1, 0, 3, 2];

class Routes {
  constructor(data) {
    this.data = data;
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

  /**
   * The PEs at the other ends of a color, the nearest first: those that send what a PE receives, or, downstream, those that
   * receive what it sends. Switches count as they are in a cycle; if nobody is found, as they may ever be.
   */
  ends(color, pe, cycle, downstream) {
    const found = this.search(pe, downstream, (at) => this.gateOf(color, at, cycle));
    return found.length > 0 ? found : this.search(pe, downstream, (at) => this.widestOf(color, at));
  }

  search(pe, downstream, gateOf) {
    const onward = (at) => gateOf(at)[downstream ? 1 : 0];
    const back = (at) => gateOf(at)[downstream ? 0 : 1];
    const seen = new Set([pe]);
    const found = [];
    for (const at of seen) {
      if (at !== pe && onward(at) & RAMP) found.push(at);
      for (let side = 0; side < 4; side++) {
        const next = onward(at) & (1 << side) ? this.neighbour(at, side) : -1;
        if (next >= 0 && back(next) & (1 << OPPOSITE[side])) seen.add(next);
      }
    }
    return found;
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

// The wafer on its canvas: a square for each PE, in the color of its state or of how busy it is.

/** Steps of the scale from an idle to a busy PE. */
const STEPS = 32;
/** Below this distance, PEs are pixels of a picture. */
const PIXELS = 5;

class WaferView {
  constructor(canvas, data, replay, routes) {
    this.data = data;
    this.replay = replay;
    this.routes = routes;
    this.frame = new Frame(canvas, data);
    this.hidden = new Set();
    this.marked = new Set();
    this.states = new Uint8Array(data.pes);
    /** What squares show: `state`, `all` (busy so far) or `late` (busy in the last cycles). */
    this.measure = "state";
    /** The color whose route is drawn. */
    this.route = -1;
    /** Whose waits are drawn: `one`, `all` or `none`. */
    this.waits = "one";
    this.readTheme();
  }

  /** The colors of the style sheet, as the canvas takes them. */
  readTheme() {
    const probe = document.body.appendChild(document.createElement("i"));
    const value = (name) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    };
    const names = ["ink", "soft", "line", "panel", "ground", "accent", "bad", "host"];
    this.theme = Object.fromEntries(names.map((name) => [name, value(name)]));
    this.fills = STATES.map(([name]) => value(name === "none" ? "panel" : name));
    const ends = [numbersIn(this.fills[STALLED]), numbersIn(this.fills[RUNNING])];
    for (let step = 0; step <= STEPS; step++) {
      const mixed = ends[0].map((low, i) => Math.round(low + ((ends[1][i] - low) * step) / STEPS));
      this.fills.push(`rgb(${mixed.join(", ")})`);
    }
    this.pixels = this.fills.map(numbersIn);
    probe.style.color = "light-dark(#000, #fff)";
    this.isDark = getComputedStyle(probe).color === "rgb(255, 255, 255)";
    probe.remove();
  }

  /** The first cycle that counts for the measure. */
  measuredFrom() {
    return this.measure === "late" ? Math.max(0, this.replay.cycle - lateCycles(this.data)) : 0;
  }

  /** The number of the fill of a PE. */
  fillOf(pe) {
    if (this.measure === "state" || this.states[pe] === NONE) return this.states[pe];
    const share = this.replay.shareOf(pe, this.measuredFrom());
    return STATES.length + Math.round(STEPS * Math.min(1, share));
  }

  /** Draws the cycle that the replay is at; wavelets have gone a `fraction` of their way. */
  draw(chosen, fraction) {
    const { frame } = this;
    const { context, pitch } = frame;
    context.fillStyle = this.theme.panel;
    context.fillRect(0, 0, frame.width, frame.height);
    for (let pe = 0; pe < this.data.pes; pe++) this.states[pe] = this.replay.stateOf(pe);
    if (pitch >= 14) this.drawLinks();
    if (pitch < PIXELS) this.drawPixels(); else this.drawTiles();
    if (this.route >= 0) drawRoute(this, this.route);
    if (pitch >= 22) this.drawInsides();
    for (const pe of this.marked) if (frame.sees(pe)) this.outline(pe, this.theme.bad, 2);
    if (frame.sees(chosen)) this.outline(chosen, this.theme.ink, 2.5);
    drawWavelets(this, fraction);
    drawWaits(this, chosen);
    this.drawAxes();
  }

  drawAxes() {
    const { frame, data } = this;
    const { context, pitch } = frame;
    const every = [1, 2, 4, 8, 16, 32, 64, 128].find((n) => n * pitch >= 26) ?? 256;
    const { x0, y0, x1, y1 } = frame.seen();
    context.fillStyle = this.theme.panel;
    context.fillRect(0, 0, frame.width, MARGIN.top - 2);
    context.fillRect(0, 0, MARGIN.left - 3, frame.height);
    context.fillStyle = this.theme.soft;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "center";
    const first = (from) => Math.ceil(from / every) * every;
    for (let x = first(x0); x < x1; x += every) context.fillText(x, frame.middle(x)[0], 9);
    context.textAlign = "right";
    for (let y = first(y0); y < y1; y += every) context.fillText(y, MARGIN.left - 7, frame.middle(y * data.width)[1]);
  }

  drawLinks() {
    const { frame, data } = this;
    const { context } = frame;
    const { x0, y0, x1, y1 } = frame.seen();
    context.strokeStyle = this.theme.line;
    context.lineWidth = 1;
    context.beginPath();
    for (let y = y0; y < y1; y++) {
      context.moveTo(...frame.middle(y * data.width + x0));
      context.lineTo(...frame.middle(y * data.width + x1 - 1));
    }
    for (let x = x0; x < x1; x++) {
      context.moveTo(...frame.middle(y0 * data.width + x));
      context.lineTo(...frame.middle((y1 - 1) * data.width + x));
    }
    context.stroke();
  }

  /** A picture with a pixel for each PE, enlarged. */
  drawPixels() {
    const { frame, data } = this;
    const { x0, y0, x1, y1 } = frame.seen();
    const [width, height] = [x1 - x0, y1 - y0];
    if (width <= 0 || height <= 0) return;
    const picture = new ImageData(width, height);
    for (let y = y0, at = 0; y < y1; y++) {
      for (let x = x0; x < x1; x++, at += 4) {
        const [red, green, blue] = this.pixels[this.fillOf(y * data.width + x)];
        picture.data[at] = red;
        picture.data[at + 1] = green;
        picture.data[at + 2] = blue;
        picture.data[at + 3] = 255;
      }
    }
    const small = new OffscreenCanvas(width, height);
    small.getContext("2d").putImageData(picture, 0, 0);
    const { context, pitch } = frame;
    context.imageSmoothingEnabled = false;
    context.drawImage(small, frame.left + x0 * pitch, frame.top + y0 * pitch, width * pitch, height * pitch);
  }

  drawTiles() {
    const { context, tile } = this.frame;
    const round = tile >= 12 ? Math.min(6, tile / 6) : 0;
    const byFill = new Map();
    for (const pe of this.frame.pes()) {
      const fill = this.fillOf(pe);
      if (!byFill.has(fill)) byFill.set(fill, []);
      byFill.get(fill).push(pe);
    }
    for (const [fill, pes] of byFill) {
      context.beginPath();
      for (const pe of pes) {
        const [x, y] = this.frame.middle(pe);
        context.roundRect(x - tile / 2, y - tile / 2, tile, tile, round);
      }
      context.fillStyle = this.fills[fill];
      context.fill();
      if (fill !== NONE) continue;
      context.strokeStyle = this.theme.line;
      context.lineWidth = 1;
      context.stroke();
    }
  }

  /** What fits into a square: what runs, and how many wavelets its queues hold. */
  drawInsides() {
    const { frame, replay } = this;
    const { context, tile } = frame;
    const size = Math.min(12, Math.max(9, tile / 5));
    context.textBaseline = "middle";
    for (const pe of frame.pes()) {
      const [x, y] = frame.middle(pe);
      if (tile >= 150 && this.states[pe] !== NONE) {
        drawCard(this, pe);
        continue;
      }
      const inside = replay.inside[pe];
      context.textAlign = "center";
      if (inside > 0) this.drawQueued(x, y, inside, this.inkOn(pe));
      if (tile < 34) continue;
      const name = this.shortName(pe);
      context.font = `600 ${size}px system-ui, sans-serif`;
      context.fillStyle = this.inkOn(pe);
      if (name) context.fillText(this.clipped(name, tile - 4), x, y - tile * 0.12);
    }
  }

  /** A bar along the lower edge, full at eight wavelets, and their number. */
  drawQueued(x, y, inside, ink) {
    const { context, tile } = this.frame;
    const height = Math.max(3, tile * 0.09);
    const width = tile - 6;
    const [left, top] = [x - width / 2, y + tile / 2 - height - 3];
    context.fillStyle = this.theme.panel;
    context.fillRect(left, top, width, height);
    context.fillStyle = this.theme.ink;
    context.fillRect(left, top, width * Math.min(1, inside / 8), height);
    if (tile < 30) return;
    context.fillStyle = ink;
    context.font = "10px system-ui, sans-serif";
    context.textAlign = "right";
    context.fillText(inside, x + width / 2, top - 6);
    context.textAlign = "center";
  }

  shortName(pe) {
    const { threads, texts } = this.data;
    const [first] = this.replay.threadsOf(pe);
    if (!first) return "";
    const row = first.operation >= 0 ? first.operation : first.task;
    return row >= 0 ? texts[threads.text[row]].split(" ")[0].replace("@", "") : "";
  }

  /** What can be read on the square of a PE. */
  inkOn(pe) {
    const [red, green, blue] = this.pixels[this.fillOf(pe)];
    return 0.3 * red + 0.59 * green + 0.11 * blue > 140 ? "#10161f" : "#ffffff";
  }

  clipped(text, width) {
    let shown = text;
    while (shown.length > 1 && this.frame.context.measureText(shown).width > width) {
      shown = `${shown.slice(0, -2)}…`;
    }
    return shown;
  }

  outline(pe, color, width) {
    const { context, tile } = this.frame;
    const [x, y] = this.frame.middle(pe);
    const side = Math.max(tile, 4) + 2 + width;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    context.roundRect(x - side / 2, y - side / 2, side, side, tile >= 12 ? Math.min(7, tile / 5) : 1);
    context.stroke();
  }

  /** The colors of a run, which most people can tell apart; those beyond the list turn on by the golden angle. */
  colorOf(color) {
    const place = this.data.colors.indexOf(color);
    const paints = PAINTS[place];
    if (paints) return paints[Number(this.isDark)];
    return `hsl(${(place * 137.5) % 360} 70% ${this.isDark ? 68 : 40}%)`;
  }
}

/** How many cycles count as the last ones. */
function lateCycles(data) {
  return Math.min(data.last, Math.max(20, Math.round(data.last / 50)));
}

/** The numbers in `rgb(1, 2, 3)`. */
function numbersIn(color) {
  return color.match(/[\d.]+/g).slice(0, 3).map(Number);
}

/** A square that is large enough for what each thread does, and for each queue. */
function drawCard(view, pe) {
  const { frame, data, replay } = view;
  const { context, tile } = frame;
  const [x, y] = frame.middle(pe);
  const left = x - tile / 2 + 9;
  let top = y - tile / 2 + 14;
  const line = (text, weight = 400) => {
    if (top > y + tile / 2 - 8) return;
    context.font = `${weight} 11px system-ui, sans-serif`;
    context.fillText(view.clipped(text, tile - 18), left, top);
    top += 14;
  };
  context.textAlign = "left";
  context.fillStyle = view.inkOn(pe);
  const share = Math.round(100 * Math.min(1, replay.shareOf(pe, 0)));
  line(`${nameOf(data, pe)} ${STATES[view.states[pe]][1]}, busy ${share} %`, 650);
  for (const found of replay.threadsOf(pe)) {
    line(threadName(found.thread), 600);
    for (const words of describeThread(data, found)) line(`  ${words}`);
  }
  for (const [queue, color, depth] of replay.queuesOf(pe)) line(`${queueName(queue)} (color ${color}): ${depth}`);
}

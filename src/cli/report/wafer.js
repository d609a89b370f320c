// The wafer on its canvas: a square for each PE, wavelets on the links between them.

const MARGIN = { left: 30, top: 20, right: 6, bottom: 6 };
/** PEs are this far apart, in pixels. */
const PITCH = { least: 4, most: 120 };

/** Hues of wavelets, away from those of the states. */
const HUES = [222, 328, 0, 190, 275, 18, 95, 345, 250, 170];

class WaferView {
  constructor(canvas, data, replay) {
    this.canvas = canvas;
    this.data = data;
    this.replay = replay;
    this.hidden = new Set();
    this.marked = new Set();
    this.states = new Uint8Array(data.pes);
    this.readTheme();
    this.fit();
  }

  /** The colors of the style sheet, as the canvas takes them. */
  readTheme() {
    const probe = document.body.appendChild(document.createElement("i"));
    const value = (name) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    };
    const names = ["ink", "soft", "line", "panel", "ground", "accent", "bad"];
    this.theme = Object.fromEntries(names.map((name) => [name, value(name)]));
    this.fills = STATES.map(([name]) => (name === "none" ? "transparent" : value(name)));
    probe.style.color = "light-dark(#000, #fff)";
    this.isDark = getComputedStyle(probe).color === "rgb(255, 255, 255)";
    probe.remove();
  }

  /** Takes as much of the frame around it as the wafer needs. */
  fit() {
    const { width, height } = this.data;
    const frame = this.canvas.parentElement;
    const across = (frame.clientWidth - MARGIN.left - MARGIN.right) / width;
    const down = (frame.clientHeight - MARGIN.top - MARGIN.bottom) / height;
    const pitch = Math.min(PITCH.most, Math.max(PITCH.least, Math.min(across, down)));
    this.pitch = pitch > 8 ? Math.floor(pitch) : pitch;
    this.tile = Math.round(this.pitch * (this.pitch >= 14 ? 0.68 : 0.8));
    const size = {
      width: MARGIN.left + width * this.pitch + MARGIN.right,
      height: MARGIN.top + height * this.pitch + MARGIN.bottom,
    };
    const ratio = window.devicePixelRatio || 1;
    for (const side of ["width", "height"]) {
      this.canvas[side] = Math.ceil(size[side] * ratio);
      this.canvas.style[side] = `${size[side]}px`;
    }
    Object.assign(this.canvas.dataset, { left: MARGIN.left, top: MARGIN.top, pitch: this.pitch });
    this.context = this.canvas.getContext("2d");
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** The PE under a pointer, or -1. */
  peAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = Math.floor((event.clientX - box.left - MARGIN.left) / this.pitch);
    const y = Math.floor((event.clientY - box.top - MARGIN.top) / this.pitch);
    const { width, height } = this.data;
    return x >= 0 && y >= 0 && x < width && y < height ? y * width + x : -1;
  }

  /** The middle of a PE. */
  middle(pe) {
    const { width } = this.data;
    return [
      MARGIN.left + ((pe % width) + 0.5) * this.pitch,
      MARGIN.top + (Math.floor(pe / width) + 0.5) * this.pitch,
    ];
  }

  /** Draws the cycle that the replay is at; wavelets have gone a `fraction` of their way. */
  draw(chosen, fraction) {
    const { context, canvas } = this;
    context.clearRect(0, 0, canvas.width, canvas.height);
    for (let pe = 0; pe < this.data.pes; pe++) this.states[pe] = this.replay.stateOf(pe);
    this.drawAxes();
    if (this.pitch >= 14) this.drawLinks();
    this.drawTiles();
    if (this.pitch >= 22) this.drawInsides();
    for (const pe of this.marked) this.outline(pe, this.theme.bad, 2);
    this.outline(chosen, this.theme.ink, 2.5);
    for (const held of heldIn(this.data, this.replay.cycle)) this.drawHeld(held);
    this.drawMoves(fraction);
  }

  drawAxes() {
    const { context, data, pitch } = this;
    const every = [1, 2, 4, 8, 16, 32, 64, 128].find((n) => n * pitch >= 26) ?? 256;
    context.fillStyle = this.theme.soft;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "center";
    for (let x = 0; x < data.width; x += every) context.fillText(x, this.middle(x)[0], 9);
    context.textAlign = "right";
    for (let y = 0; y < data.height; y += every) {
      context.fillText(y, MARGIN.left - 7, this.middle(y * data.width)[1]);
    }
  }

  drawLinks() {
    const { context, data } = this;
    context.strokeStyle = this.theme.line;
    context.lineWidth = 1;
    context.beginPath();
    for (let y = 0; y < data.height; y++) {
      context.moveTo(...this.middle(y * data.width));
      context.lineTo(...this.middle((y + 1) * data.width - 1));
    }
    for (let x = 0; x < data.width; x++) {
      context.moveTo(...this.middle(x));
      context.lineTo(...this.middle((data.height - 1) * data.width + x));
    }
    context.stroke();
  }

  drawTiles() {
    const { context, tile } = this;
    const round = tile >= 12 ? Math.min(6, tile / 6) : 0;
    for (let state = NONE; state <= ENDED; state++) {
      context.beginPath();
      for (let pe = 0; pe < this.data.pes; pe++) {
        if (this.states[pe] !== state) continue;
        const [x, y] = this.middle(pe);
        context.roundRect(x - tile / 2, y - tile / 2, tile, tile, round);
      }
      context.fillStyle = state === NONE ? this.theme.panel : this.fills[state];
      context.fill();
      if (state !== NONE) continue;
      context.strokeStyle = this.theme.line;
      context.lineWidth = 1;
      context.stroke();
    }
  }

  /** What fits into a square: what runs, and how many wavelets its queues hold. */
  drawInsides() {
    const { context, tile, replay } = this;
    const size = Math.min(12, Math.max(9, tile / 5));
    context.textAlign = "center";
    for (let pe = 0; pe < this.data.pes; pe++) {
      const [x, y] = this.middle(pe);
      const inside = replay.inside[pe];
      if (inside > 0) this.drawQueued(x, y, inside);
      if (tile < 34) continue;
      const name = this.shortName(pe);
      context.font = `600 ${size}px system-ui, sans-serif`;
      context.fillStyle = this.inkOn(this.states[pe]);
      if (name) context.fillText(this.clipped(name, tile - 4), x, y - tile * 0.12);
    }
  }

  /** A bar along the lower edge, full at eight wavelets, and their number. */
  drawQueued(x, y, inside) {
    const { context, tile } = this;
    const height = Math.max(3, tile * 0.09);
    const width = tile - 6;
    const [left, top] = [x - width / 2, y + tile / 2 - height - 3];
    context.fillStyle = this.theme.panel;
    context.fillRect(left, top, width, height);
    context.fillStyle = this.theme.ink;
    context.fillRect(left, top, width * Math.min(1, inside / 8), height);
    if (tile < 30) return;
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

  inkOn(state) {
    return state === IDLE ? this.theme.ink : state === STALLED ? "#2b1d00" : "#ffffff";
  }

  clipped(text, width) {
    let shown = text;
    while (shown.length > 1 && this.context.measureText(shown).width > width) {
      shown = `${shown.slice(0, -2)}…`;
    }
    return shown;
  }

  outline(pe, color, width) {
    const { context, tile } = this;
    const [x, y] = this.middle(pe);
    const side = tile + 2 + width;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    context.roundRect(x - side / 2, y - side / 2, side, side, tile >= 12 ? Math.min(7, tile / 5) : 1);
    context.stroke();
  }

  drawMoves(fraction) {
    const { moves } = this.data;
    const [from, to] = rowsBetween(moves, this.replay.cycle, this.replay.cycle);
    for (let row = from; row < to; row++) {
      if (this.hidden.has(moves.color[row])) continue;
      const what = moves.what[row];
      if (what < 4) this.drawHop(row, fraction);
      else if (this.pitch >= 18) this.drawRamp(row);
    }
  }

  drawHop(row, fraction) {
    const { moves } = this.data;
    const { context, pitch } = this;
    const [, dx, dy] = SIDES[moves.what[row]];
    const [x, y] = this.middle(moves.pe[row]);
    // Wavelets keep to the right, so that two ways of one link stay apart.
    const [px, py] = [x - dy * pitch * 0.09, y + dx * pitch * 0.09];
    const [hx, hy] = [px + dx * pitch * fraction, py + dy * pitch * fraction];
    const radius = Math.min(6, Math.max(1.7, pitch * 0.085));
    context.strokeStyle = context.fillStyle = this.colorOf(moves.color[row]);
    context.globalAlpha = 0.5;
    context.lineWidth = radius;
    context.beginPath();
    context.moveTo(hx - dx * pitch * 0.24, hy - dy * pitch * 0.24);
    context.lineTo(hx, hy);
    context.stroke();
    context.globalAlpha = 1;
    this.dot(hx, hy, radius, moves.control[row]);
  }

  /** Wavelets that cannot go on wait where they came in. */
  drawHeld({ pe, side, color, count }) {
    if (this.hidden.has(color)) return;
    const { context, pitch, tile } = this;
    const [, dx, dy] = SIDES[side] ?? ["", 0, 0];
    const [x, y] = this.middle(pe);
    const radius = Math.min(6, Math.max(1.7, pitch * 0.085));
    const away = tile / 2 + radius;
    // They came towards the PE, and kept to the right.
    const [hx, hy] = side < 4
      ? [x + dx * away + dy * pitch * 0.09, y + dy * away - dx * pitch * 0.09]
      : [x + tile / 2 - radius, y - tile / 2];
    context.fillStyle = this.colorOf(color);
    this.dot(hx, hy, radius, false);
    if (radius < 4.5 || count < 2) return;
    context.font = "600 9px system-ui, sans-serif";
    context.textAlign = "center";
    context.fillStyle = this.theme.panel;
    context.fillText(count, hx, hy + 0.5);
  }

  dot(x, y, radius, isControl) {
    const { context } = this;
    context.beginPath();
    if (isControl) context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
    else context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
    if (radius < 3) return;
    context.strokeStyle = this.theme.panel;
    context.lineWidth = 1;
    context.stroke();
  }

  /** A triangle in a corner: up for what the PE sends, down for what it takes. */
  drawRamp(row) {
    const { moves } = this.data;
    const what = moves.what[row];
    if (what === TO_PE || what === DROPPED) return;
    const up = what === SENT || what === TO_HOST;
    const { context, tile } = this;
    const [x, y] = this.middle(moves.pe[row]);
    const r = Math.min(6, Math.max(2.5, tile * 0.1));
    const [cx, cy] = [x + (up ? 1 : -1) * (tile / 2 - r - 1), y - tile / 2 + r + 1];
    const tip = up ? -r : r;
    context.beginPath();
    context.moveTo(cx - r, cy - tip);
    context.lineTo(cx + r, cy - tip);
    context.lineTo(cx, cy + tip);
    context.closePath();
    context.fillStyle = this.colorOf(moves.color[row]);
    context.fill();
    context.strokeStyle = this.theme.panel;
    context.lineWidth = 1;
    context.stroke();
  }

  /** The colors of a run get hues far apart; those beyond the list turn on by the golden angle. */
  colorOf(color) {
    const place = this.data.colors.indexOf(color);
    const hue = HUES[place] ?? (place * 137.5) % 360;
    return `hsl(${hue} 78% ${this.isDark ? 66 : 44}%)`;
  }
}

// What is drawn over the squares of the wafer: wavelets, the route of a color, and who waits for whom.

/** Colors of wavelets on a light and on a dark ground, away from the blue of busy PEs. */
const PAINTS = [
  ["#c77700", "#ffb454"], ["#9b3d93", "#e08fd8"], ["#117733", "#4fc27a"], ["#7d2248", "#d77a9e"],
  ["#16877a", "#62cdbf"], ["#7a6a12", "#ddcc77"], ["#5b4a3f", "#b9a394"], ["#6f7f00", "#b7c64a"],
  ["#b0475c", "#f0a0ae"], ["#3f3f3f", "#d0d0d0"],
];
/** How far wavelets keep to the right of a link, so that its two ways stay apart. */
const aside = (pitch) => Math.min(8, pitch * 0.09);
/** Arrows of waits that are drawn at most. */
const MOST_ARROWS = 400;

/** The wavelets of the current cycle, and those that routers hold up. */
function drawWavelets(view, fraction) {
  const { data, replay, frame } = view;
  const { moves } = data;
  for (const held of heldIn(data, replay.cycle)) drawHeld(view, held);
  const [from, to] = rowsBetween(moves, replay.cycle, replay.cycle);
  for (let row = from; row < to; row++) {
    if (view.hidden.has(moves.color[row]) || !frame.sees(moves.pe[row])) continue;
    if (moves.what[row] < 4) drawHop(view, row, fraction);
    else if (frame.pitch >= 18) drawRamp(view, row);
  }
}

function drawHop(view, row, fraction) {
  const { moves } = view.data;
  const { context, pitch } = view.frame;
  const [, dx, dy] = SIDES[moves.what[row]];
  const [x, y] = view.frame.middle(moves.pe[row]);
  const [px, py] = [x - dy * aside(pitch), y + dx * aside(pitch)];
  const [hx, hy] = [px + dx * pitch * fraction, py + dy * pitch * fraction];
  const radius = dotSize(pitch);
  context.strokeStyle = context.fillStyle = view.colorOf(moves.color[row]);
  if (pitch < PIXELS) return context.fillRect(hx - radius, hy - radius, 2 * radius, 2 * radius);
  context.globalAlpha = 0.5;
  context.lineWidth = radius;
  context.beginPath();
  context.moveTo(hx - dx * pitch * 0.24, hy - dy * pitch * 0.24);
  context.lineTo(hx, hy);
  context.stroke();
  context.globalAlpha = 1;
  dot(view, hx, hy, radius, moves.control[row]);
  if (pitch < 110 || moves.control[row]) return;
  context.font = "11px system-ui, sans-serif";
  context.textAlign = dy === 0 ? "center" : "left";
  context.fillText(payloadText(view.data, moves.color[row], moves.data[row]), hx + (dy === 0 ? 0 : 9), hy + (dy === 0 ? 15 : 0));
}

function dotSize(pitch) {
  return Math.min(6, Math.max(1, pitch * 0.085));
}

/** Wavelets that cannot go on wait where they came in. */
function drawHeld(view, { pe, side, color, count }) {
  const { context, pitch, tile } = view.frame;
  if (view.hidden.has(color) || !view.frame.sees(pe)) return;
  const [, dx, dy] = SIDES[side] ?? ["", 0, 0];
  const [x, y] = view.frame.middle(pe);
  const radius = dotSize(pitch);
  const away = tile / 2 + radius;
  // They came towards the PE, and kept to the right.
  const [hx, hy] = side < 4
    ? [x + dx * away + dy * aside(pitch), y + dy * away - dx * aside(pitch)]
    : [x + tile / 2 - radius, y - tile / 2];
  context.fillStyle = view.colorOf(color);
  dot(view, hx, hy, radius, false);
  if (radius < 4.5 || count < 2) return;
  context.font = "600 9px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = view.theme.panel;
  context.fillText(count, hx, hy + 0.5);
}

function dot(view, x, y, radius, isControl) {
  const { context } = view.frame;
  context.beginPath();
  if (isControl) context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
  else context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
  if (radius < 3) return;
  context.strokeStyle = view.theme.panel;
  context.lineWidth = 1;
  context.stroke();
}

/** A triangle in a corner: up for what the PE sends, down for what it takes. */
function drawRamp(view, row) {
  const { moves } = view.data;
  const what = moves.what[row];
  if (what === TO_PE || what === DROPPED) return;
  const up = what === SENT || what === TO_HOST;
  const { context, tile } = view.frame;
  const [x, y] = view.frame.middle(moves.pe[row]);
  const r = Math.min(6, Math.max(2.5, tile * 0.1));
  const [cx, cy] = [x + (up ? 1 : -1) * (tile / 2 - r - 1), y - tile / 2 + r + 1];
  const tip = up ? -r : r;
  context.beginPath();
  context.moveTo(cx - r, cy - tip);
  context.lineTo(cx + r, cy - tip);
  context.lineTo(cx, cy + tip);
  context.closePath();
  context.fillStyle = view.colorOf(moves.color[row]);
  context.fill();
  context.strokeStyle = view.theme.panel;
  context.lineWidth = 1;
  context.stroke();
}

/** The route of a color through each router: from the sides that it comes from, to those that it goes to. */
function drawRoute(view, color) {
  const { frame, routes, replay } = view;
  const { context, pitch } = frame;
  const configs = routes.configsOf(color);
  context.strokeStyle = context.fillStyle = view.colorOf(color);
  context.lineWidth = Math.min(3, Math.max(1, pitch * 0.05));
  context.lineCap = "round";
  for (const pe of frame.pes()) {
    if (configs[pe] < 0) continue;
    const [rx, tx] = routes.gateOf(color, pe, replay.cycle);
    const [x, y] = frame.middle(pe);
    for (let side = 0; side < 4; side++) {
      const [, dx, dy] = SIDES[side];
      const [half, right] = [pitch / 2, aside(pitch)];
      if (rx & (1 << side)) stroke(context, [x + dx * half + dy * right, y + dy * half - dx * right], [x, y]);
      if (!(tx & (1 << side))) continue;
      const end = [x + dx * half - dy * right, y + dy * half + dx * right];
      stroke(context, [x, y], end);
      if (pitch >= 10) arrowHead(context, [x, y], end, Math.min(9, pitch * 0.16));
    }
    if (pitch >= 10) drawEnd(view, [x, y], rx & RAMP, tx & RAMP);
  }
  context.lineCap = "butt";
}

function stroke(context, from, to) {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

function arrowHead(context, from, to, size) {
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  const corner = (turn) => [to[0] - size * Math.cos(angle + turn), to[1] - size * Math.sin(angle + turn)];
  context.beginPath();
  context.moveTo(...to);
  context.lineTo(...corner(0.45));
  context.lineTo(...corner(-0.45));
  context.closePath();
  context.fill();
}

/** In the middle of a PE: a ring where the route begins, a disc where it ends, both where it does both. */
function drawEnd(view, [x, y], begins, ends) {
  const { context, pitch } = view.frame;
  const size = Math.min(8, Math.max(2, pitch * 0.09));
  if (!begins && !ends) return;
  context.beginPath();
  context.arc(x, y, size, 0, 2 * Math.PI);
  const color = context.fillStyle;
  context.fillStyle = ends ? color : view.theme.panel;
  context.fill();
  context.fillStyle = color;
  if (begins) context.stroke();
}

/** An arrow from each stalled PE to the one that it waits for. */
function drawWaits(view, chosen) {
  const { data, replay, routes, frame } = view;
  if (view.waits === "none") return;
  if (view.waits === "one") return drawChain(view, routes.chainFrom(replay, chosen));
  let left = MOST_ARROWS;
  for (const pe of frame.pes()) {
    if (view.states[pe] !== STALLED) continue;
    const stalled = replay.threadsOf(pe).find((thread) => thread.stall >= 0);
    const { pe: other } = routes.waitsFor(replay, stalled);
    if (other >= 0 && other !== pe) drawWait(view, pe, other, pe === chosen ? 1 : 0.55);
    if (--left === 0) break;
  }
}

/** From the chosen PE to the one that it waits for and so on; on small squares one line with one head. */
function drawChain(view, chain) {
  if (view.frame.pitch >= 14) {
    for (let i = 1; i < chain.length; i++) drawWait(view, chain[i - 1], chain[i], i === 1 ? 1 : 0.55);
    return;
  }
  const { context } = view.frame;
  context.strokeStyle = view.theme.bad;
  context.lineWidth = 2;
  context.beginPath();
  chain.slice(0, -1).forEach((pe) => context.lineTo(...view.frame.middle(pe)));
  context.stroke();
  if (chain.length > 1) drawWait(view, chain.at(-2), chain.at(-1), 1);
}

function drawWait(view, from, to, alpha) {
  const { context, tile } = view.frame;
  const [start, end] = [view.frame.middle(from), view.frame.middle(to)];
  const length = Math.hypot(end[0] - start[0], end[1] - start[1]);
  const cut = Math.min(length / 4, tile / 4);
  const between = (share) => [start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share];
  const [head, foot] = [between(1 - cut / length), between(cut / length)];
  context.globalAlpha = alpha;
  for (const [color, width] of [[view.theme.panel, 5], [view.theme.bad, 2.2]]) {
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = width;
    context.setLineDash([7, 4]);
    stroke(context, foot, head);
    context.setLineDash([]);
    arrowHead(context, start, head, width + 8);
  }
  context.globalAlpha = 1;
}

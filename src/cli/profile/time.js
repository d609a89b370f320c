// The time of each PE, with the critical path over it.

const ROW = 15;
const LABEL = 54;
const bars = data.bars;
const rows = bars.rows;
let view = { from: 0, until: Math.max(1, profile.until) };
const time = find("time");
/** Where the bars of each row begin and end among all. */
const ranges = rows.map(() => [0, 0]);

function indexBars() {
  let row = 0;
  bars.row.forEach((own, at) => {
    if (own !== row || at === 0) {
      ranges[own][0] = at;
      row = own;
    }
    ranges[own][1] = at + 1;
  });
}

function firstBar(row, cycle) {
  let [low, high] = ranges[row];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bars.until[middle] <= cycle) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function toX(cycle, width) {
  return LABEL + ((cycle - view.from) / (view.until - view.from)) * (width - LABEL);
}

function drawTime() {
  const width = find("time-frame").clientWidth - 2;
  const context = sized(time, width, rows.length * ROW + 4);
  context.font = "11px system-ui";
  context.textAlign = "left";
  rows.forEach((row, at) => {
    const pe = profile.pes[row.pe];
    const y = at * ROW + 2;
    context.fillStyle = row.pe === chosen ? theme["--accent"] : theme["--soft"];
    const name = row.thread === 8 ? `(${pe.x},${pe.y})` : `  ut${row.thread}`;
    context.fillText(name, 4, y + 10);
    let last = -1;
    for (let bar = firstBar(at, view.from); bar < ranges[at][1] && bars.from[bar] < view.until; bar += 1) {
      const [from, until] = [Math.max(LABEL, toX(bars.from[bar], width)), Math.min(width, toX(bars.until[bar], width))];
      // Of bars that fall on one pixel, the first is drawn.
      if (until - from < 0.5 && Math.floor(from) === last) {
        continue;
      }
      last = Math.floor(from);
      context.fillStyle = theme[CLASSES[bars.what[bar]][2]];
      context.globalAlpha = bars.what[bar] === 0 ? 1 : 0.65;
      context.fillRect(from, y, Math.max(0.8, until - from), ROW - 4);
      if (chosenLine !== null && bars.line[bar] === chosenLine) {
        context.globalAlpha = 1;
        context.fillStyle = theme["--ink"];
        context.fillRect(from, y + ROW - 4, Math.max(0.8, until - from), 2);
      }
    }
  });
  context.globalAlpha = 1;
  if (find("show-path").checked) {
    drawPathOverTime(context, width);
  }
  find("range").textContent = `cycles ${grouped(view.from)} to ${grouped(view.until)}`;
}

/** The row of the main thread of each PE that has one. */
const rowOf = new Map(rows.map((row, at) => [row, at]).filter(([row]) => row.thread === 8).map(([row, at]) => [row.pe, at]));

function drawPathOverTime(context, width) {
  context.strokeStyle = theme["--bad"];
  context.lineWidth = 2;
  context.beginPath();
  let last = null;
  for (const part of profile.path.parts) {
    if (!rowOf.has(part.pe) || part.until < view.from || part.from > view.until) {
      continue;
    }
    const y = (pe) => (rowOf.has(pe) ? rowOf.get(pe) : rowOf.get(part.pe)) * ROW + ROW / 2;
    const start = part.before === null || part.what === "work" ? part.pe : part.before;
    const clip = (cycle) => Math.max(LABEL, Math.min(width, toX(cycle, width)));
    if (last === null) {
      context.moveTo(clip(part.from), y(start));
    } else {
      context.lineTo(clip(part.from), y(start));
    }
    context.lineTo(clip(part.until), y(part.pe));
    last = part;
  }
  context.stroke();
}

function zoomTo(from, until) {
  const length = Math.max(8, until - from);
  const most = Math.max(8, profile.until);
  const start = Math.max(0, Math.min(from, most - length));
  view = { from: start, until: Math.min(most, start + length) };
  drawTime();
}

function zoom(factor, at = (view.from + view.until) / 2) {
  zoomTo(at - (at - view.from) * factor, at - (at - view.from) * factor + (view.until - view.from) * factor);
}

function cycleAt(event) {
  const box = time.getBoundingClientRect();
  return view.from + ((event.clientX - box.left - LABEL) / (box.width - LABEL)) * (view.until - view.from);
}

function tellMoment(event) {
  const box = time.getBoundingClientRect();
  const row = Math.floor((event.clientY - box.top) / ROW);
  const cycle = Math.floor(cycleAt(event));
  if (!rows[row] || cycle < 0) {
    return;
  }
  const pe = profile.pes[rows[row].pe];
  const bar = firstBar(row, cycle);
  const isThere = bar < ranges[row][1] && bars.from[bar] <= cycle;
  const line = isThere && bars.line[bar] >= 0 ? profile.lines[bars.line[bar]] : null;
  const what = isThere ? CLASSES[bars.what[bar]][1] : "nothing";
  const length = isThere ? `, ${grouped(bars.until[bar] - bars.from[bar])} cycles` : "";
  const text = line ? `: ${lineName(line)}  ${line.text}` : "";
  find("moment").textContent = `cycle ${grouped(cycle)}, PE (${pe.x},${pe.y}): ${what}${length}${text}`;
}

// The course of the run at a glance: how many PEs run and stall, how many wavelets move.

const SAMPLES = 400;

class TimeView {
  constructor(canvas, data) {
    this.canvas = canvas;
    this.data = data;
    this.samples = sampleRun(data);
    this.host = new HostLane(byId("host-lane"), data);
  }

  draw(cycle, theme, fills) {
    this.host.draw(cycle, theme);
    const { context, width, height } = clearCanvas(this.canvas, theme.panel);
    this.drawBars(context, width, height, fills);
    this.drawWavelets(context, width, height, theme.ink);
    context.fillStyle = theme.ink;
    context.fillRect(Math.min(width - 2, (width * cycle) / Math.max(1, this.data.last)), 0, 2, height);
  }

  drawBars(context, width, height, fills) {
    const { running, stalled } = this.samples;
    const step = width / running.length;
    const unit = (height - 2) / Math.max(1, this.samples.most);
    for (let i = 0; i < running.length; i++) {
      context.fillStyle = fills[RUNNING];
      context.fillRect(i * step, height - running[i] * unit, step + 0.5, running[i] * unit);
      context.fillStyle = fills[STALLED];
      context.fillRect(i * step, height - (running[i] + stalled[i]) * unit, step + 0.5, stalled[i] * unit);
    }
  }

  drawWavelets(context, width, height, color) {
    const { wavelets } = this.samples;
    const most = Math.max(1, ...wavelets);
    const step = width / wavelets.length;
    context.strokeStyle = color;
    context.lineWidth = 1;
    context.beginPath();
    wavelets.forEach((n, i) => context.lineTo((i + 0.5) * step, height - 1 - (n / most) * (height - 3)));
    context.stroke();
  }

  /** What a place of the picture shows, in words. */
  textAt(cycle) {
    const { running, stalled } = this.samples;
    const at = Math.min(running.length - 1, Math.floor((cycle / (this.data.last + 1)) * running.length));
    return `cycle ${grouped(cycle)}: ${grouped(running[at])} PEs run, ${grouped(stalled[at])} are stalled`;
  }
}

/** A canvas of its size on the screen, filled with one color. */
function clearCanvas(canvas, color) {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = color;
  context.fillRect(0, 0, width, height);
  return { context, width, height };
}

/** States and wavelets at evenly spaced cycles; one pass over the events, however many PEs there are. */
function sampleRun(data) {
  const { threads, moves } = data;
  const count = Math.max(1, Math.min(SAMPLES, data.last + 1));
  const samples = { running: [], stalled: [], wavelets: [], most: 0 };
  const state = new Uint8Array(data.pes);
  const now = new Uint32Array(STATES.length);
  let row = 0, before = 0;
  for (let i = 0; i < count; i++) {
    const to = Math.floor(((i + 1) * (data.last + 1)) / count) - 1;
    for (; row < threads.length && threads.cycle[row] <= to; row++) {
      now[state[threads.pe[row]]]--;
      state[threads.pe[row]] = threads.state[row];
      now[threads.state[row]]++;
    }
    const end = countUpTo(moves.cycle, to);
    samples.running.push(now[RUNNING]);
    samples.stalled.push(now[STALLED]);
    samples.wavelets.push(end - before);
    samples.most = Math.max(samples.most, now[RUNNING] + now[STALLED]);
    before = end;
  }
  return samples;
}

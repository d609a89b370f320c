// The course of the run at a glance: how many PEs run and stall, how many wavelets move.

const SAMPLES = 400;

class TimeView {
  constructor(canvas, data) {
    this.canvas = canvas;
    this.data = data;
    this.samples = sampleRun(data);
  }

  draw(cycle, theme, fills) {
    const { canvas, data } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.panel;
    context.fillRect(0, 0, width, height);
    this.drawBars(context, width, height, fills);
    this.drawWavelets(context, width, height, theme.accent);
    drawHost(context, data, width, theme);
    context.fillStyle = theme.ink;
    context.fillRect(Math.min(width - 2, (width * cycle) / Math.max(1, data.last)), 0, 2, height);
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
    context.lineWidth = 1.2;
    context.beginPath();
    wavelets.forEach((n, i) => context.lineTo((i + 0.5) * step, height - 1 - (n / most) * (height - 3)));
    context.stroke();
  }
}

/** States and wavelets at evenly spaced cycles. */
function sampleRun(data) {
  const count = Math.max(1, Math.min(SAMPLES, data.last + 1));
  const replay = new Replay(data);
  const samples = { running: [], stalled: [], wavelets: [], most: 0 };
  for (let i = 0; i < count; i++) {
    const from = Math.floor((i * (data.last + 1)) / count);
    const to = Math.max(from, Math.floor(((i + 1) * (data.last + 1)) / count) - 1);
    replay.seek(to);
    const found = [0, 0, 0, 0, 0];
    for (let pe = 0; pe < data.pes; pe++) found[replay.stateOf(pe)]++;
    const [first, end] = rowsBetween(data.moves, from, to);
    samples.running.push(found[RUNNING]);
    samples.stalled.push(found[STALLED]);
    samples.wavelets.push(end - first);
    samples.most = Math.max(samples.most, found[RUNNING] + found[STALLED]);
  }
  return samples;
}

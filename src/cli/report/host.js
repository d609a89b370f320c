// What the host does: its commands, and what its script waits for.

/** How many commands the list of the host shows around the current cycle. */
const HOST_LINES = 12;
/** Height of the lane of the host. */
const LANE = 16;

/** Where a command or a wait ends: at the end of the page if it is not done. */
function hostEnd(data, event) {
  return event.done ?? data.last;
}

function hostStart(event) {
  return event.begun ?? event.issued;
}

/** The cycles in which the host begins or ends something. */
function hostCycles(data) {
  const all = data.host.flatMap((e) => [e.issued, hostStart(e), hostEnd(data, e)]);
  return all.filter((cycle) => cycle <= data.last);
}

/** `waits for the copy from `y` (run.py:14)` */
function hostText(event) {
  const place = event.place ? ` (${event.place})` : "";
  return `${event.is_wait ? "waits for " : ""}${event.what}${place}`;
}

/** What the host does in a cycle, and its commands before and after; a click goes to one. */
function showHost({ data, cycle, jump }) {
  const box = byId("host");
  box.hidden = data.host.length === 0;
  if (box.hidden) return;
  const isOpen = (event) => event.issued <= cycle && cycle <= hostEnd(data, event);
  const open = data.host.filter(isOpen);
  const wait = open.find((event) => event.is_wait);
  const commands = data.host.filter((event) => !event.is_wait);
  box.querySelector("summary").textContent = `Host: ${wait ? hostText(wait) : "the script runs"}`;
  const next = countUpTo(commands.map((event) => event.issued), cycle);
  const first = Math.max(0, Math.min(commands.length - HOST_LINES, next - HOST_LINES / 2));
  const line = (event) => element(
    "li",
    { class: isOpen(event) ? "now" : undefined },
    element("button", { type: "button", onclick: () => jump(event.issued) }, grouped(event.issued)),
    ` ${hostText(event)}`,
  );
  byId("host-commands").replaceChildren(...commands.slice(first, first + HOST_LINES).map(line));
}

/** The lane of the host: its commands with their names, and below them what the script waits for. */
class HostLane {
  constructor(canvas, data) {
    this.canvas = canvas;
    this.data = data;
    canvas.hidden = data.host.length === 0;
  }

  draw(cycle, theme) {
    if (this.canvas.hidden) return;
    const { data } = this;
    const { context, width, height } = clearCanvas(this.canvas, theme.ground);
    const unit = width / Math.max(1, data.last);
    context.font = "10px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (const event of data.host) {
      const left = hostStart(event) * unit;
      const length = Math.max(1, (hostEnd(data, event) - hostStart(event)) * unit - 0.5);
      context.fillStyle = event.is_wait ? theme.soft : theme.host;
      if (event.is_wait) context.fillRect(left, height - 2, length, 2);
      else context.fillRect(left, 0, length, height - 3);
      if (event.is_wait || length < 40) continue;
      context.save();
      context.beginPath();
      context.rect(left, 0, length - 2, height);
      context.clip();
      context.fillStyle = theme.panel;
      context.fillText(event.what.replaceAll("`", ""), left + 4, (height - 3) / 2);
      context.restore();
    }
    context.fillStyle = theme.ink;
    context.fillRect(Math.min(width - 2, cycle * unit), 0, 2, height);
  }

  /** The command at a cycle, or what the script waits for. */
  at(cycle) {
    const { data } = this;
    const open = data.host.filter((e) => hostStart(e) <= cycle && cycle <= hostEnd(data, e));
    return open.find((event) => !event.is_wait) ?? open[0];
  }
}

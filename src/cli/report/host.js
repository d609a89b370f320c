// What the host does: its commands, and what its script waits for.

/** How many commands the list of the host shows around the current cycle. */
const HOST_LINES = 12;

/** Where a command or a wait ends: at the end of the page if it is not done. */
function hostEnd(data, event) {
  return event.done ?? data.last;
}

/** The cycles in which the host begins or ends something. */
function hostCycles(data) {
  const all = data.host.flatMap((e) => [e.issued, e.begun ?? e.issued, hostEnd(data, e)]);
  return all.filter((cycle) => cycle <= data.last);
}

/** `waits for the copy from `y` (run.py:14)` */
function hostText(event) {
  const place = event.place ? ` (${event.place})` : "";
  return `${event.is_wait ? "waits for " : ""}${event.what}${place}`;
}

/** What the host does in a cycle, and its commands before and after; a click goes to one. */
function showHost(data, cycle, goTo) {
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
    element("button", { type: "button", onclick: () => goTo(event.issued) }, grouped(event.issued)),
    ` ${hostText(event)}`,
  );
  byId("host-commands").replaceChildren(...commands.slice(first, first + HOST_LINES).map(line));
}

/** Commands and waits as a strip above the course of the run. */
function drawHost(context, data, width, theme) {
  const unit = width / Math.max(1, data.last);
  for (const event of data.host) {
    const start = event.begun ?? event.issued;
    const length = Math.max(1, (hostEnd(data, event) - start) * unit);
    context.fillStyle = event.is_wait ? theme.line : theme.accent;
    context.fillRect(start * unit, event.is_wait ? 0 : 3, length, 2);
  }
}

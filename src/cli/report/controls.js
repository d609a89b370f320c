// Buttons, keys and the pointer, and what a screen reader is told.

function listenToButtons(app) {
  const actions = {
    first: () => app.goTo(0),
    "back-event": () => app.goTo(app.eventBefore(app.cycle)),
    back: () => app.goTo(app.cycle - 1),
    step: () => app.goTo(app.cycle + 1),
    "step-event": () => app.goTo(app.eventAfter(app.cycle)),
    last: () => app.goTo(app.data.last),
    play: () => app.togglePlay(),
    theme: () => app.switchTheme(),
    closer: () => app.zoom(1.6),
    wider: () => app.zoom(1 / 1.6),
    whole: () => app.zoomToWhole(),
    one: () => app.zoomToPe(),
    keys: () => byId("help").showModal(),
  };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
  byId("cycle").addEventListener("change", (e) => app.jump(e.target.value));
  byId("scrub").addEventListener("input", (e) => app.goTo(e.target.value));
  byId("pe-choice").addEventListener("change", () => app.chooseTyped());
  byId("pe-choice").addEventListener("submit", (e) => e.preventDefault());
  const setting = (id, name, value) => byId(id).addEventListener("change", (e) => {
    app.view[name] = value(e.target.value);
    app.show();
    app.address.follow();
  });
  setting("measure", "measure", String);
  setting("waits", "waits", String);
  setting("route", "route", Number);
  showRoutes(app);
}

/** The choice of a route, which grows when the table of routes has been read. */
function showRoutes(app) {
  const entries = [element("option", { value: -1 }, "none")];
  for (const color of app.routes.colors()) entries.push(element("option", { value: color }, `color ${color}`));
  byId("route").replaceChildren(...entries);
  byId("route").value = String(app.view.route);
}

/** The wheel makes PEs larger; the pointer drags the wafer, or chooses a PE. */
function listenToWafer(app) {
  const canvas = byId("wafer");
  const { frame } = app.view;
  let held = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    app.zoom(Math.exp(-event.deltaY * 0.0018), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    held = { x: event.clientX, y: event.clientY, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const pe = frame.peAt(event);
    if (pe >= 0) byId("hover").textContent = summaryOf(app.data, app.replay, pe);
    if (!held || !event.buttons) return;
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    if (!held.moved && Math.hypot(dx, dy) < 4) return;
    frame.moveBy(dx, dy);
    held = { x: event.clientX, y: event.clientY, moved: true };
    app.drawWafer();
  });
  canvas.addEventListener("pointerup", (event) => {
    if (held && !held.moved) app.choose(frame.peAt(event));
    held = null;
  });
  canvas.addEventListener("dblclick", () => app.zoomToPe());
}

function listenToTime(app) {
  for (const id of ["activity", "host-lane"]) {
    const cycleAt = (event) => Math.round((event.offsetX / event.target.clientWidth) * app.data.last);
    byId(id).addEventListener("click", (event) => app.jump(cycleAt(event)));
    byId(id).addEventListener("pointermove", (event) => {
      const cycle = cycleAt(event);
      const command = id === "host-lane" ? app.time.host.at(cycle) : undefined;
      event.target.title = command ? `cycle ${grouped(cycle)}: the host ${command.is_wait ? "" : "does "}${hostText(command)}` : app.time.textAt(cycle);
    });
  }
}

/** The keys, as the help lists them. */
function actionOf(app, key, isOnButton) {
  const go = (dx, dy) => () => app.moveChoice(dx, dy);
  const actions = {
    ArrowRight: () => app.goTo(app.cycle + 1),
    ArrowLeft: () => app.goTo(app.cycle - 1),
    "Shift ArrowRight": () => app.goTo(app.eventAfter(app.cycle)),
    "Shift ArrowLeft": () => app.goTo(app.eventBefore(app.cycle)),
    Home: () => app.goTo(0),
    End: () => app.goTo(app.data.last),
    // On a button the space bar presses it.
    " ": isOnButton ? undefined : () => app.togglePlay(),
    w: go(0, -1), a: go(-1, 0), s: go(0, 1), d: go(1, 0),
    "+": () => app.zoom(1.6), "=": () => app.zoom(1.6), "-": () => app.zoom(1 / 1.6),
    0: () => app.zoomToWhole(), z: () => app.zoomToPe(),
    "?": () => byId("help").showModal(),
  };
  return actions[key];
}

function listenToKey(app, event) {
  if (event.ctrlKey || event.altKey || event.metaKey || byId("help").open) return;
  if (event.target.matches("input:not([type=checkbox]), select") && event.target.id !== "scrub") return;
  const isOnButton = event.target.matches("button, summary, input[type=checkbox]");
  const isArrow = event.shiftKey && event.key.startsWith("Arrow");
  const action = actionOf(app, isArrow ? `Shift ${event.key}` : event.key, isOnButton);
  if (!action) return;
  event.preventDefault();
  action();
}

/** A screen reader says what the canvas shows, once one stays at a place. */
function tell(app) {
  clearTimeout(tell.due);
  tell.due = setTimeout(() => {
    const counts = [...document.querySelectorAll("#states span")].map((entry) => entry.textContent).join(", ");
    const one = summaryOf(app.data, app.replay, app.pe);
    byId("told").textContent = `Cycle ${grouped(app.cycle)}. ${one}. PEs: ${counts}.`;
  }, 500);
}

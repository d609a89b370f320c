// The page as a whole: which cycle, which PE, and what moves it.

class App {
  constructor(data) {
    this.data = data;
    this.replay = new Replay(data);
    this.view = new WaferView(byId("wafer"), data, this.replay);
    this.view.marked = blamedPes(data);
    this.source = new SourceView(data);
    this.time = new TimeView(byId("activity"), data);
    this.pe = this.firstPe();
    this.cycle = 0;
    this.playing = null;
    this.fraction = 0.5;
  }

  start() {
    const choose = (pe) => this.choose(pe);
    showHead(this.data);
    showEnding(this.data, choose);
    this.showLegends();
    this.limitInputs();
    this.listen();
    this.view.fit();
    // A run that failed is opened at its end.
    this.goTo(this.data.failed ? this.data.last : this.data.eventful[0]);
  }

  /** The PE on which the error arose; without one, the first with code. */
  firstPe() {
    const error = this.data.diagnostics.find((c) => c.severity !== "warning" && c.pe !== null);
    return error?.pe ?? Math.max(0, this.data.place.findIndex((tile) => tile >= 0));
  }

  showLegends() {
    showColors(this.data, this.view, () => this.drawWafer());
  }

  limitInputs() {
    const { last, width, height } = this.data;
    byId("cycle").max = byId("scrub").max = last;
    byId("cycle-end").textContent = `of ${grouped(last)}`;
    byId("pe-x").max = width - 1;
    byId("pe-y").max = height - 1;
  }

  /** Shows a cycle. */
  goTo(cycle) {
    this.cycle = Math.min(this.data.last, Math.max(0, Math.round(cycle) || 0));
    this.replay.seek(this.cycle);
    byId("cycle").value = byId("scrub").value = this.cycle;
    this.show();
  }

  /** Shows a PE. */
  choose(pe) {
    if (pe < 0 || pe >= this.data.pes) return;
    this.pe = pe;
    this.show();
  }

  show() {
    const { width } = this.data;
    byId("pe-x").value = this.pe % width;
    byId("pe-y").value = Math.floor(this.pe / width);
    this.drawWafer();
    showStates(this.view.states, this.view.marked.size > 0);
    showPe(this.data, this.replay, this.pe, (cycle) => this.goTo(cycle));
    this.source.show(this.replay, this.pe);
    showHost(this.data, this.cycle, (cycle) => this.goTo(cycle));
    this.time.draw(this.cycle, this.view.theme, this.view.fills);
  }

  drawWafer() {
    this.view.draw(this.pe, this.fraction);
  }

  /** The next or the last cycle in which something happens. */
  eventAfter(cycle) {
    const { eventful } = this.data;
    return eventful[Math.min(eventful.length - 1, countUpTo(eventful, cycle))];
  }

  eventBefore(cycle) {
    return this.data.eventful[Math.max(0, countUpTo(this.data.eventful, cycle - 1) - 1)];
  }

  /** Starts or stops playing. */
  togglePlay() {
    if (this.playing) return this.pause();
    if (this.cycle >= this.data.last) this.goTo(0);
    this.playing = { since: performance.now() };
    this.showPlaying();
    requestAnimationFrame((now) => this.frame(now));
  }

  pause() {
    this.playing = null;
    this.fraction = 0.5;
    this.showPlaying();
    this.drawWafer();
  }

  showPlaying() {
    const text = this.playing ? "Pause" : "Play";
    byId("play").textContent = text;
    byId("play").setAttribute("aria-label", text);
  }

  /** A picture while playing: on by as many cycles as are due, wavelets in between. */
  frame(now) {
    if (!this.playing) return;
    const due = ((now - this.playing.since) / 1000) * Number(byId("speed").value);
    const whole = Math.floor(due);
    this.fraction = due - whole;
    if (whole > 0) {
      this.playing.since = now - ((now - this.playing.since) * this.fraction) / due;
      const next = this.cycle + whole;
      const skips = byId("skip").checked;
      this.goTo(skips ? Math.max(next, this.eventAfter(next - 1)) : next);
    } else {
      this.drawWafer();
    }
    if (this.cycle >= this.data.last) return this.pause();
    requestAnimationFrame((later) => this.frame(later));
  }

  listen() {
    const actions = {
      first: () => this.goTo(0),
      "back-event": () => this.goTo(this.eventBefore(this.cycle)),
      back: () => this.goTo(this.cycle - 1),
      step: () => this.goTo(this.cycle + 1),
      "step-event": () => this.goTo(this.eventAfter(this.cycle)),
      last: () => this.goTo(this.data.last),
      play: () => this.togglePlay(),
      theme: () => this.switchTheme(),
    };
    for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
    byId("cycle").addEventListener("change", (e) => this.goTo(e.target.value));
    byId("scrub").addEventListener("input", (e) => this.goTo(e.target.value));
    byId("pe-choice").addEventListener("change", () => this.chooseTyped());
    byId("pe-choice").addEventListener("submit", (e) => e.preventDefault());
    byId("activity").addEventListener("click", (e) => this.goTo((e.offsetX / e.target.clientWidth) * this.data.last));
    byId("wafer").addEventListener("click", (e) => this.choose(this.view.peAt(e)));
    byId("wafer").addEventListener("mousemove", (e) => this.hover(e));
    document.addEventListener("keydown", (e) => this.key(e));
    new ResizeObserver(() => this.refit()).observe(byId("wafer-frame"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.newTheme());
  }

  chooseTyped() {
    const [x, y] = [Number(byId("pe-x").value), Number(byId("pe-y").value)];
    const { width, height } = this.data;
    this.choose(Math.min(height - 1, Math.max(0, y)) * width + Math.min(width - 1, Math.max(0, x)));
  }

  hover(event) {
    const pe = this.view.peAt(event);
    if (pe >= 0) byId("hover").textContent = summaryOf(this.data, this.replay, pe);
  }

  /** Arrows step, with Shift from event to event; W, A, S, D go to another PE. */
  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.matches("input:not([type=checkbox]), select") && event.target.id !== "scrub") return;
    const onButton = event.target.matches("button, summary, input[type=checkbox]");
    const action = this.keyAction(event.shiftKey ? `Shift ${event.key}` : event.key, onButton);
    if (!action) return;
    event.preventDefault();
    action();
  }

  keyAction(key, onButton) {
    const go = (dx, dy) => () => this.moveChoice(dx, dy);
    const actions = {
      ArrowRight: () => this.goTo(this.cycle + 1),
      ArrowLeft: () => this.goTo(this.cycle - 1),
      "Shift ArrowRight": () => this.goTo(this.eventAfter(this.cycle)),
      "Shift ArrowLeft": () => this.goTo(this.eventBefore(this.cycle)),
      Home: () => this.goTo(0),
      End: () => this.goTo(this.data.last),
      // On a button the space bar presses it.
      " ": onButton ? undefined : () => this.togglePlay(),
      w: go(0, -1), a: go(-1, 0), s: go(0, 1), d: go(1, 0),
    };
    return actions[key];
  }

  moveChoice(dx, dy) {
    const { width, height } = this.data;
    const [x, y] = [(this.pe % width) + dx, Math.floor(this.pe / width) + dy];
    if (x >= 0 && y >= 0 && x < width && y < height) this.choose(y * width + x);
  }

  refit() {
    this.view.fit();
    this.drawWafer();
    this.time.draw(this.cycle, this.view.theme, this.view.fills);
  }

  switchTheme() {
    document.documentElement.style.colorScheme = this.view.isDark ? "light" : "dark";
    this.newTheme();
  }

  newTheme() {
    this.view.readTheme();
    this.showLegends();
    this.show();
  }
}

const app = new App(readData(byId("data").textContent));
app.start();

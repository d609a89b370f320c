// The page as a whole: which cycle, which PE, and what moves it.

class App {
  constructor(data) {
    this.data = data;
    this.replay = new Replay(data);
    this.routes = new Routes(data);
    this.view = new WaferView(byId("wafer"), data, this.replay, this.routes);
    this.view.marked = blamedPes(data);
    this.source = new SourceView(data);
    this.time = new TimeView(byId("activity"), data);
    this.address = new Address(this);
    this.pe = this.firstPe();
    this.cycle = 0;
    this.playing = null;
    this.fraction = 0.5;
    /** Goes to a cycle from which one may want to come back. */
    this.jump = (cycle) => {
      this.address.write("replaceState");
      this.goTo(cycle);
      this.address.push();
    };
  }

  start() {
    showEnding(this.data, (pe) => this.choose(pe), (file, line) => this.source.openLine(file, line));
    this.showLegends();
    this.limitInputs();
    this.listen();
    this.view.frame.resize();
    const place = placeIn(this.data, location.hash);
    this.pe = place.pe ?? this.pe;
    this.view.route = place.route ?? -1;
    // A run that failed is opened at its end.
    this.goTo(place.cycle ?? (this.data.failed ? this.data.last : this.data.eventful[0]));
  }

  /** Another table has been read. */
  loaded(name) {
    this.replay.reset();
    this.replay.seek(this.cycle);
    if (name === "routes" || name === "switches") {
      this.routes.forget();
      showRoutes(this);
    }
    if (name === "queues") this.showLegends();
    this.show();
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
    this.address.follow();
  }

  /** Shows a PE. */
  choose(pe) {
    if (pe < 0 || pe >= this.data.pes || pe === this.pe) return;
    this.address.write("replaceState");
    this.pe = pe;
    this.view.frame.reveal(pe);
    this.show();
    this.address.push();
  }

  /** Goes where an address leads: the way back, or a link that was pasted. */
  goToAddress() {
    const place = placeIn(this.data, location.hash);
    this.pe = place.pe ?? this.pe;
    this.view.route = place.route ?? -1;
    this.view.frame.reveal(this.pe);
    showRoutes(this);
    this.goTo(place.cycle ?? this.cycle);
  }

  show() {
    const { width } = this.data;
    byId("pe-x").value = this.pe % width;
    byId("pe-y").value = Math.floor(this.pe / width);
    this.drawWafer();
    showStates(this.data, this.view);
    showPe(this);
    this.source.show(this.replay, this.pe);
    showHost(this);
    this.time.draw(this.cycle, this.view.theme, this.view.fills);
    if (!this.playing) tell(this);
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
    requestAnimationFrame((now) => this.drawFrame(now));
  }

  pause() {
    this.playing = null;
    this.fraction = 0.5;
    this.showPlaying();
    this.drawWafer();
    tell(this);
  }

  showPlaying() {
    const text = this.playing ? "Pause" : "Play";
    byId("play").textContent = text;
    byId("play").setAttribute("aria-label", text);
  }

  /** A picture while playing: on by as many cycles as are due, wavelets in between. */
  drawFrame(now) {
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
    requestAnimationFrame((later) => this.drawFrame(later));
  }

  listen() {
    listenToButtons(this);
    listenToWafer(this);
    listenToTime(this);
    document.addEventListener("keydown", (event) => listenToKey(this, event));
    addEventListener("popstate", () => this.goToAddress());
    new ResizeObserver(() => this.refit()).observe(byId("wafer-frame"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.newTheme());
  }

  chooseTyped() {
    const [x, y] = [Number(byId("pe-x").value), Number(byId("pe-y").value)];
    const { width, height } = this.data;
    this.choose(Math.min(height - 1, Math.max(0, y)) * width + Math.min(width - 1, Math.max(0, x)));
  }

  moveChoice(dx, dy) {
    const { width, height } = this.data;
    const [x, y] = [(this.pe % width) + dx, Math.floor(this.pe / width) + dy];
    if (x >= 0 && y >= 0 && x < width && y < height) this.choose(y * width + x);
  }

  zoom(factor, x, y) {
    this.view.frame.zoom(factor, x, y);
    this.drawWafer();
  }

  zoomToPe() {
    this.view.frame.showPe(this.pe, 300);
    this.drawWafer();
  }

  zoomToWhole() {
    this.view.frame.showWhole();
    this.drawWafer();
  }

  refit() {
    this.view.frame.resize();
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

/** Lets others draw and answer the user before the next piece of work. */
const rest = () => new Promise((done) => { setTimeout(done); });

async function main() {
  const begun = performance.now();
  const packed = byId("data").textContent;
  const data = await openData(packed);
  showHead(data);
  const app = new App(data);
  app.start();
  const page = document.documentElement.dataset;
  page.shown = Math.round(performance.now() - begun);
  for (const name of LATER) {
    await rest();
    await openLater(data, name);
    app.loaded(name);
  }
  page.ready = Math.round(performance.now() - begun);
}

main();

// The page as a whole: what the user chooses and moves, and its first looks.

function choose(pe) {
  chosen = pe;
  drawWafer();
  showNumbers();
  showSource();
  drawTime();
}

function listen() {
  wafer.onclick = (event) => choose(peAt(event)[0]);
  wafer.onmousemove = (event) => {
    const [index, x, y] = peAt(event);
    const [name, measure] = MEASURES[find("measure").value];
    const value = index === null ? "nothing has happened to it" : `${grouped(measure(profile.pes[index]))} ${name}`;
    find("hover").textContent = `PE (${x},${y}): ${value}`;
  };
  find("all").onclick = () => choose(null);
  find("measure").onchange = drawWafer;
  find("show-path").onchange = () => { drawWafer(); drawTime(); };
  find("source-file").onchange = () => { chosenLine = null; showSource(); };
  find("column").onchange = showSource;
  find("closer").onclick = () => zoom(0.5);
  find("wider").onclick = () => zoom(2);
  find("whole").onclick = () => zoomTo(0, profile.until);
  time.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, cycleAt(event));
  }, { passive: false });
  let held = null;
  time.onmousedown = (event) => { held = { x: event.clientX, view }; };
  window.addEventListener("mouseup", () => { held = null; });
  time.onmousemove = (event) => {
    tellMoment(event);
    if (held) {
      const cycles = ((held.x - event.clientX) / (time.clientWidth - LABEL)) * (held.view.until - held.view.from);
      zoomTo(held.view.from + cycles, held.view.until + cycles);
    }
  };
  time.onkeydown = (event) => {
    const step = (view.until - view.from) / 8;
    const actions = {
      ArrowLeft: () => zoomTo(view.from - step, view.until - step),
      ArrowRight: () => zoomTo(view.from + step, view.until + step),
      "+": () => zoom(0.5),
      "-": () => zoom(2),
    };
    if (actions[event.key]) {
      event.preventDefault();
      actions[event.key]();
    }
  };
  find("theme").onclick = () => {
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = document.documentElement.style.colorScheme || (isDark ? "dark" : "light");
    document.documentElement.style.colorScheme = now === "dark" ? "light" : "dark";
    drawAll();
  };
  window.addEventListener("resize", drawAll);
}

function drawAll() {
  readTheme();
  drawWafer();
  drawTime();
  const legend = CLASSES.map(([, name, color]) => {
    const entry = element("span", "");
    const mark = document.createElement("i");
    mark.style.background = theme[color];
    entry.append(mark, name);
    return entry;
  });
  const path = element("span", "critical path");
  path.style.color = theme["--bad"];
  find("legend").replaceChildren(...legend, path);
}

find("title").textContent = `Profile of ${data.title}`;
find("facts").textContent = `${profile.width} x ${profile.height} PEs of ${profile.machine}`;
find("verdict").textContent = data.verdict;
if (data.note) {
  find("cut").textContent = data.note;
  find("cut").hidden = false;
}
fill(find("measure"), MEASURES.map(([name]) => name));
fill(find("source-file"), profile.files);
fill(find("column"), COLUMNS.map(([name]) => name));
if (profile.lines.length > 0) {
  find("source-file").value = (profile.lines.find((line) => !line.is_library) || profile.lines[0]).file;
}
indexBars();
listen();
drawAll();
showNumbers();
showSource();
document.documentElement.dataset.ready = Math.round(performance.now());

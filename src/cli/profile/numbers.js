// Numbers of all PEs or of the chosen one.

function showNumbers() {
  const pe = chosen === null ? null : profile.pes[chosen];
  find("pe-name").textContent = pe ? `PE (${pe.x},${pe.y})` : "All PEs";
  find("all").hidden = pe === null;
  const times = pe ? pe.times : profile.times;
  const total = Object.values(times).reduce((a, b) => a + b, 0);
  const box = find("numbers");
  box.replaceChildren();
  const rows = [...CLASSES.map(([key, name]) => [name, times[key]]), ["idle", times.idle]].filter(([, n]) => n > 0);
  box.append(table(["cycles (estimates)", "", ""], rows.map(([name, n]) => ({ cells: [name, grouped(n), percent(n, total)] }))));
  if (pe) {
    const facts = [["elements", pe.elements], ["tasks started", pe.tasks], ["wavelets sent", pe.sent], ["wavelets received", pe.delivered],
      ["fullest queue, in percent", pe.fullest], ["words of memory", pe.memory], ["cycles on the critical path", pe.path]];
    box.append(table(["PE", ""], facts.map(([name, n]) => ({ cells: [name, grouped(n)] }))));
  }
  const busy = times.busy;
  const lines = linesOf(chosen).filter(([, n]) => n > 0).slice(0, 12);
  box.append(element("h3", "Lines by busy cycles"));
  box.append(table(["line", "busy", ""], lines.map(([index, n]) => {
    const line = profile.lines[index];
    return { cells: [lineName(line), grouped(n), percent(n, busy)], code: line.text, onclick: () => goToLine(index) };
  })));
  showPathTable(box);
  if (profile.phases.length > 1) {
    box.append(element("h3", "Phases between commands of the host"));
    box.append(table(["command", "cycles", "busy"], profile.phases.map((phase) => {
      const all = Object.values(phase.times).reduce((a, b) => a + b, 0);
      const name = phase.place ? `${phase.name} (${phase.place})` : phase.name;
      return { cells: [name, grouped(phase.until - phase.from), percent(phase.times.busy, all)], onclick: () => zoomTo(phase.from, phase.until) };
    })));
  }
  if (profile.colors.length > 0) {
    box.append(element("h3", "Colors"));
    box.append(table(["color", "sent", "hops", "waits"], profile.colors.map((color) => ({
      cells: [color.color, grouped(color.sent), grouped(color.hops), grouped(color.wavelet + color.room)],
    }))));
  }
}

function showPathTable(box) {
  const path = profile.path;
  const kinds = [["work", path.work], ["wavelets on their way", path.wavelet], ["room that comes back", path.room],
    ["the host", path.host], ["other delays", path.other]].filter(([, n]) => n > 0);
  if (kinds.length === 0) {
    return;
  }
  box.append(element("h3", "Critical path"));
  box.append(table(["what", "cycles", ""], kinds.map(([name, n]) => ({ cells: [name, grouped(n), percent(n, profile.until)] }))));
  const free = path.free.filter((free) => free.cycles < profile.until).sort((a, b) => a.cycles - b.cycles);
  box.append(table(["if the line took no time", "cycles", ""], free.map(({ line, cycles }) => {
    const row = profile.lines[line];
    const less = `-${percent(profile.until - cycles, profile.until)}`;
    return { cells: [lineName(row), grouped(cycles), less], onclick: () => goToLine(line) };
  })));
}

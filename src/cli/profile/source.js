// The program text, with the cycles of each line.

function goToLine(index) {
  chosenLine = index;
  find("source-file").value = profile.lines[index].file;
  showSource();
  drawTime();
}

function showSource() {
  const file = Number(find("source-file").value || 0);
  const column = COLUMNS[find("column").value || 0];
  const own = new Map(linesOf(chosen));
  const isBusy = column[0] === "busy";
  const byNumber = new Map();
  profile.lines.forEach((line, index) => {
    if (line.file === file) {
      byNumber.set(line.line, [index, isBusy ? own.get(index) || 0 : column[1](line), line.path > 0]);
    }
  });
  const most = Math.max(1, ...[...byNumber.values()].map(([, n]) => n));
  const box = find("source");
  box.replaceChildren();
  data.texts[file].split("\n").forEach((text, at) => {
    const row = element("div", "", { className: "row" });
    const [index, cycles, isOnPath] = byNumber.get(at + 1) || [null, 0, false];
    const cell = element("span", cycles > 0 ? grouped(cycles) : "", { className: "cycles" });
    if (cycles > 0) {
      const share = Math.round(8 + (72 * cycles) / most);
      cell.style.background = `color-mix(in srgb, var(--accent) ${share}%, transparent)`;
    }
    row.append(cell, element("span", at + 1, { className: "number" }), element("span", text));
    row.classList.toggle("on-path", isOnPath);
    row.classList.toggle("chosen", index !== null && index === chosenLine);
    box.append(row);
    if (index !== null && index === chosenLine) {
      box.scrollTop = row.offsetTop - box.offsetTop - box.clientHeight / 3;
    }
  });
}

// The text of the program, with the line that the chosen PE is at.

const SYNTAX = /(\/\/.*)|("(?:[^"\\]|\\.)*")|(@\w+)|\b(and|break|color|comptime|const|continue|else|export|extern|false|fn|for|if|inline|layout|noinline|null|or|param|return|struct|switch|task|true|undefined|var|void|while)\b/g;
const CLASSES = ["comment", "string", "builtin", "keyword"];

class SourceView {
  constructor(data) {
    this.data = data;
    this.file = -1;
    this.span = -1;
    this.rows = [];
    const options = data.files.map((file, i) => element("option", { value: i }, file.name));
    byId("source-file").append(...options);
    byId("source-file").addEventListener("change", (e) => this.open(Number(e.target.value)));
  }

  /** Shows a file. */
  open(file) {
    if (file === this.file || !this.data.files[file]) return;
    this.file = file;
    byId("source-file").value = String(file);
    const lines = this.data.files[file].text.replace(/\n$/, "").split("\n");
    this.rows = lines.map((text, i) => sourceRow(text, i + 1));
    for (const label of this.data.diagnostics.flatMap((diagnostic) => diagnostic.labels)) {
      if (label.file === file) this.label(label);
    }
    byId("source").replaceChildren(...this.rows);
  }

  /** What a diagnostic says about a line stands behind it. */
  label({ line, text, is_primary: isPrimary }) {
    const row = this.rows[line - 1];
    row?.classList.add(isPrimary ? "blamed" : "noted");
    if (text) row?.append(element("span", { class: "said" }, text));
  }

  /** Shows a line, such as one that a diagnostic names. */
  openLine(file, line) {
    this.open(file);
    this.scrollTo(line);
    this.rows[line - 1]?.classList.add("pointed");
    setTimeout(() => this.rows[line - 1]?.classList.remove("pointed"), 1500);
  }

  /** Marks where the chosen PE is, and counts the PEs at each line. */
  show(replay, pe) {
    const span = replay.spanOf(pe);
    if (span !== this.span && span >= 0) this.open(this.data.spans.file[span]);
    if (this.file < 0) this.open(this.fileOf(pe));
    this.mark(span);
    this.count(replay);
    if (span !== this.span) this.scroll(span);
    this.span = span;
  }

  fileOf(pe) {
    const name = this.data.tiles.file[this.data.place[pe]];
    return Math.max(0, this.data.files.findIndex((file) => file.name === name));
  }

  mark(span) {
    for (const row of this.rows) row.classList.remove("here");
    const { spans } = this.data;
    byId("source-line").textContent = span >= 0 ? `line ${spans.line[span]}` : "between tasks";
    if (span < 0 || spans.file[span] !== this.file) return;
    for (let line = spans.line[span]; line <= spans.to[span]; line++) this.rows[line - 1]?.classList.add("here");
  }

  count(replay) {
    const counts = new Uint32Array(this.rows.length + 1);
    const { spans, pes } = this.data;
    for (let pe = 0; pe < pes; pe++) {
      const span = replay.spanOf(pe);
      if (span >= 0 && spans.file[span] === this.file) counts[spans.line[span]]++;
    }
    this.rows.forEach((row, i) => {
      const text = counts[i + 1] > 0 ? `${grouped(counts[i + 1])} PE${counts[i + 1] > 1 ? "s" : ""}` : "";
      if (row.firstChild.textContent !== text) row.firstChild.textContent = text;
    });
  }

  /** Only as far as needed: the page itself does not move. */
  scroll(span) {
    if (span >= 0) this.scrollTo(this.data.spans.line[span]);
  }

  scrollTo(line) {
    const row = this.rows[line - 1];
    if (!row) return;
    const box = byId("source");
    const top = row.offsetTop, bottom = top + row.offsetHeight;
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) {
      box.scrollTop = top - box.clientHeight / 3;
    }
  }
}

function sourceRow(text, number) {
  return element("div", { class: "row", "data-line": number },
    element("span", { class: "count" }),
    element("span", { class: "number" }, String(number)),
    element("span", { class: "text" }, ...colored(text)));
}

/** Comments, strings, builtins and keywords in colors. */
function colored(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(SYNTAX)) {
    const kind = CLASSES[match.slice(1).findIndex((group) => group !== undefined)];
    parts.push(text.slice(end, match.index), element("span", { class: kind }, match[0]));
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return parts;
}

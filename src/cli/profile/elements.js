// Elements of the page, its colors and canvases.

const find = (id) => document.getElementById(id);

let theme = {};

function readTheme() {
  const probe = document.body.appendChild(document.createElement("i"));
  const names = ["--ink", "--soft", "--line", "--panel", "--ground", "--accent", "--bad", ...CLASSES.map((c) => c[2])];
  for (const name of names) {
    probe.style.color = `var(${name})`;
    theme[name] = getComputedStyle(probe).color;
  }
  probe.remove();
}

function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  Object.assign(made, attributes);
  return made;
}

function fill(select, names) {
  names.forEach((name, index) => select.append(element("option", name, { value: index })));
}

function sized(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.ceil(width * ratio);
  canvas.height = Math.ceil(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

function table(head, rows) {
  const made = document.createElement("table");
  const top = made.insertRow();
  head.forEach((text) => top.append(element("th", text)));
  for (const { cells, code, onclick } of rows) {
    const row = made.insertRow();
    cells.forEach((text) => row.append(element("td", text)));
    if (code) {
      const second = made.insertRow();
      const cell = second.insertCell();
      cell.colSpan = head.length;
      cell.append(element("code", code));
      second.onclick = onclick;
    }
    if (onclick) {
      row.className = "link";
      row.onclick = onclick;
    }
  }
  return made;
}

// Variables that `--get` has read: a table for each PE, and a picture of the whole wafer.

import { button, element } from "./dom";
import type { Element, Performed } from "./protocol";

interface Variable {
  name: string;
  type: string;
  single: boolean;
  pes: { pe: [number, number]; values: Element[] }[];
}

/** Elements and PEs that are written one by one; more are only drawn. */
const MOST_CELLS = 4096;
const MOST_PES = 64;

/** The variables of a run. */
export function variablesOf(done: Performed | undefined): Variable[] {
  return (done?.records ?? []).filter((record) => record.kind === "variable");
}

/** Shows the variables; `chosen` are read by the command line, `choose` changes that for one of them. */
export function showArrays(
  panel: HTMLElement, done: Performed | undefined, all: string[], chosen: Set<string>, choose: (name: string) => void,
): void {
  const chips = all.map((name) => {
    const isChosen = chosen.has(name);
    return button(name, () => choose(name), { class: "chip", "aria-pressed": String(isChosen) });
  });
  const head = element("div", { class: "chips", role: "group", "aria-label": "Variables to read after the run" },
    element("span", { class: "soft" }, all.length === 0 ? "The program has no variables to read." : "Read after the run:"), ...chips);
  const shown = variablesOf(done).map((variable) => section(variable));
  panel.replaceChildren(head, ...shown);
}

function section(variable: Variable): HTMLElement {
  const { name, type, pes } = variable;
  const count = pes[0]?.values.length ?? 0;
  const size = variable.single ? type : `[${count}]${type}`;
  const box = element("section", { class: "variable" }, element("h3", {}, `${name}: ${size}`));
  if (pes.length > 1 || count > 1) box.append(...drawn(variable));
  for (const one of pes.slice(0, MOST_PES)) {
    if (one.values.length > MOST_CELLS) continue;
    const where = pes.length > 1 ? `PE(${one.pe[0]}, ${one.pe[1]})` : "";
    box.append(table(where, one.values));
  }
  if (pes.length > MOST_PES) box.append(element("p", { class: "soft" }, `The picture shows all ${pes.length} PEs; the tables show the first ${MOST_PES}.`));
  return box;
}

function table(caption: string, values: Element[]): HTMLElement {
  const columns = values.length > 16 && values.length % 16 !== 0 && values.length % 10 === 0 ? 10 : Math.min(16, values.length);
  const made = element("table", {});
  if (caption !== "") made.append(element("caption", {}, caption));
  const body = element("tbody");
  for (let start = 0; start < values.length; start += columns) {
    const head = element("th", { scope: "row" }, String(start));
    const cells = values.slice(start, start + columns).map((value) => element("td", {}, String(value)));
    body.append(element("tr", {}, head, ...cells));
  }
  made.append(body);
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption || "Elements" }, made);
}

function asNumber(value: Element): number {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "number" ? value : Number.NaN;
}

/** A picture: each PE is a block in its place on the wafer, each element a rectangle from dark to light. */
function drawn(variable: Variable): HTMLElement[] {
  const { pes } = variable;
  const count = Math.max(1, ...pes.map((one) => one.values.length));
  const wide = Math.max(...pes.map((one) => one.pe[0])) + 1;
  const high = Math.max(...pes.map((one) => one.pe[1])) + 1;
  const columns = Math.ceil(Math.sqrt(count));
  const rows = Math.ceil(count / columns);
  const numbers = pes.flatMap((one) => one.values.map(asNumber)).filter(Number.isFinite);
  const low = numbers.reduce((a, b) => Math.min(a, b), Infinity);
  const top = numbers.reduce((a, b) => Math.max(a, b), -Infinity);
  const cell = Math.max(1, Math.min(24, Math.floor(640 / (wide * (columns + 1)))));
  const [width, height] = [wide * (columns * cell + 2) + 2, high * (rows * cell + 2) + 2];
  const label = `${variable.name} on ${pes.length === 1 ? "one PE" : `${wide} x ${high} PEs`}, from ${low} (dark) to ${top} (light)`;
  const canvas = element("canvas", { width: String(width), height: String(height), role: "img", "aria-label": label });
  const context = canvas.getContext("2d");
  if (context === null) return [];
  for (const { pe: [x, y], values } of pes) {
    for (const [i, value] of values.entries()) {
      context.fillStyle = shade((asNumber(value) - low) / (top - low || 1));
      const left = x * (columns * cell + 2) + 2 + (i % columns) * cell;
      const upper = y * (rows * cell + 2) + 2 + Math.floor(i / columns) * cell;
      context.fillRect(left, upper, cell, cell);
    }
  }
  const text = Number.isFinite(low) ? `dark is ${low}, light is ${top}` : "no numbers";
  return [element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Picture of ${variable.name}` }, canvas), element("p", { class: "soft" }, text)];
}

/** From blue-black over green to yellow; red for what is no number. */
function shade(part: number): string {
  if (!Number.isFinite(part)) return "#c62a3d";
  const stops: [number, number, number][] = [[38, 20, 72], [49, 88, 140], [38, 150, 138], [120, 200, 80], [250, 230, 60]];
  const at = Math.min(0.9999, Math.max(0, part)) * (stops.length - 1);
  const [a, b] = [stops[Math.floor(at)] ?? stops[0]!, stops[Math.floor(at) + 1] ?? stops[0]!];
  const mixed = a.map((value, i) => Math.round(value + (b[i]! - value) * (at % 1)));
  return `rgb(${mixed.join(",")})`;
}

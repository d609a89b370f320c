// What a run has printed, and what went wrong, in the panel "Output".

import { button, element } from "./dom";
import type { Diagnostic, Performed } from "./protocol";

/** How a command ended, by its exit status; see docs/cli.md. */
const ENDINGS: Record<number, string> = {
  0: "done",
  1: "the program was rejected",
  2: "the run was refused",
  3: "the program went wrong",
  4: "the program is stuck",
  5: "cslrun does not support something in the program",
  70: "cslrun has failed",
};

/** How a run ended, in a few words. */
export function ending(done: Performed, milliseconds: number): string {
  const time = milliseconds < 1000 ? `${Math.max(1, Math.round(milliseconds))} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
  const cycles = done.records.find((record) => record.kind === "cycles");
  const length = cycles ? `, about ${cycles.cycles.toLocaleString("en")} cycles` : "";
  return `${ENDINGS[done.exit] ?? `exit status ${done.exit}`}${length}, ${time}`;
}

/** Goes to a place of the program. */
type Jump = (file: string, line: number) => void;

/** Shows what the command printed; `explain` shows the page of a rule. Without `jump`, places are no buttons. */
export function showOutput(panel: HTMLElement, done: Performed, explain: (rule: string) => void, jump?: Jump): void {
  panel.replaceChildren();
  if (done.stdout !== "") panel.append(element("pre", { class: "stdout" }, done.stdout));
  if (done.stderr !== "") panel.append(element("pre", { class: "stderr" }, done.stderr));
  const places = done.diagnostics.map((one) => place(one, explain, jump)).filter((one) => one !== null);
  if (places.length > 0) panel.append(element("ul", { class: "places", "aria-label": "Places" }, ...places));
  if (done.stdout === "" && done.stderr === "") {
    panel.append(element("p", { class: "empty" }, "The program has printed nothing."));
  }
}

function place(one: Diagnostic, explain: (rule: string) => void, jump: Jump | undefined): HTMLElement | null {
  const label = one.labels.find((label) => label.primary);
  const page = one.rule === "" ? null : button(`about ${one.rule}`, () => explain(one.rule), { class: "quiet" });
  if (jump === undefined || label === undefined || label.file.startsWith("<")) return page && element("li", {}, page);
  const go = button(`${label.file}:${label.line}`, () => jump(label.file, label.line), { class: "link" });
  return element("li", { class: one.severity }, go, ` ${one.title} `, page);
}

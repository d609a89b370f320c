// The panel "DSDs": pictures of those at the cursor, or of all.

import { button, element, picture } from "./dom";
import type { DsdPicture } from "./protocol";

/** Pictures that are shown at once. */
const MOST = 40;

/** Those of a file whose code stands in a line, or whose name does. */
export function atCursor(all: DsdPicture[], file: string, line: number, text: string): DsdPicture[] {
  const names = new Set(text.match(/[A-Za-z_]\w*/g) ?? []);
  const isHere = (dsd: DsdPicture) => dsd.file === file && dsd.line <= line && line <= dsd.last;
  const isNamed = (dsd: DsdPicture) => dsd.file === file && names.has(dsd.title.split(",")[0] ?? "");
  return all.filter((dsd) => isHere(dsd) || isNamed(dsd));
}

/** Shows DSDs; `jump` goes to the code of one. */
export function showDsds(
  panel: HTMLElement, all: DsdPicture[], here: DsdPicture[], jump: (file: string, line: number) => void,
): void {
  if (all.length === 0) {
    panel.replaceChildren(element("p", { class: "empty" }, "The program builds no DSD, or does not compile."));
    return;
  }
  const shown = here.length > 0 ? here : all;
  const words = here.length > 0 ? "At the cursor:" : "All DSDs of the program; put the cursor on one to see it alone.";
  panel.replaceChildren(element("p", { class: "soft" }, words), ...shown.slice(0, MOST).map((dsd) => section(dsd, jump)));
  if (shown.length > MOST) panel.append(element("p", { class: "soft" }, `and ${shown.length - MOST} more`));
}

function section(dsd: DsdPicture, jump: (file: string, line: number) => void): HTMLElement {
  const title = button(dsd.title, () => jump(dsd.file, dsd.line), { class: "link" });
  const box = element("section", { class: "dsd" }, element("h3", {}, title));
  // A title alone is no picture.
  if (dsd.svg.includes("<rect x")) box.append(picture(dsd.svg, `Picture of ${dsd.title}`));
  const lines = dsd.text.trimEnd().split("\n").slice(1).join("\n");
  box.append(element("details", {}, element("summary", {}, "in words"), element("pre", {}, lines)));
  return box;
}

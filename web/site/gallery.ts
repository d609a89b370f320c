// The gallery: programs that come with the site, in a dialog with pictures.

import { element } from "./dom";
import type { Arch, Project } from "./project";
import type { Files } from "./protocol";

/** A program of the gallery; `web/build/gallery.mjs` writes them. */
export interface Sample {
  id: string;
  group: string;
  title: string;
  about: string;
  files: Files;
  root: string;
  arch: Arch;
  args: string;
  /** What it shows when something is wrong with it on purpose. */
  breaks?: string;
  /** Whether only its host script runs it. */
  needsHost?: boolean;
  /** A line that it prints when it is right, if that is what a lesson asks for. */
  prints?: string;
  /** A small picture, as SVG. */
  picture?: string;
}

let known: Promise<Sample[]> | undefined;

/** All programs, loaded once. */
export function samples(base: URL): Promise<Sample[]> {
  known ??= fetch(new URL("gallery.json", base)).then((response) => response.json() as Promise<Sample[]>);
  return known;
}

/** The program of a sample. */
export function projectOf({ files, root, arch, args }: Sample): Project {
  return { files: { ...files }, root, arch, args };
}

/** Fills the dialog; `choose` is called with what the user takes. */
export function fillGallery(dialog: HTMLDialogElement, all: Sample[], choose: (sample: Sample) => void): void {
  const search = element("input", { type: "search", placeholder: "Search", "aria-label": "Search the examples" });
  const list = element("div", { class: "groups" });
  const show = () => {
    const wanted = search.value.trim().toLowerCase().split(/\s+/);
    const fits = (one: Sample) => wanted.every((word) => `${one.id} ${one.title} ${one.about}`.toLowerCase().includes(word));
    const groups = Map.groupBy(all.filter((one) => one.group !== "" && fits(one)), (one) => one.group);
    list.replaceChildren(...[...groups].map(([name, members]) => group(name, members, choose)));
  };
  search.addEventListener("input", show);
  show();
  const close = element("button", { type: "button", class: "quiet", "aria-label": "Close" }, "✕");
  close.addEventListener("click", () => dialog.close());
  dialog.replaceChildren(element("div", { class: "dialog-head" }, element("h2", { id: "gallery-title" }, "Examples"), search, close), list);
}

function group(name: string, members: Sample[], choose: (sample: Sample) => void): HTMLElement {
  const cards = members.map((sample) => {
    const image = sample.picture === undefined ? null
      : element("img", { src: `data:image/svg+xml,${encodeURIComponent(sample.picture)}`, alt: "", loading: "lazy" });
    const card = element("button", { type: "button", class: "card" }, image ?? element("span", { class: "blank" }),
      element("strong", {}, sample.title), element("span", {}, sample.about));
    card.addEventListener("click", () => choose(sample));
    return element("li", {}, card);
  });
  return element("section", {}, element("h3", {}, name), element("ul", { class: "cards" }, ...cards));
}

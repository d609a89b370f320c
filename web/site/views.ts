// The panels beside the program: output, arrays, DSDs, the wafer and the profile of the last run.

import { showArrays, variablesOf } from "./arrays";
import { byId, element } from "./dom";
import { atCursor, showDsds } from "./dsds";
import type { Engine } from "./engine";
import { Failure } from "./engine";
import { ending, showOutput } from "./output";
import type { Project } from "./project";
import { wordsOf } from "./project";
import type { DsdPicture, Performed } from "./protocol";

const NAMES = ["output", "arrays", "dsds", "report", "profile"] as const;
type Name = (typeof NAMES)[number];

/** What the views ask of the page. */
export interface ViewHooks {
  project(): Project;
  jump(file: string, line: number): void;
  explain(rule: string): void;
  /** Adds `--get NAME` to the arguments, or takes it away. */
  choose(name: string): void;
}

/** The panels, and the run that they show. */
export class Views {
  #shown: Name = "output";
  #ran: Project | undefined;
  #done: Performed | undefined;
  /** Pages that were made for this run. */
  #pages = new Set<Name>();
  #variables: string[] = [];
  readonly #engine: Engine;
  readonly #hooks: ViewHooks;

  constructor(engine: Engine, hooks: ViewHooks) {
    this.#engine = engine;
    this.#hooks = hooks;
    for (const name of NAMES) byId(`tab-${name}`).addEventListener("click", () => this.show(name));
    byId("views").addEventListener("keydown", (event) => this.#arrow(event));
  }

  /** Shows a panel, and makes what it shows. */
  show(name: Name): void {
    this.#shown = name;
    for (const one of NAMES) {
      const tab = byId(`tab-${one}`);
      tab.setAttribute("aria-selected", String(one === name));
      tab.tabIndex = one === name ? 0 : -1;
      byId(one).hidden = one !== name;
    }
    if (name === "arrays") this.arrays();
    if (name === "report" || name === "profile") void this.#page(name);
  }

  /** Runs the program of the editor. */
  async run(): Promise<void> {
    const project = this.#hooks.project();
    const begun = performance.now();
    this.status("running …");
    byId("stop").hidden = false;
    try {
      const done = await this.#engine.perform(wordsOf(project), project.files);
      this.#take(project, done, performance.now() - begun);
    } catch (error) {
      this.#failed(error, performance.now() - begun);
    } finally {
      byId("stop").hidden = true;
    }
  }

  /** Forgets the run: another program is in the editor. */
  clear(): void {
    this.#ran = this.#done = undefined;
    this.#pages.clear();
    this.status("");
    byId("output").replaceChildren(element("p", { class: "empty" }, "Press Run, or Ctrl + Enter in the editor."));
    for (const name of ["report", "profile"]) byId(name).replaceChildren();
    if (this.#shown !== "dsds") this.show("output");
  }

  /** What the program can be asked for. */
  set variables(all: string[]) {
    this.#variables = all;
    if (this.#shown === "arrays") this.arrays();
  }

  /** Shows the pictures for a line of the editor. */
  dsds(all: DsdPicture[], file: string, line: number, text: string): void {
    showDsds(byId("dsds"), all, atCursor(all, file, line, text), (to, at) => this.#hooks.jump(to, at));
  }

  /** Shows the variables that the last run has read. */
  arrays(): void {
    const chosen = new Set([...this.#hooks.project().args.matchAll(/--get[ =](\S+)/g)].map((found) => found[1] ?? ""));
    showArrays(byId("arrays"), this.#done, this.#variables, chosen, (name) => this.#hooks.choose(name));
  }

  /** Says how things stand. */
  status(text: string): void {
    byId("status").textContent = text;
  }

  #take(project: Project, done: Performed, milliseconds: number): void {
    this.#ran = project;
    this.#done = done;
    this.#pages.clear();
    this.status(ending(done, milliseconds));
    showOutput(byId("output"), done, (rule) => this.#hooks.explain(rule), (file, line) => this.#hooks.jump(file, line));
    const hasValues = variablesOf(done).some((variable) => variable.pes.length > 1);
    if (done.exit !== 0 && this.#shown !== "report") this.show("output");
    else this.show(this.#shown === "dsds" ? (hasValues ? "arrays" : "output") : this.#shown);
  }

  #failed(error: unknown, milliseconds: number): void {
    const words = error instanceof Error ? error.message : String(error);
    const isStopped = error instanceof Failure && error.kind === "stopped";
    this.status(isStopped ? `stopped after ${(milliseconds / 1000).toFixed(1)} s` : "there is no result");
    const said = isStopped ? "The run was stopped. Nothing of it is left; --max-cycles N ends a run with a report instead." : words;
    byId("output").replaceChildren(element("p", {}, said));
    this.show("output");
  }

  /** Makes the page of the wafer or of the profile: the run once more, recorded. */
  async #page(name: "report" | "profile"): Promise<void> {
    const panel = byId(name);
    const project = this.#ran;
    if (project === undefined) {
      panel.replaceChildren(element("p", { class: "empty" }, "Run the program first."));
      return;
    }
    if (this.#pages.has(name)) return;
    this.#pages.add(name);
    panel.replaceChildren(element("p", { class: "empty" }, "The run is being recorded …"));
    const words = name === "report" ? [...wordsOf(project), "--report", "page.html"] : ["profile", ...wordsOf(project), "--output", "page.html"];
    byId("stop").hidden = false;
    try {
      const done = await this.#engine.perform(words, project.files);
      const html = done.files.find((file) => file.path === "page.html")?.text;
      panel.replaceChildren(html === undefined ? element("pre", {}, done.stderr) : frame(html, name));
    } catch (error) {
      this.#pages.delete(name);
      panel.replaceChildren(element("p", {}, error instanceof Error ? error.message : String(error)));
    } finally {
      byId("stop").hidden = true;
    }
  }

  #arrow(event: KeyboardEvent): void {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const at = (NAMES.indexOf(this.#shown) + step + NAMES.length) % NAMES.length;
    const next = NAMES[at] ?? "output";
    this.show(next);
    byId(`tab-${next}`).focus();
  }
}

/** A page that cslrun has made, in a frame that shares nothing with this page. */
function frame(html: string, name: "report" | "profile"): HTMLIFrameElement {
  const made = element("iframe", { sandbox: "allow-scripts", title: name === "report" ? "The wafer, cycle by cycle" : "Where the cycles went" });
  made.srcdoc = html;
  return made;
}

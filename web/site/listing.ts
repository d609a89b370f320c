// The listings of the book: highlighted, with buttons that run them, or exercises that are done in place.
// docs/web.md says how a page of the book marks them.

import { StringStream } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { token } from "./csl";
import type { State } from "./csl";
import { button, element } from "./dom";
import { common } from "./editor";
import { Engine } from "./engine";
import type { Sample } from "./gallery";
import { samples } from "./gallery";
import { showOutput } from "./output";
import { startOffline } from "./page";
import type { Project } from "./project";
import { packed, wordsOf } from "./project";
import type { DsdPicture, Files, Performed } from "./protocol";

/** Where the exercises that are done are kept. */
const DONE = "cslrun-book-done";

const base = new URL("./", import.meta.url);
const engine = new Engine();

/** Does what a command line asks for: the words after `cslrun`. */
export function perform(words: string[], files: Files): Promise<Performed> {
  return engine.perform(words, files);
}

/** The DSDs of a program as pictures. */
export function pictures(words: string[], files: Files): Promise<DsdPicture[]> {
  return engine.dsds(words, files);
}

/** A link that opens a program in the playground. */
export function playgroundLink(project: Project): string {
  const link = new URL("../play/", base);
  link.hash = packed(project);
  return link.href;
}

/** The exercises that are done, by their names. */
export function done(): Set<string> {
  try {
    return new Set(JSON.parse(localStorage.getItem(DONE) ?? "[]") as string[]);
  } catch {
    return new Set();
  }
}

function highlight(code: HTMLElement): void {
  if (code.querySelector("span") !== null) return;
  const state: State = { names: false, dot: false, depth: 0 };
  const lines = (code.textContent ?? "").split("\n");
  const parts: (Node | string)[] = [];
  for (const [i, line] of lines.entries()) {
    if (i > 0) parts.push("\n");
    const stream = new StringStream(line, 2, 2);
    while (!stream.eol()) {
      stream.start = stream.pos;
      const kind = token(stream, state);
      const text = stream.current();
      parts.push(kind === null || kind === "name" || kind === "punctuation" ? text : element("span", { class: `csl-${kind}` }, text));
    }
  }
  code.replaceChildren(...parts);
}

/** The program that a listing belongs to: the one that its class names, or the one that has exactly this text. */
function sampleOf(code: HTMLElement, all: Sample[]): Sample | undefined {
  const named = [...code.classList].find((name) => name.startsWith("program-"));
  if (named !== undefined) return all.find((one) => one.id === `book/${named.slice(8)}`);
  const text = (code.textContent ?? "").trim();
  const found = all.find((one) => one.id.startsWith("book/") && Object.values(one.files).some((file) => file.trim() === text));
  if (found === undefined && code.classList.contains("run")) {
    return { id: "", group: "", title: "", about: "", files: { "pe.csl": text + "\n" }, root: "pe.csl", arch: "wse2", args: "" };
  }
  return found;
}

/** Runs a program and shows below the listing what it prints. */
async function runBelow(box: HTMLElement, project: Project): Promise<Performed | undefined> {
  box.hidden = false;
  box.replaceChildren("running …");
  try {
    const result = await engine.perform(wordsOf(project), project.files);
    showOutput(box, result, (rule) => open(new URL(`../book/rules/${rule}.html`, base)));
    return result;
  } catch (error) {
    box.replaceChildren(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function toolbar(...buttons: HTMLElement[]): HTMLElement {
  return element("div", { class: "listing-buttons" }, ...buttons);
}

function stopButton(): HTMLButtonElement {
  return button("Stop", () => engine.stop(), { hidden: "" });
}

async function whileShown<T>(stop: HTMLElement, act: () => Promise<T>): Promise<T> {
  stop.hidden = false;
  try {
    return await act();
  } finally {
    stop.hidden = true;
  }
}

/** The buttons and the output belong behind the figure that holds the listing, if there is one. */
function outer(pre: HTMLElement): HTMLElement {
  return pre.closest<HTMLElement>("figure.listing") ?? pre;
}

function addRun(pre: HTMLElement, sample: Sample): void {
  const edit = button("Edit in the playground", () => open(playgroundLink(sample)));
  if (sample.needsHost) {
    const why = element("span", {}, "Its host script runs it, with the Python package.");
    // What has no layout of its own would only be rejected there.
    outer(pre).after(sample.root === "layout.csl" ? toolbar(edit, why) : toolbar(why));
    return;
  }
  const output = element("div", { class: "listing-output", role: "status", hidden: "" });
  const stop = stopButton();
  const run = button("Run", () => void whileShown(stop, () => runBelow(output, sample)));
  const command = element("code", {}, `cslrun ${wordsOf(sample).join(" ")}`);
  outer(pre).after(toolbar(run, stop, edit, command), output);
}

/** The program of an exercise of a chapter (`03-a`) or of a lesson (`lesson-07`). */
function exerciseOf(id: string, all: Sample[]): Sample | undefined {
  const lesson = /^lesson-(\d+)$/.exec(id);
  return all.find((one) => (lesson ? one.id.startsWith(`lessons/${lesson[1]}-`) : one.id === `exercises/${id}`));
}

const assertsOf = (text: string) => (text.match(/@assert\(.*/g) ?? []).sort().join();

/** An exercise is edited where it stands. It is done when it runs without an error and asserts what it did. */
class Exercise {
  readonly #views = new Map<string, EditorView>();
  readonly #before: Files = {};
  readonly #output = element("div", { class: "listing-output", role: "status", hidden: "" });

  constructor(readonly id: string, readonly sample: Sample, codes: HTMLElement[]) {
    for (const code of codes) this.#edit(code);
    const last = [...this.#views.values()].pop();
    if (last === undefined) return;
    const stop = stopButton();
    const check = button("Check", () => void whileShown(stop, () => this.check()));
    const again = button("Start again", () => this.#reset());
    const edit = button("Edit in the playground", () => open(playgroundLink(this.#project())));
    (last.dom.closest("details") ?? last.dom).after(toolbar(check, stop, again, edit), this.#output);
  }

  /** Runs what is in the editors, and notes whether the exercise is done. */
  async check(): Promise<void> {
    const project = this.#project();
    const result = await runBelow(this.#output, project);
    if (result?.exit !== 0) return;
    const isChanged = Object.keys(this.#before).some((name) => assertsOf(project.files[name] ?? "") !== assertsOf(this.#before[name] ?? ""));
    if (isChanged) return this.#tell("It runs, but an @assert was changed: repair the program around it.");
    if (this.sample.prints !== undefined && !result.stdout.includes(this.sample.prints)) {
      return this.#tell(`It runs, but it should print: ${this.sample.prints}`);
    }
    if (!(await this.#reachesAsserts(project))) return this.#tell("It runs, but not all of it: an @assert is not reached.");
    this.#tell("Done.");
    localStorage.setItem(DONE, JSON.stringify([...done().add(this.id)].sort()));
    window.dispatchEvent(new Event(DONE));
  }

  /** Whether each `@assert` is reached: with one more in front of it, which is false, the program goes wrong. */
  async #reachesAsserts(project: Project): Promise<boolean> {
    for (const [name, text] of Object.entries(project.files)) {
      for (const { index } of text.matchAll(/(?<!\/\/.*)@assert\(/g)) {
        const changed = `${text.slice(0, index)}@assert(false); ${text.slice(index)}`;
        const { exit } = await engine.perform(wordsOf(project), { ...project.files, [name]: changed });
        if (exit === 0) return false;
      }
    }
    return true;
  }

  #tell(words: string): void {
    this.#output.prepend(element("p", {}, words));
  }

  #project(): Project {
    const { root, arch, args, files } = this.sample;
    const edited = [...this.#views].map(([name, view]) => [name, view.state.doc.toString()]);
    return { root, arch, args, files: { ...files, ...Object.fromEntries(edited) } };
  }

  #reset(): void {
    for (const [name, view] of this.#views) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: this.#before[name] ?? "" } });
    }
  }

  #edit(code: HTMLElement): void {
    const name = code.closest<HTMLElement>("[data-file]")?.dataset.file ?? this.sample.root;
    const text = (code.textContent ?? "").trimEnd() + "\n";
    const holder = element("div", { class: "listing-editor" });
    const label = EditorView.contentAttributes.of({ "aria-label": `Exercise ${this.id}, ${name}`, tabindex: "0" });
    const view = new EditorView({ parent: holder, state: EditorState.create({ doc: text, extensions: [common(), label] }) });
    this.#before[name] = text;
    this.#views.set(name, view);
    code.parentElement?.replaceWith(holder);
  }
}

/** The exercises of the page, except those that a script of the host runs. */
function addExercises(all: Sample[]): void {
  for (const section of document.querySelectorAll<HTMLElement>("section.exercise[data-exercise]")) {
    const id = section.dataset.exercise ?? "";
    const sample = exerciseOf(id, all);
    const codes = [...section.querySelectorAll<HTMLElement>(`pre > code.exercise-${CSS.escape(id)}`)];
    const isOurs = section.dataset.command?.startsWith("cslrun ") ?? true;
    if (sample !== undefined && isOurs && codes.length > 0) new Exercise(id, sample, codes);
  }
}

async function begin(): Promise<void> {
  const link = element("a", { href: new URL("../play/", base).href, class: "listing-playground" }, "Playground");
  document.querySelector("header .tools")?.prepend(link);
  startOffline();
  if (document.querySelector("pre > code.language-csl") === null) return;
  const all = await samples(base).catch(() => []);
  addExercises(all);
  for (const code of document.querySelectorAll<HTMLElement>("pre > code.language-csl")) {
    const pre = code.parentElement;
    const isPart = code.closest("section.exercise") !== null;
    const sample = isPart ? undefined : sampleOf(code, all);
    highlight(code);
    if (pre !== null && sample !== undefined) addRun(pre, sample);
  }
  document.body.dataset.listings = "ready";
}

Object.assign(window, { cslrun: { perform, pictures, playgroundLink, done } });
void begin();

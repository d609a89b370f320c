// The playground: the program in the editor, how it is run, and where it comes from.

import { button, byId, debounced, element } from "./dom";
import { Editor } from "./editor";
import { Engine } from "./engine";
import { opened, save } from "./files";
import { fillGallery, projectOf, samples } from "./gallery";
import { Language, offset } from "./language";
import type { Arch, Project } from "./project";
import { compileWords, isFileName, packed, rootOf, unpacked } from "./project";
import type { Files, Performed } from "./protocol";
import { Views } from "./views";
import { quoted, split } from "./words";

/** Where the program lies between two visits. */
const KEPT = "cslrun-program";
/** Milliseconds without a change before the program is checked. */
const PAUSE = 180;

const base = new URL("./", import.meta.url);

/** The page. */
export class Playground {
  /** Runs programs; can be stopped. */
  readonly runner = new Engine();
  /** Checks them while the user types. */
  readonly checker = new Engine();
  readonly editor: Editor;
  readonly views: Views;
  readonly #language = new Language(this.checker);
  #root = "";
  #checks = 0;
  /** Which program is in the editor; hovers over an older one are of no use. */
  readonly #soon = debounced(PAUSE, () => void this.check());

  constructor() {
    this.editor = new Editor(byId("editor"), {
      run: () => void this.run(),
      format: () => void this.format(),
      changed: () => this.#soon(),
      moved: () => this.#drawDsds(),
      hover: (view, at) => this.#language.hover(view, this.editor.shown, at).catch(() => null),
      complete: (context) => this.#language.complete(context, this.editor.shown, context.state.doc.toString()).catch(() => null),
    });
    this.views = new Views(this.runner, {
      project: () => this.project,
      jump: (file, line) => this.jump(file, line),
      explain: (rule) => void this.explain(rule),
      choose: (name) => this.#choose(name),
    });
    this.runner.onFault = (words) => this.notify(`cslrun has failed: ${words}. It has been started again.`);
    this.checker.onFault = this.runner.onFault;
    this.checker.onRestart = () => this.#language.forget();
    this.#wire();
  }

  /** The program in the editor. */
  get project(): Project {
    const arch: Arch = byId<HTMLSelectElement>("arch").value === "wse3" ? "wse3" : "wse2";
    return { files: this.editor.files(), root: this.#root, arch, args: byId<HTMLInputElement>("args").value };
  }

  /** Shows the program of the link, of the last visit, or a first one. */
  async begin(): Promise<void> {
    await this.#openAddress();
    await Promise.all([this.checker.ready(), this.runner.ready()]).catch((error: unknown) => {
      this.notify(`cslrun cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
    });
    await this.check();
  }

  /** Puts another program into the editor. */
  load(project: Project): void {
    this.#root = project.root;
    byId<HTMLSelectElement>("arch").value = project.arch;
    byId<HTMLInputElement>("args").value = project.args;
    this.editor.load(project.files);
    this.editor.show(project.root in project.files ? project.root : Object.keys(project.files)[0] ?? "");
    this.views.clear();
    this.#drawFiles();
    this.#soon();
  }

  /** Runs the program. */
  async run(): Promise<void> {
    if (this.runner.isBusy) return;
    this.notify("");
    this.#keep();
    await this.views.run();
  }

  /** Runs any command line, for the tests. */
  perform(words: string[], files: Files): Promise<Performed> {
    return this.runner.perform(words, files);
  }

  /** Checks the program: problems, pictures, names of variables. */
  async check(): Promise<void> {
    const number = ++this.#checks;
    const project = this.project;
    this.#keep();
    try {
      await this.#language.update(project.files, compileWords(project));
      if (number !== this.#checks) return;
      this.#drawProblems();
      this.#drawDsds();
      const shape = await this.checker.wafer(compileWords(project), project.files);
      this.views.variables = shape.variables;
    } catch (error) {
      const hasProblems = this.#language.problems.length > 0;
      if (number === this.#checks && !hasProblems) byId("problem-count").textContent = error instanceof Error ? error.message : "";
    }
  }

  /** Goes to a line of a file. */
  jump(file: string, line: number): void {
    this.editor.show(file);
    this.#drawFiles();
    const { doc } = this.editor.view.state;
    this.editor.show(file, doc.line(Math.min(line, doc.lines)).from);
  }

  /** Puts the file into the one layout of `cslrun fmt`. */
  async format(): Promise<void> {
    const { state } = this.editor.view;
    const edits = await this.#language.format(this.editor.shown, state.doc.toString());
    const changes = edits.map(({ range, newText }) => ({ from: offset(state.doc, range.start), to: offset(state.doc, range.end), insert: newText }));
    if (changes.length > 0 && state.doc.eq(this.editor.view.state.doc)) this.editor.view.dispatch({ changes });
  }

  /** Shows the page of a rule. */
  async explain(rule: string): Promise<void> {
    const done = await this.checker.perform(["explain", rule], {});
    this.#dialog(rule, element("pre", {}, done.stdout));
  }

  /** Says something above the program; nothing with an empty text. */
  notify(text: string): void {
    const notice = byId("notice");
    notice.hidden = text === "";
    notice.replaceChildren(text);
    if (text !== "") notice.append(" ", button("Close", () => this.notify(""), { class: "link" }));
  }

  #wire(): void {
    byId("command").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.run();
    });
    byId("stop").addEventListener("click", () => this.runner.stop());
    byId("share").addEventListener("click", () => void this.share());
    byId("save").addEventListener("click", () => save(this.project.files));
    byId("open").addEventListener("click", () => byId("open-files").click());
    byId("examples").addEventListener("click", () => void this.#gallery());
    byId("format").addEventListener("click", () => void this.format());
    byId("new-file").addEventListener("click", () => this.#newFile());
    byId("rename-file").addEventListener("click", () => this.#renameFile());
    byId("delete-file").addEventListener("click", () => this.#deleteFile());
    byId("arch").addEventListener("change", () => this.#soon());
    byId("args").addEventListener("input", () => this.#soon());
    byId<HTMLSelectElement>("root").addEventListener("change", (event) => {
      this.#root = (event.target as HTMLSelectElement).value;
      this.#soon();
    });
    const chooser = byId<HTMLInputElement>("open-files");
    chooser.addEventListener("change", () => void this.#openFiles(chooser.files ?? []).finally(() => (chooser.value = "")));
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      void this.#openFiles(event.dataTransfer?.files ?? []);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.defaultPrevented) void this.run();
    });
    window.addEventListener("hashchange", () => void this.#openAddress());
  }

  /** Puts a link to the program into the address and the clipboard. */
  async share(): Promise<void> {
    const link = new URL(location.href);
    link.search = "";
    link.hash = packed(this.project);
    history.replaceState(null, "", link);
    const isCopied = await navigator.clipboard.writeText(link.href).then(() => true, () => false);
    const words = isCopied ? "The link to this program is in the clipboard." : "The address of this page is now a link to this program.";
    this.notify(`${words} It holds the program itself (${link.href.length.toLocaleString("en")} characters); no server keeps anything.`);
  }

  async #openAddress(): Promise<void> {
    const name = new URL(location.href).searchParams.get("example");
    const all = await samples(base).catch(() => []);
    const first = all.find((sample) => sample.id === (name ?? "examples/01-one-pe")) ?? all[0];
    if (location.hash.length > 1) {
      try {
        this.load(unpacked(location.hash));
        return;
      } catch (error) {
        this.notify(error instanceof Error ? error.message : String(error));
      }
    }
    const kept = name === null ? localStorage.getItem(KEPT) : null;
    if (kept !== null) {
      try {
        this.load(unpacked(kept));
        return;
      } catch {
        localStorage.removeItem(KEPT);
      }
    }
    if (first !== undefined) this.load(projectOf(first));
  }

  async #openFiles(list: Iterable<File>): Promise<void> {
    try {
      const files = await opened(list);
      const { arch, args } = this.project;
      this.load({ files, root: rootOf(files), arch, args });
      this.notify("");
    } catch (error) {
      this.notify(error instanceof Error ? error.message : String(error));
    }
  }

  async #gallery(): Promise<void> {
    const dialog = byId<HTMLDialogElement>("gallery");
    fillGallery(dialog, await samples(base), (sample) => {
      dialog.close();
      this.notify("");
      history.replaceState(null, "", `?example=${encodeURIComponent(sample.id)}`);
      this.load(projectOf(sample));
    });
    dialog.showModal();
  }

  #keep(): void {
    try {
      localStorage.setItem(KEPT, packed(this.project));
    } catch {
      // A browser that keeps nothing shows the first example next time.
    }
  }

  #choose(name: string): void {
    const input = byId<HTMLInputElement>("args");
    const words = split(input.value);
    const at = words.findIndex((word, i) => word === name && words[i - 1] === "--get");
    if (at > 0) words.splice(at - 1, 2);
    else words.push("--get", name);
    input.value = words.map(quoted).join(" ");
    void this.run();
  }

  #newFile(): void {
    const name = this.#askedName("Name of the new file", "new.csl");
    if (name === undefined) return;
    this.editor.put(name, "");
    this.editor.show(name, 0);
    this.#drawFiles();
  }

  #renameFile(): void {
    const from = this.editor.shown;
    const to = this.#askedName(`New name of ${from}`, from);
    if (to === undefined) return;
    this.editor.rename(from, to);
    if (this.#root === from) this.#root = to;
    this.#drawFiles();
    this.#soon();
  }

  #deleteFile(): void {
    const name = this.editor.shown;
    const rest = Object.keys(this.editor.files()).filter((other) => other !== name);
    if (rest[0] === undefined || !confirm(`Delete ${name}?`)) return;
    this.editor.remove(name);
    this.editor.show(rest[0]);
    if (this.#root === name) this.#root = rootOf(this.editor.files());
    this.#drawFiles();
    this.#soon();
  }

  #askedName(question: string, proposal: string): string | undefined {
    const name = prompt(question, proposal)?.trim();
    if (name === undefined || name === "" || name === this.editor.shown) return undefined;
    if (isFileName(name) && !(name in this.editor.files())) return name;
    this.notify(`${name} is no name for a new file: it must end in .csl, hold no blanks, and be new`);
    return undefined;
  }

  #drawFiles(): void {
    const names = Object.keys(this.editor.files());
    const tabs = names.map((name) => {
      const isShown = name === this.editor.shown;
      const show = () => {
        this.editor.show(name);
        this.#drawFiles();
        this.#language.mark(this.editor);
        this.editor.view.focus();
      };
      const bad = this.#language.problems.some((problem) => problem.file === name && problem.severity === 1);
      return button(name, show, { role: "tab", "aria-selected": String(isShown), "aria-controls": "editor", class: bad ? "bad" : "" });
    });
    byId("files").replaceChildren(...tabs);
    const root = byId<HTMLSelectElement>("root");
    root.replaceChildren(...names.map((name) => element("option", {}, name)));
    root.value = this.#root;
    byId<HTMLButtonElement>("delete-file").disabled = names.length < 2;
  }

  #drawProblems(): void {
    const { problems } = this.#language;
    const count = (severity: number, one: string) => {
      const n = problems.filter((problem) => problem.severity === severity).length;
      return n === 0 ? [] : [`${n} ${one}${n === 1 ? "" : "s"}`];
    };
    const words = [...count(1, "error"), ...count(2, "warning"), ...count(3, "note")].join(", ");
    byId("problem-count").textContent = words === "" ? "No problems found." : words;
    const items = problems.slice(0, 100).map((problem) => {
      const kind = problem.severity === 1 ? "error" : problem.severity === 2 ? "warning" : "note";
      const line = problem.range.start.line + 1;
      const go = button(`${problem.file}:${line}`, () => this.jump(problem.file, line), { class: "link" });
      const about = problem.rule === "" ? null : button(problem.rule, () => void this.explain(problem.rule), { class: "quiet" });
      return element("li", { class: kind }, element("span", { class: "mark" }, kind), " ", go, ` ${problem.message.split("\n")[0] ?? ""} `, about);
    });
    byId("problems").querySelector("ul")?.replaceChildren(...items);
    this.#drawFiles();
    this.#language.mark(this.editor);
  }

  #drawDsds(): void {
    const { line, shown } = this.editor;
    const text = this.editor.view.state.doc.line(line).text;
    this.views.dsds(this.#language.dsds, shown, line, text);
  }

  #dialog(title: string, content: Node): void {
    const dialog = byId<HTMLDialogElement>("page");
    const close = button("✕", () => dialog.close(), { class: "quiet", "aria-label": "Close" });
    const head = element("div", { class: "dialog-head" }, element("h2", { id: "page-title" }, title), close);
    dialog.replaceChildren(head, element("div", { class: "text" }, content));
    dialog.showModal();
  }
}

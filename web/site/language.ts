// The editor asks cslrun by the Language Server Protocol: what is wrong, what stands under the mouse, what may follow.

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { setDiagnostics } from "@codemirror/lint";
import type { Diagnostic } from "@codemirror/lint";
import type { Text } from "@codemirror/state";
import type { EditorView, Tooltip } from "@codemirror/view";
import { element, picture } from "./dom";
import type { Editor } from "./editor";
import type { Engine } from "./engine";
import type { DsdPicture, Files } from "./protocol";

/** A place: line and column in UTF-16 units, from 0. */
interface Position { line: number; character: number }
interface Range { start: Position; end: Position }

/** What is wrong at a place of a file. */
export interface Problem {
  file: string;
  range: Range;
  /** 1 is an error, 2 a warning, 3 a note. */
  severity: number;
  message: string;
  rule: string;
}

interface Published {
  method: string;
  params: { uri: string; diagnostics: { range: Range; severity: number; message: string; code?: string }[] };
}

interface Answer { result?: unknown; error?: { message: string } }
interface TextEdit { range: Range; newText: string }
interface Item { label: string; kind?: number; detail?: string; insertText?: string; textEdit?: { newText: string }; documentation?: unknown }

/** Where the files lie for the server. */
const FOLDER = "file:///p/";
const KINDS: Record<number, string> = {
  2: "method", 3: "function", 5: "property", 6: "variable", 9: "namespace", 14: "keyword", 21: "constant", 25: "type",
};

const uri = (file: string) => FOLDER + file.split("/").map(encodeURIComponent).join("/");

/** The offset of a place in a text. */
export function offset(doc: Text, at: Position): number {
  if (at.line >= doc.lines) return doc.length;
  const line = doc.line(at.line + 1);
  return Math.min(line.from + at.character, line.to);
}

function position(doc: Text, at: number): Position {
  const line = doc.lineAt(at);
  return { line: line.number - 1, character: at - line.from };
}

/** What cslrun knows of the program in the editor. */
export class Language {
  problems: Problem[] = [];
  dsds: DsdPicture[] = [];
  readonly #engine: Engine;
  #open = new Map<string, string>();
  #version = 0;
  #requests = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The server has forgotten everything. */
  forget(): void {
    this.#open.clear();
    this.problems = [];
  }

  /** Tells the server the texts and how they are compiled; `problems` are then those of these texts. */
  async update(files: Files, words: string[]): Promise<void> {
    await this.#engine.call({ do: "program", words });
    await this.#sync(files);
    const published = (await this.#engine.call({ do: "compile" })) as Published[];
    for (const message of published.filter((one) => one.method === "textDocument/publishDiagnostics")) {
      const file = decodeURIComponent(message.params.uri.slice(FOLDER.length));
      this.problems = this.problems.filter((problem) => problem.file !== file);
      for (const { range, severity, message: text, code } of message.params.diagnostics) {
        this.problems.push({ file, range, severity, message: text, rule: code ?? "" });
      }
    }
    this.problems = this.problems.filter((problem) => problem.file in files);
    this.problems.sort((a, b) => a.severity - b.severity || a.file.localeCompare(b.file) || a.range.start.line - b.range.start.line);
    // A program with errors keeps the pictures that it had.
    if (!this.problems.some((problem) => problem.severity === 1)) {
      this.dsds = await this.#engine.dsds(words, files).catch(() => this.dsds);
    }
  }

  /** Shows the problems of a file in the editor. */
  mark(editor: Editor): void {
    const { doc } = editor.view.state;
    const marks: Diagnostic[] = this.problems.filter((problem) => problem.file === editor.shown).map((problem) => {
      const from = offset(doc, problem.range.start);
      return {
        from,
        to: Math.max(from, offset(doc, problem.range.end)),
        severity: problem.severity === 1 ? "error" : problem.severity === 2 ? "warning" : "info",
        message: problem.message,
        source: problem.rule,
      };
    });
    editor.view.dispatch(setDiagnostics(editor.view.state, marks));
  }

  /** What stands under the mouse. */
  async hover(view: EditorView, file: string, at: number): Promise<Tooltip | null> {
    const place = { textDocument: { uri: uri(file) }, position: position(view.state.doc, at) };
    const found = (await this.#ask("textDocument/hover", place)) as { contents: { value: string }; range?: Range } | null;
    if (found === null) return null;
    const pos = found.range ? offset(view.state.doc, found.range.start) : at;
    return { pos, above: true, create: () => ({ dom: this.#shown(found.contents.value) }) };
  }

  /** What may be written at the cursor. */
  async complete(context: CompletionContext, file: string, text: string): Promise<CompletionResult | null> {
    const word = context.matchBefore(/[@\w.]*[\w@]*$/);
    if (!context.explicit && (word === null || word.from === word.to)) return null;
    await this.#change(file, text);
    const place = { textDocument: { uri: uri(file) }, position: position(context.state.doc, context.pos) };
    const found = (await this.#ask("textDocument/completion", place)) as Item[] | { items: Item[] } | null;
    const items = Array.isArray(found) ? found : found?.items ?? [];
    const from = context.matchBefore(/@?\w*$/)?.from ?? context.pos;
    const options: Completion[] = items.map((item) => ({
      label: item.label, detail: item.detail, type: KINDS[item.kind ?? 0], apply: item.textEdit?.newText ?? item.insertText ?? item.label,
    }));
    return options.length === 0 ? null : { from, options, validFor: /^@?\w*$/ };
  }

  /** The changes that put a file into the one layout. */
  async format(file: string, text: string): Promise<TextEdit[]> {
    await this.#change(file, text);
    const options = { tabSize: 2, insertSpaces: true };
    return ((await this.#ask("textDocument/formatting", { textDocument: { uri: uri(file) }, options })) ?? []) as TextEdit[];
  }

  async #sync(files: Files): Promise<void> {
    for (const file of this.#open.keys()) {
      if (file in files) continue;
      this.#open.delete(file);
      await this.#tell("textDocument/didClose", { textDocument: { uri: uri(file) } });
    }
    for (const [file, text] of Object.entries(files)) await this.#change(file, text);
  }

  async #change(file: string, text: string): Promise<void> {
    if (this.#open.get(file) === text) return;
    const isOpen = this.#open.has(file);
    this.#open.set(file, text);
    const version = ++this.#version;
    if (isOpen) {
      await this.#tell("textDocument/didChange", { textDocument: { uri: uri(file), version }, contentChanges: [{ text }] });
    } else {
      await this.#tell("textDocument/didOpen", { textDocument: { uri: uri(file), languageId: "csl", version, text } });
    }
  }

  async #tell(method: string, params: object): Promise<void> {
    await this.#engine.call({ do: "editor", message: { jsonrpc: "2.0", method, params } });
  }

  async #ask(method: string, params: object): Promise<unknown> {
    const message = { jsonrpc: "2.0", id: ++this.#requests, method, params };
    const [answer] = (await this.#engine.call({ do: "editor", message })) as Answer[];
    return answer?.result ?? null;
  }

  /** Markdown with paragraphs, code and pictures, as elements. */
  #shown(markdown: string): HTMLElement {
    const box = element("div", { class: "hover" });
    for (const [i, part] of markdown.split(/^```/m).entries()) {
      if (i % 2 === 0) {
        const text = part.trim();
        if (text !== "") box.append(element("p", {}, text.replace(/`/g, "")));
        continue;
      }
      const code = part.slice(part.indexOf("\n") + 1).trimEnd();
      // Its first line says which DSD it is; addresses may differ, because an editor looks at more than a run needs.
      const dsd = this.dsds.find((one) => one.title === code.split("\n")[0]);
      box.append(dsd && dsd.svg.includes("<rect x") ? picture(dsd.svg, dsd.text) : element("pre", {}, code));
    }
    return box;
  }
}

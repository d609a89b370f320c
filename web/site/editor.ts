// The editor: one state of CodeMirror for each file, and one view.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import type { CompletionSource } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, toggleComment } from "@codemirror/commands";
import {
  HighlightStyle, StreamLanguage, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, Prec } from "@codemirror/state";
import type { Extension } from "@codemirror/state";
import {
  EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers,
} from "@codemirror/view";
import type { HoverTooltipSource } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";
import { cslParser } from "./csl";

/** What the editor asks of the page. */
export interface Hooks {
  run(): void;
  format(): void;
  changed(file: string): void;
  moved(file: string): void;
  hover: HoverTooltipSource;
  complete: CompletionSource;
}

const csl = StreamLanguage.define(cslParser);

const colors = HighlightStyle.define([
  { tag: t.lineComment, class: "csl-comment" },
  { tag: t.string, class: "csl-string" },
  { tag: t.number, class: "csl-number" },
  { tag: t.macroName, class: "csl-builtin" },
  { tag: t.keyword, class: "csl-keyword" },
  { tag: t.typeName, class: "csl-type" },
  { tag: t.atom, class: "csl-atom" },
  { tag: t.definition(t.variableName), class: "csl-definition" },
]);

/** What every editor of CSL has, in the playground and in the book. */
export function common(): Extension[] {
  return [
    lineNumbers(), highlightActiveLineGutter(), highlightActiveLine(), drawSelection(), history(), indentOnInput(),
    bracketMatching(), closeBrackets(), highlightSelectionMatches(), csl, syntaxHighlighting(colors), indentUnit.of("  "),
    EditorState.tabSize.of(2),
    keymap.of([
      ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap,
      { key: "Mod-/", run: toggleComment },
      // Escape, then Tab leaves the editor: CodeMirror sees to that.
      indentWithTab,
    ]),
  ];
}

/** The files of a program in an editor. */
export class Editor {
  readonly view: EditorView;
  #states = new Map<string, EditorState>();
  #shown = "";
  readonly #hooks: Hooks;

  constructor(parent: HTMLElement, hooks: Hooks) {
    this.#hooks = hooks;
    this.view = new EditorView({ parent, state: EditorState.create() });
  }

  /** The file that is shown. */
  get shown(): string {
    return this.#shown;
  }

  /** Replaces all files. */
  load(files: Record<string, string>): void {
    this.#states = new Map(Object.entries(files).map(([name, text]) => [name, this.#state(name, text)]));
    this.#shown = "";
  }

  /** Shows a file, with the cursor at an offset if one is given. */
  show(name: string, offset?: number): void {
    const state = this.#states.get(name);
    if (state === undefined) return;
    if (name !== this.#shown) {
      this.#keep();
      this.#shown = name;
      this.view.setState(state);
    }
    if (offset !== undefined) {
      const at = Math.min(offset, this.view.state.doc.length);
      this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      this.view.focus();
    }
    this.#hooks.moved(name);
  }

  /** Adds a file, or replaces its text. */
  put(name: string, text: string): void {
    this.#states.set(name, this.#state(name, text));
    if (name === this.#shown) this.view.setState(this.#state(name, text));
  }

  /** Removes a file. */
  remove(name: string): void {
    this.#states.delete(name);
    if (name === this.#shown) this.#shown = "";
  }

  /** Renames a file. */
  rename(from: string, to: string): void {
    const files = Object.entries(this.files()).map(([name, text]) => [name === from ? to : name, text]);
    const shown = this.#shown === from ? to : this.#shown;
    this.load(Object.fromEntries(files) as Record<string, string>);
    this.show(shown);
  }

  /** All files with their texts. */
  files(): Record<string, string> {
    this.#keep();
    return Object.fromEntries([...this.#states].map(([name, state]) => [name, state.doc.toString()]));
  }

  /** The line of the cursor, from 1. */
  get line(): number {
    return this.view.state.doc.lineAt(this.view.state.selection.main.head).number;
  }

  #keep(): void {
    if (this.#shown !== "") this.#states.set(this.#shown, this.view.state);
  }

  #state(name: string, text: string): EditorState {
    const hooks = this.#hooks;
    const run = { key: "Mod-Enter", run: () => (hooks.run(), true) };
    const format = { key: "Shift-Alt-f", run: () => (hooks.format(), true) };
    return EditorState.create({
      doc: text,
      extensions: [
        Prec.highest(keymap.of([run, format])),
        common(),
        lintGutter(),
        autocompletion({ override: [hooks.complete] }),
        hoverTooltip(hooks.hover, { hoverTime: 250 }),
        EditorView.contentAttributes.of({ "aria-label": `Text of ${name}`, tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) hooks.changed(name);
          if (update.docChanged || update.selectionSet) hooks.moved(name);
        }),
      ],
    });
  }
}

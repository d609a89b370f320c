// The words of CSL for highlighting: comments, strings, numbers, builtins, keywords, types and the names that functions get.

import type { StreamParser, StringStream } from "@codemirror/language";

/** What a piece of text is; the names are those of CodeMirror's tags. */
export type Kind =
  | "comment" | "string" | "number" | "builtin" | "keyword" | "type" | "atom" | "definition" | "property" | "name"
  | "operator" | "punctuation";

const KEYWORDS = words(
  "align and anytype asm break comptime const continue else enum export extern fn for if inline layout linkname " +
  "linksection noinline or packed param return struct switch task union var volatile while",
);
const ATOMS = words("true false undefined unreachable NORTH SOUTH EAST WEST RAMP");
const TYPES = words(
  "bool void type color i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 cb16 bf16 comptime_int comptime_float comptime_string " +
  "comptime_struct imported_module direction input_queue output_queue ut_id local_task_id data_task_id control_task_id " +
  "mem1d_dsd mem4d_dsd circbuf_dsd fabin_dsd fabout_dsd fifo dsr_dest dsr_src0 dsr_src1 xdsr sr",
);

function words(text: string): Set<string> {
  return new Set(text.split(" "));
}

/** What comes before decides what a name is. */
export interface State {
  /** The last word was `fn` or `task`. */
  names: boolean;
  /** The last character was a dot. */
  dot: boolean;
  /** Open brackets. */
  depth: number;
}

/** Reads one piece of a line; `null` for blanks. */
export function token(stream: StringStream, state: State): Kind | null {
  if (stream.eatSpace()) return null;
  const { names, dot } = state;
  state.names = state.dot = false;
  if (stream.match("//")) {
    stream.skipToEnd();
    return "comment";
  }
  if (stream.match(/^"(\\.|[^"\\])*"?/) || stream.match(/^'(\\.|[^'\\])*'?/)) return "string";
  if (stream.match(/^@[A-Za-z_]\w*/)) return "builtin";
  if (stream.match(/^0[xX][\da-fA-F_]+|^0[bB][01_]+|^0[oO][0-7_]+|^\d[\d_]*(\.\d[\d_]*)?([eE][+-]?\d+)?/)) return "number";
  const word = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null;
  if (word) return wordKind(word[0], state, names, dot);
  if (stream.match(/^\.(?!\.)/)) {
    state.dot = true;
    return "punctuation";
  }
  if (stream.match(/^(->|=>|\.\.|[-+*/%&|^~<>=!]+)/)) return "operator";
  const c = stream.next() ?? "";
  if ("{[(".includes(c)) state.depth += 1;
  if ("}])".includes(c)) state.depth = Math.max(0, state.depth - 1);
  return "punctuation";
}

function wordKind(word: string, state: State, names: boolean, dot: boolean): Kind {
  if (names) return "definition";
  if (dot) return "property";
  if (KEYWORDS.has(word)) {
    state.names = word === "fn" || word === "task";
    return "keyword";
  }
  if (ATOMS.has(word)) return "atom";
  return TYPES.has(word) ? "type" : "name";
}

/** The parser for CodeMirror. */
export const cslParser: StreamParser<State> = {
  name: "csl",
  startState: () => ({ names: false, dot: false, depth: 0 }),
  token: (stream, state) => {
    switch (token(stream, state)) {
      case null: return null;
      case "builtin": return "macroName";
      case "type": return "typeName";
      case "definition": return "variableName.definition";
      case "property": return "propertyName";
      case "name": return "variableName";
      case "comment": return "lineComment";
      case "string": return "string";
      case "number": return "number";
      case "keyword": return "keyword";
      case "atom": return "atom";
      case "operator": return "operator";
      case "punctuation": return "punctuation";
    }
  },
  languageData: {
    commentTokens: { line: "//" },
    closeBrackets: { brackets: ["(", "[", "{", '"'] },
    indentOnInput: /^\s*[})\]]$/,
  },
  indent: (state, after, context) => Math.max(0, state.depth - (/^\s*[})\]]/.test(after) ? 1 : 0)) * context.unit,
};

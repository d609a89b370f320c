// What pages, workers and cslrun say to each other.

/** To a worker. */
export type Asked =
  | { kind: "start"; module: WebAssembly.Module }
  | { kind: "call"; id: number; request: object };

/** From a worker. */
export type Told =
  | { kind: "done"; id: number; result: unknown; bytes: number }
  | { kind: "refused"; id: number; words: string }
  | { kind: "fault"; id: number; words: string };

/** Files of a program, by name. */
export type Files = Record<string, string>;

/** A diagnostic as docs/formats.md describes it. */
export interface Diagnostic {
  rule: string;
  severity: "error" | "warning" | "note" | "unsupported";
  title: string;
  labels: { file: string; line: number; column: number; lo: number; hi: number; text: string; primary: boolean }[];
  notes: string[];
  help: string | null;
  pe: [number, number] | null;
  cycle: number | null;
}

/** A number, a truth value, or a float that JSON has no number for. */
export type Element = number | boolean | string;

/** What a command prints, as docs/formats.md describes it; kinds that the page does not use have no type. */
export type OutputRecord =
  | { kind: "printed"; pe: [number, number]; cycle: number | null; text: string }
  | { kind: "variable"; name: string; type: string; single: boolean; pes: { pe: [number, number]; values: Element[] }[] }
  | { kind: "cycles"; cycles: number };

/** What a command did. */
export interface Performed {
  exit: number;
  faulty: boolean;
  stdout: string;
  stderr: string;
  records: OutputRecord[];
  diagnostics: Diagnostic[];
  files: { path: string; text?: string; bytes?: number[] }[];
}

/** A DSD of a program, and the lines of the code that builds it, counted from 1. */
export interface DsdPicture {
  file: string;
  line: number;
  last: number;
  title: string;
  text: string;
  svg: string;
}

/** The wafer of a program: the number of the program of each PE, row by row, and what the host can do with it. */
export interface WaferShape {
  width: number;
  height: number;
  programs: (number | null)[];
  variables: string[];
  functions: string[];
}

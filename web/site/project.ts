// A program in the playground: its files and how it is run. It can be packed into a link.

import { deflateSync, inflateSync, strFromU8, strToU8 } from "fflate";
import type { Files } from "./protocol";
import { split } from "./words";

/** The machine that a program is compiled for. */
export type Arch = "wse2" | "wse3";

/** A program, and the command line that runs it. */
export interface Project {
  files: Files;
  /** The file that is run. */
  root: string;
  arch: Arch;
  /** What follows on the command line, such as `--get y`. */
  args: string;
}

/** The words after `cslrun` that run a program. */
export function wordsOf(project: Project): string[] {
  return [project.root, "--arch", project.arch, ...split(project.args)];
}

/** Words that a command takes that only compiles: no steps of the host, no files. */
export function compileWords(project: Project): string[] {
  const words = split(project.args);
  const kept: string[] = [];
  const withValue = /^(--param|--import-path|--max-inlined-iterations|--allow|--warn|--deny|-A|-W|-D)$/;
  const alone = /^(--(param|import-path|max-inlined-iterations|allow|warn|deny)=|-[AWD].)/;
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] ?? "";
    if (alone.test(word)) kept.push(word);
    if (withValue.test(word)) kept.push(word, words[++i] ?? "");
  }
  return [project.root, "--arch", project.arch, ...kept];
}

/** The file that is run unless the user chooses another: one with a layout block, or the first. */
export function rootOf(files: Files): string {
  const names = Object.keys(files);
  const hasLayout = (name: string) => /^\s*layout\s*\{/m.test(files[name] ?? "");
  return names.find(hasLayout) ?? names[0] ?? "";
}

/** A name that a file of a program can have: a relative path without `..`. */
export function isFileName(name: string): boolean {
  return /^[\w.-]+(\/[\w.-]+)*\.csl$/.test(name) && !name.split("/").includes("..");
}

/** More than this is not unpacked: a link that unfolds without end would take the memory of the page. */
const MOST_UNPACKED = 4 << 20;

/** The part of a link behind `#`. */
export function packed(project: Project): string {
  const { files, root, arch, args } = project;
  const bytes = deflateSync(strToU8(JSON.stringify({ files, root, arch, args })), { level: 9 });
  const text = btoa(strFromU8(bytes, true));
  return "p1=" + text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** The program of a link; throws words for the user about a link that is broken. */
export function unpacked(fragment: string): Project {
  const [version, text] = fragment.replace(/^#/, "").split("=");
  if (version !== "p1" || text === undefined) {
    throw new Error("the link is of a kind that this playground does not know; a newer one may open it");
  }
  let json: Uint8Array;
  try {
    const bytes = strToU8(atob(text.replace(/-/g, "+").replace(/_/g, "/")), true);
    json = inflateSync(bytes, { out: new Uint8Array(MOST_UNPACKED) });
  } catch {
    throw new Error("the link is incomplete or damaged: its program cannot be unpacked; copy the whole link");
  }
  if (json.length >= MOST_UNPACKED) throw new Error("the program of the link is too large");
  return checked(strFromU8(json));
}

function checked(json: string): Project {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error("the link is incomplete or damaged: what it holds is not a program; copy the whole link");
  }
  const { files, root, arch, args } = (value ?? {}) as Partial<Project>;
  const named = Object.entries(files ?? {});
  if (named.length === 0 || !named.every(([name, text]) => isFileName(name) && typeof text === "string")) {
    throw new Error("the link holds no program: its files have no proper names");
  }
  const isRoot = typeof root === "string" && root in (files ?? {});
  return {
    files: Object.fromEntries(named),
    root: isRoot ? root : rootOf(Object.fromEntries(named)),
    arch: arch === "wse3" ? "wse3" : "wse2",
    args: typeof args === "string" ? args : "",
  };
}

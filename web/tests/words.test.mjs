// The texts that a page takes apart: command lines, links, words of CSL. Needs no browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { buildSync } from "esbuild";
import { join } from "node:path";
import { readFileSync } from "node:fs";

/** A module of the page, as Node runs it. */
async function module(name) {
  const entry = join(import.meta.dirname, "../site", name);
  const built = buildSync({ entryPoints: [entry], bundle: true, format: "esm", write: false, target: "es2023" });
  return import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].contents).toString("base64")}`);
}

test("a command line is split like in a shell", async () => {
  const { split, quoted } = await module("words.ts");
  assert.deepEqual(split(` --get y  --set 'A=1, 2' --x="" "a'b `), ["--get", "y", "--set", "A=1, 2", "--x=", "a'b "]);
  for (const word of ["y", "A=1, 2", "a'b", ""]) assert.deepEqual(split(quoted(word)), [word]);
});

test("a program that is packed into a link comes out again", async () => {
  const { packed, unpacked } = await module("project.ts");
  const project = { files: { "layout.csl": "// ü 𝄞\n", "sub/pe.csl": "" }, root: "layout.csl", arch: "wse3", args: "--get y" };
  assert.match(packed(project), /^p1=[\w-]+$/);
  assert.deepEqual(unpacked("#" + packed(project)), project);
  assert.throws(() => unpacked("#" + packed(project).slice(0, 30)), /damaged/);
  assert.throws(() => unpacked("#" + packed({ ...project, files: { "../x.csl": "" } })), /no proper names/);
  assert.throws(() => unpacked("#" + packed({ ...project, files: { "a.csl": "x".repeat(5 << 20) } })), /too large/);
});

test("only what the compiler needs of the arguments goes to the checks", async () => {
  const { compileWords } = await module("project.ts");
  const project = { files: {}, root: "a.csl", arch: "wse2", args: "--param N=4 --get y --param=M=5 -A style --launch f:1 -Wall" };
  const expected = ["a.csl", "--arch", "wse2", "--param", "N=4", "--param=M=5", "-A", "style", "-Wall"];
  assert.deepEqual(compileWords(project), expected);
});

test("every keyword of CSL is one of the page", async () => {
  const { cslParser } = await module("csl.ts");
  const source = readFileSync(join(import.meta.dirname, "../../src/inspect/lexemes.rs"), "utf8");
  const list = /pub const KEYWORDS: [^=]*= &\[([^\]]*)\]/.exec(source)[1];
  const keywords = [...list.matchAll(/"(\w+)"/g)].map((found) => found[1]);
  assert.ok(keywords.length > 20);
  const { StringStream } = await import("@codemirror/language");
  const kind = (word) => cslParser.token(new StringStream(word, 2, 2), cslParser.startState(2));
  assert.deepEqual(keywords.filter((word) => !["keyword", "atom"].includes(kind(word))), []);
});

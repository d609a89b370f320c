// The programs of the gallery, read from where the tests of cslrun find them.

import { readFileSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";

const repository = join(import.meta.dirname, "../..");
const read = (...path) => readFileSync(join(repository, ...path), "utf8");
const list = (...path) => readdirSync(join(repository, ...path)).sort();
const isFolder = (...path) => statSync(join(repository, ...path)).isDirectory();

/** The `.csl` files of a folder, by name. */
function filesOf(...path) {
  const names = list(...path).filter((name) => name.endsWith(".csl"));
  return Object.fromEntries(names.map((name) => [name, read(...path, name)]));
}

/** The root file, the machine and the other arguments of the words after `cslrun`. */
function commandOf(words, files) {
  const args = [];
  let [root, arch] = ["", "wse2"];
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i];
    if (word === "--arch") arch = words[++i];
    else if (word.startsWith("--arch=")) arch = word.slice(7);
    else if (word.endsWith(".csl") && root === "") root = basename(word);
    else args.push(word);
  }
  if (root === "") root = "layout.csl" in files ? "layout.csl" : Object.keys(files)[0];
  return { root, arch, args: args.join(" ") };
}

/** The lines `$ cslrun ..` of a page. */
function commandsOf(page) {
  return [...page.matchAll(/^\$ cslrun (.*)$/gm)].map((found) => found[1].split(/\s+/));
}

/** The first sentence of a text. */
function sentence(text) {
  const line = text.replace(/\s+/g, " ").trim();
  const found = /^.*?[.:!?](?= |$)/.exec(line);
  return (found ? found[0] : line).replace(/:$/, ".").replace(/[`*]/g, "");
}

/** The comment that a file begins with. */
function comment(text) {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => !/^\/\/[^!]?/.test(line));
  return lines.slice(0, end < 0 ? lines.length : end).map((line) => line.replace(/^\/\/ ?/, "")).join("\n");
}

/** A title from the name of a file. */
function words(name) {
  const text = name.replace(/^\d+-/, "").replace(/[-_]/g, " ").replace(/\b(dsd|dsr|fifo|pe|simd|sr|ut|xdsr)(s?)\b/g, (_, word, s) => word.toUpperCase() + s);
  return capital(text);
}

const capital = (text) => text.replace(/^./, (c) => c.toUpperCase());

function examples() {
  const runs = (name) => /^\d\d-/.test(name) && name !== "10-tests";
  return list("examples").filter(runs).map((name) => {
    const files = filesOf("examples", name);
    const page = read("examples", name, "README.md");
    const [title, about] = page.split("\n\n");
    const plain = commandsOf(page).find((line) => line[0].endsWith(".csl")) ?? [];
    return { id: `examples/${name}`, group: "Examples", title: title.replace(/^# /, ""), about: sentence(about), files, ...commandOf(plain, files) };
  });
}

/** A value of the header of a case. */
function header(text, key) {
  return new RegExp(`^//! ${key}: *(.*)$`, "m").exec(text)?.[1] ?? "";
}

function seeds() {
  const topics = list("examples/seeds").filter((name) => isFolder("examples/seeds", name));
  return topics.flatMap((topic) => {
    const all = filesOf("examples/seeds", topic);
    const roots = Object.keys(all).filter((name) => all[name].startsWith("//!"));
    const ownerOf = (name) => roots.filter((root) => name.startsWith(root.replace(/\.csl$/, "") + "-")).sort((a, b) => b.length - a.length)[0];
    return roots.map((root) => {
      const parts = Object.keys(all).filter((name) => name === root || (!roots.includes(name) && ownerOf(name) === root));
      const files = Object.fromEntries(parts.map((name) => [name, all[name]]));
      const rule = header(all[root], "rule");
      const sample = {
        id: `seeds/${topic}/${root.replace(/\.csl$/, "")}`, group: `Idioms: ${topic}`, title: words(root.replace(/\.csl$/, "")),
        about: `${capital(header(all[root], "what"))}.`, files, ...commandOf([root, ...header(all[root], "args").split(/\s+/).filter(Boolean)], files),
      };
      return rule === "" ? sample : { ...sample, breaks: rule };
    });
  });
}

/** Programs of the book in one of its folders; the pages name their arguments. */
function book(folder, group, prefix, pages) {
  return list("docs/book", folder).map((entry) => {
    const isOne = entry.endsWith(".csl");
    const name = entry.replace(/\.csl$/, "");
    const files = isOne ? { [entry]: read("docs/book", folder, entry) } : filesOf("docs/book", folder, entry);
    const path = isOne ? `../${folder}/${entry}` : `../${folder}/${entry}/layout.csl`;
    const line = pages.find((words) => words[0] === path);
    const command = commandOf(line ?? [], files);
    // Without its host script such a program does nothing, or is not complete.
    const isOfHost = line === undefined && !isOne && list("docs/book", folder, entry).includes("run.py");
    const sample = { id: `${prefix}/${name}`, group: isOfHost ? "" : group, title: words(name), about: sentence(comment(files[command.root])), files, ...command };
    return isOfHost ? { ...sample, needsHost: true } : sample;
  });
}

function lessons() {
  return list("docs/lessons/start").map((entry) => {
    const isOne = entry.endsWith(".csl");
    const files = isOne ? { [entry]: read("docs/lessons/start", entry) } : filesOf("docs/lessons/start", entry);
    const root = isOne ? entry : "layout.csl";
    const text = comment(files[root]);
    const [, title] = /^Lesson \d+: (.*)$/m.exec(text) ?? [];
    const [, task] = /^Task: ([^]*?)\n\n/m.exec(text + "\n\n") ?? [];
    const [, run] = /^Run: (.*)$/m.exec(text) ?? [];
    const [, breaks] = /^Fails: (.*)$/m.exec(text) ?? [];
    const [, prints] = /^Prints: (.*)$/m.exec(text) ?? [];
    const name = entry.replace(/\.csl$/, "");
    return {
      id: `lessons/${name}`, group: "Lessons", title: `${name.slice(0, 2)} ${title}`, about: sentence(task ?? ""), files,
      ...commandOf([root, ...(run ?? "").split(/\s+/).filter(Boolean)], files), breaks, prints,
    };
  });
}

/** All programs. Exercises, solutions and programs that need a host script have no group: they belong to their pages. */
export function gallery() {
  const pages = list("docs/book/src").filter((name) => name.endsWith(".md")).flatMap((name) => commandsOf(read("docs/book/src", name)));
  const gemm = filesOf("examples/notebooks/gemm");
  const all = [
    ...examples(),
    { id: "examples/gemm", group: "Examples", title: "Matrix multiplication", about: "A wafer multiplies two matrices.", files: gemm, ...commandOf("layout.csl --arch wse3 --param n=16 --param width=4 --param depth=4".split(" "), gemm) },
    ...book("programs", "Programs of the book", "book", pages),
    ...lessons(),
    ...seeds(),
    ...book("exercises", "", "exercises", pages),
    ...book("solutions", "", "solutions", pages),
  ];
  const of = new Set(all.map((one) => one.id));
  if (of.size !== all.length) throw new Error("two programs of the gallery have the same name");
  return all;
}

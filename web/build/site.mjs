// Puts the site together: scripts, styles, the compiled cslrun, the gallery, the book.
//
//     node build/site.mjs [--wasm FILE] --out FOLDER [--book FOLDER]
//
// Without --wasm, pages ask the server of the tests instead (tests/native.ts), and the gallery has no pictures.

import { createHash } from "node:crypto";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { gallery } from "./gallery.mjs";
import { pictureOf } from "./pictures.mjs";

const here = import.meta.dirname;
const source = (name) => join(here, "../site", name);
const { values } = parseArgs({ options: { wasm: { type: "string" }, out: { type: "string" }, book: { type: "string" } } });
const { wasm, out, book } = values;
const assets = join(out, "assets");
/** An empty module. */
const NOTHING = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
/** What the playground needs: in the cache of the browser after the first visit. */
const PRECACHED = /^(index\.html|play\/|assets\/)/;

/** What wasm-opt may assume: what rustc emits and every browser of the last years knows. */
const FEATURES = ["bulk-memory", "sign-ext", "mutable-globals", "nontrapping-float-to-int", "reference-types", "multivalue"];

/** The wasm-opt of the system, which is a program, or that of npm, which takes ten times as long. */
function optimizer() {
  const isThere = spawnSync("wasm-opt", ["--version"]).status === 0;
  return isThere ? "wasm-opt" : join(here, "../node_modules/.bin/wasm-opt");
}

function optimized() {
  if (wasm === undefined) return NOTHING;
  const small = join(dirname(wasm), "cslrun.small.wasm");
  const isFresh = existsSync(small) && statSync(small).mtimeMs > statSync(wasm).mtimeMs;
  if (!isFresh) {
    const options = ["-O1", "--strip-debug", "--strip-producers", ...FEATURES.map((name) => `--enable-${name}`)];
    execFileSync(optimizer(), [...options, wasm, "-o", small], { stdio: "inherit" });
  }
  return readFileSync(small);
}

/** Takes the module of the tests in place of that for WebAssembly. */
const native = {
  name: "native",
  setup: ({ onResolve }) => onResolve({ filter: /^\.\/wasm$/ }, () => ({ path: join(here, "../tests/native.ts") })),
};

async function bundle() {
  const shared = { bundle: true, minify: true, format: "esm", target: "es2023", logLevel: "warning", legalComments: "none" };
  const entryPoints = { play: source("main.ts"), listing: source("listing.ts") };
  await build({ ...shared, entryPoints, outdir: assets, splitting: true, chunkNames: "chunk-[hash]" });
  await build({ ...shared, entryPoints: { worker: source("worker.ts") }, outdir: assets, plugins: wasm === undefined ? [native] : [] });
  const tool = join(out, "tool.mjs");
  await build({ ...shared, entryPoints: { tool: source("wasm.ts") }, outdir: out, outExtension: { ".js": ".mjs" } });
  const { Tool } = await import(pathToFileURL(tool));
  rmSync(tool);
  return Tool;
}

async function serviceWorker(files) {
  const cached = files.filter((file) => PRECACHED.test(file)).map((file) => file.replace(/(^|\/)index\.html$/, "$1"));
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(readFileSync(join(out, file)));
  const define = { SITE_VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)), SITE_FILES: JSON.stringify(cached) };
  await build({ entryPoints: { sw: source("sw.ts") }, outdir: out, bundle: true, minify: true, format: "iife", define, logLevel: "warning" });
}

function filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name))).sort();
}

/** The pages of the book get the script that runs their listings. */
function addBook() {
  cpSync(book, join(out, "book"), { recursive: true });
  for (const file of filesBelow(join(out, "book")).filter((name) => name.endsWith(".html"))) {
    const path = join(out, "book", file);
    const root = "../".repeat(file.split("/").length);
    const added = `<link rel="stylesheet" href="${root}assets/listing.css"><script type="module" src="${root}assets/listing.js"></script></body>`;
    writeFileSync(path, readFileSync(path, "utf8").replace(/<\/body>(?![^]*<\/body>)/, added));
  }
}

/** The site in one piece, which the feature `site` of cslrun compiles in: lengths, then files, compressed (src/cli/site/pages.rs). */
function pack() {
  const files = filesBelow(out).map((path) => ({ path, bytes: gzipSync(readFileSync(join(out, path)), { level: 9 }) }));
  const entries = files.map(({ path, bytes }) => ({ path, length: bytes.length }));
  writeFileSync(`${out}.pack`, Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\n`), ...files.map(({ bytes }) => bytes)]));
}

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "play"), { recursive: true });
mkdirSync(assets);
const Tool = await bundle();
const code = optimized();
const packed = gzipSync(code, { level: 9 });
writeFileSync(join(assets, "cslrun.wasm.bin"), packed);
const tool = wasm === undefined ? undefined : new Tool(new WebAssembly.Module(code));
const samples = gallery().map((sample) => {
  const picture = sample.group === "" || tool === undefined ? undefined : pictureOf(tool, sample);
  return picture === undefined ? sample : { ...sample, picture };
});
writeFileSync(join(assets, "gallery.json"), JSON.stringify(samples));
for (const name of ["play.css", "listing.css", "site.css", "icon.svg", "manifest.json"]) cpSync(source(name), join(assets, name));
cpSync(source("play.html"), join(out, "play/index.html"));
cpSync(source("index.html"), join(out, "index.html"));
if (book !== undefined) addBook();
await serviceWorker(filesBelow(out));
pack();

const kilobytes = (bytes) => `${Math.round(bytes / 1000).toLocaleString("en")} kB`;
const scripts = filesBelow(assets).filter((name) => name.endsWith(".js")).map((name) => readFileSync(join(assets, name)));
const script = gzipSync(Buffer.concat(scripts)).length;
console.log(`site: ${samples.length} programs; cslrun ${kilobytes(code.length)}, ${kilobytes(packed.length)} compressed; scripts ${kilobytes(script)} compressed`);

// Prints the sizes and times of docs/web.md: SITE=target/site node web/tests/measure.mjs

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gunzipSync } from "node:zlib";
import { browser, loaded, served, site } from "./harness.mjs";

const packed = readFileSync(join(site, "assets/cslrun.wasm.bin"));
const code = gunzipSync(packed);
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
console.log(`cslrun: ${megabytes(code.length)}, gzip ${megabytes(packed.length)}, brotli ${megabytes(brotliCompressSync(code).length)}`);
console.log(`gallery.json: ${megabytes(statSync(join(site, "assets/gallery.json")).size)}`);

/** The median of some measurements, in milliseconds. */
async function median(times, act) {
  const all = [];
  for (let i = 0; i < times; i += 1) all.push(await act());
  return Math.round(all.sort((a, b) => a - b)[Math.floor(times / 2)] * 10) / 10;
}

const server = await served();
const chromium = await browser();

const first = await median(5, async () => {
  const context = await chromium.newContext();
  const page = await context.newPage();
  const begun = performance.now();
  await page.goto(`${server.url}/play/`);
  await page.click("#run");
  await page.waitForFunction(() => document.querySelector("#status").textContent.startsWith("done"));
  const time = performance.now() - begun;
  await context.close();
  return time;
});
console.log(`from opening the page to the result of the first program: ${first} ms`);

const page = await chromium.newPage();
await page.goto(`${server.url}/play/`);
await loaded(page);
const samples = await page.evaluate(() => fetch("../assets/gallery.json").then((response) => response.json()));

async function run(words, files) {
  const perform = async ([words, files]) => {
    const begun = performance.now();
    const done = await window.playground.perform(words, files);
    return [performance.now() - begun, done.exit, done.stderr];
  };
  const [time, exit, stderr] = await page.evaluate(perform, [words, files]);
  if (exit !== 0) throw new Error(stderr);
  return time;
}

const sample = (id) => samples.find((one) => one.id === id).files;
await run(["layout.csl"], sample("examples/05-reduction"));
console.log(`05-reduction: ${await median(9, () => run(["layout.csl", "--get", "vector"], sample("examples/05-reduction")))} ms`);
const wide = ["layout.csl", "--param", "width=32", "--param", "height=32", "--get", "path"];
console.log(`09-wavefront on 32 x 32 PEs: ${await median(5, () => run(wide, sample("examples/09-wavefront")))} ms`);
console.log(`the same with the report: ${await median(3, () => run([...wide, "--report", "page.html"], sample("examples/09-wavefront")))} ms`);

const ENDLESS = "task main() void { while (true) {} }\ncomptime { const id = @get_local_task_id(8); @bind_local_task(main, id); @activate(id); }\n";
const stopped = await median(5, () => page.evaluate(async (text) => {
  const run = window.playground.perform(["a.csl"], { "a.csl": text }).catch((why) => why.kind);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const begun = performance.now();
  window.playground.runner.stop();
  if ((await run) !== "stopped") throw new Error("it was not stopped");
  return performance.now() - begun;
}, ENDLESS));
console.log(`from Stop to the end of an endless loop: ${stopped} ms`);
await chromium.close();
server.close();

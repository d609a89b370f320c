// Every program of the gallery does in the browser what the command does: the same bytes, the same exit status.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, isQuick, native, playground, served, site } from "./harness.mjs";

let chromium, server, page, samples;

before(async () => {
  server = await served();
  chromium = await browser();
  ({ page } = await playground(await chromium.newContext(), `${server.url}/play/`));
  samples = await page.evaluate(() => fetch("../assets/gallery.json").then((response) => response.json()));
});

after(async () => {
  await chromium.close();
  server.close();
});

const wordsOf = ({ root, arch, args }) => [root, "--arch", arch, ...args.split(/\s+/).filter(Boolean)];

test("every program prints what the command prints", async () => {
  assert.ok(samples.length > 150, `${samples.length} programs`);
  const different = [];
  for (const sample of isQuick ? samples.slice(0, 12) : samples) {
    const words = wordsOf(sample);
    const here = await page.evaluate(([words, files]) => window.playground.perform(words, files), [words, sample.files]);
    const there = native(words, sample.files);
    const same = here.exit === there.exit && here.stdout === there.stdout && here.stderr === there.stderr;
    if (!same) different.push({ id: sample.id, here: [here.exit, here.stdout, here.stderr], there });
  }
  assert.deepEqual(different, []);
});

test("a program that shows a mistake breaks the rule that it names, the others end well", { skip: isQuick }, async () => {
  const wrong = [];
  for (const sample of samples.filter((one) => one.group !== "" && one.breaks === undefined)) {
    const isMeant = sample.id === "examples/07-deadlock" || sample.id.startsWith("seeds/");
    const { exit, stderr } = await page.evaluate(([words, files]) => window.playground.perform(words, files), [wordsOf(sample), sample.files]);
    if (exit !== 0 && !isMeant) wrong.push({ id: sample.id, exit, stderr });
  }
  assert.deepEqual(wrong, []);
});

test("most programs have a picture", { skip: isQuick }, () => {
  const shown = samples.filter((one) => one.group !== "");
  const pictured = shown.filter((one) => one.picture !== undefined);
  assert.ok(pictured.length > shown.length / 2, `${pictured.length} of ${shown.length}`);
  for (const { picture } of pictured) assert.ok(picture.startsWith("<svg") && !picture.includes("<script"));
});

test("cslrun is small enough for a slow line", { skip: isQuick }, () => {
  const { size } = statSync(join(site, "assets/cslrun.wasm.bin"));
  assert.ok(size < 2_000_000, `${size} bytes`);
});

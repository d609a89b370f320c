// The pages of the book for everybody: axe, in light and dark, and on a phone.

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, isQuick, served, site } from "./harness.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const folder = join(site, "book");
const without = isQuick || (!existsSync(folder) && "the site has no book");

let chromium, server;

before(async () => {
  server = await served();
  chromium = await browser();
});

after(async () => {
  await chromium.close();
  server.close();
});

const numbered = (...below) => readdirSync(join(folder, ...below)).filter((name) => /^\d\d-.*\.html$/.test(name)).sort();

/** All chapters, a lesson, and one page of each kind of reference. */
function pages() {
  const others = ["introduction.html", "rules/deadlock.html", "library/memcpy.html", "reference/compatibility.html", "reference/levels.html"];
  return [...others.filter((name) => existsSync(join(folder, name))), ...numbered(), ...numbered("lessons").slice(0, 2).map((name) => `lessons/${name}`)];
}

/** Everything that is folded is looked at, too, and the output of the first listing. */
async function unfold(page) {
  await page.evaluate(() => document.querySelectorAll("main details").forEach((one) => { one.open = true; }));
  const run = page.locator(".listing-buttons button:text-is('Run')").first();
  if ((await run.count()) === 0) return;
  await run.click();
  await page.locator(".listing-output pre, .listing-output .empty").first().waitFor();
}

for (const [name, options] of [["light", {}], ["dark", { colorScheme: "dark" }], ["phone", { viewport: { width: 390, height: 844 }, hasTouch: true }]]) {
  test(`axe finds no serious fault in the book (${name})`, { skip: without }, async () => {
    const context = await chromium.newContext(options);
    const page = await context.newPage();
    const wrong = [];
    for (const path of pages()) {
      await page.goto(`${server.url}/book/${path}`);
      if (/^\d\d-/.test(path)) await page.waitForSelector("body[data-listings=ready]");
      await unfold(page);
      await page.addScriptTag({ path: axe });
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      for (const { id, impact, nodes } of violations.filter((one) => one.impact === "serious" || one.impact === "critical")) {
        wrong.push([path, id, impact, nodes.length, nodes.slice(0, 3).map((node) => `${node.target}: ${node.html.slice(0, 120)}`)]);
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 0) wrong.push([path, `${wide} px too wide`]);
    }
    await context.close();
    assert.deepEqual(wrong, []);
  });
}

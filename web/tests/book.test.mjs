// The book in Chromium: listings run, exercises are done in place.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { browser, isQuick, served, site } from "./harness.mjs";

const folder = join(site, "book");
let chromium, server, page;

before(async () => {
  server = await served();
  chromium = await browser();
  page = await chromium.newPage();
});

after(async () => {
  await chromium.close();
  server.close();
});

async function opened(name) {
  await page.goto(`${server.url}/book/${name}`);
  await page.waitForSelector("body[data-listings=ready]");
}

/** Pages with a number; a few of them are enough for a quick test. */
const numbered = (...below) => readdirSync(join(folder, ...below)).filter((name) => (isQuick ? /^(01|12)-.*\.html$/ : /^\d\d-.*\.html$/).test(name)).sort();
const lessons = () => numbered("lessons").map((name) => `lessons/${name}`);

/** The files of the solution of an exercise, by name. */
function solutionOf(page, id) {
  const docs = join(import.meta.dirname, "../../docs");
  const entry = page.startsWith("lessons/") ? join(docs, "lessons/solutions", basename(page, ".html")) : join(docs, "book/solutions", id);
  if (existsSync(`${entry}.csl`)) return { [`${basename(entry)}.csl`]: readFileSync(`${entry}.csl`, "utf8") };
  assert.ok(statSync(entry).isDirectory());
  return Object.fromEntries(readdirSync(entry).map((name) => [name, readFileSync(join(entry, name), "utf8")]));
}

const chapters = () => numbered();

test("every listing of a program runs and ends well", { skip: !existsSync(folder) && "the site has no book" }, async () => {
  const wrong = [];
  let count = 0;
  for (const chapter of chapters()) {
    await opened(chapter);
    const boxes = page.locator(".listing-buttons:has(button:text-is('Run'))");
    for (let i = 0; i < (await boxes.count()); i += 1) {
      count += 1;
      await boxes.nth(i).locator("button", { hasText: "Run" }).click();
      const output = boxes.nth(i).locator("xpath=following-sibling::*[1]");
      await output.locator("pre, .empty").first().waitFor();
      if ((await output.locator(".stderr").count()) > 0) wrong.push([chapter, await output.textContent()]);
    }
  }
  assert.ok(count >= chapters().length / 2, `${count} listings in ${chapters().length} chapters`);
  assert.deepEqual(wrong.filter(([, text]) => /\d errors?\n/.test(text)), []);
});

/** All programs of the book with the paths by which its pages name them. */
function programs(samples) {
  const folders = { book: "programs", exercises: "exercises" };
  const files = {};
  for (const sample of samples) {
    const [kind, name] = sample.id.split("/");
    if (!(kind in folders)) continue;
    const isOne = `${name}.csl` in sample.files;
    for (const [file, text] of Object.entries(sample.files)) files[`../${folders[kind]}/${isOne ? file : `${name}/${file}`}`] = text;
  }
  return files;
}

test("every command of cslrun prints what the page says", { skip: !existsSync(folder) && "the site has no book" }, async () => {
  const wrong = [];
  let count = 0;
  for (const chapter of chapters()) {
    await opened(chapter);
    const samples = await page.evaluate(() => fetch("../assets/gallery.json").then((response) => response.json()));
    const shown = await page.locator("figure[data-command^='cslrun ']").evaluateAll((figures) =>
      figures.map((one) => [one.dataset.command, one.querySelector("pre.console code").textContent.split("\n").slice(1).join("\n")]));
    for (const [command, text] of shown) {
      count += 1;
      const perform = async ([words, files]) => window.cslrun.perform(words, files);
      const { stdout, stderr } = await page.evaluate(perform, [command.split(" ").slice(1), programs(samples)]);
      if ((stdout + stderr).trimEnd() !== text.trimEnd()) wrong.push({ chapter, command, text, stdout, stderr });
    }
  }
  assert.ok(count > 2 * chapters().length, `${count} commands`);
  assert.deepEqual(wrong, []);
});

test("an exercise fails, is repaired with its solution, and is done", { skip: !existsSync(folder) && "the site has no book" }, async () => {
  const wrong = [];
  let count = 0;
  for (const chapter of [...chapters(), ...lessons()]) {
    await opened(chapter);
    const ids = await page.locator("section.exercise:has(.listing-editor)").evaluateAll((list) => list.map((one) => one.dataset.exercise));
    for (const id of ids) {
      count += 1;
      const solution = solutionOf(chapter, id);
      const section = page.locator(`#exercise-${id}`);
      const check = async () => {
        await section.locator("button", { hasText: "Check" }).click();
        await section.locator(".listing-output pre, .listing-output p").first().waitFor();
        await section.locator("button:text-is('Stop')").waitFor({ state: "hidden" });
        return section.locator(".listing-output").textContent();
      };
      if ((await check()).startsWith("Done")) wrong.push(`${id} is done before it is repaired`);
      for (const editor of await section.locator(".listing-editor").all()) {
        const name = await editor.locator(".cm-content").getAttribute("aria-label").then((label) => label.split(", ")[1]);
        await editor.locator(".cm-content").click();
        await page.keyboard.press("Control+a");
        await page.keyboard.insertText(solution[name]);
      }
      const said = await check();
      if (!said.startsWith("Done")) wrong.push(`${id}: ${said}`);
    }
  }
  assert.ok(count > chapters().length + lessons().length, `${count} exercises`);
  assert.deepEqual(wrong, []);
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem("cslrun-book-done")));
  assert.equal(kept.length, count);
});

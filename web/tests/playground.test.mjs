// The playground in Chromium, as a user meets it.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, beforeEach, afterEach, test } from "node:test";
import { browser, isQuick, loaded, playground, served, write } from "./harness.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const ENDLESS = `task main() void { var i: u32 = 0; while (true) { i += 1; } }
comptime { const id = @get_local_task_id(8); @bind_local_task(main, id); @activate(id); }
`;

let chromium, server, context, page, faults;

before(async () => {
  server = await served();
  chromium = await browser();
});

after(async () => {
  await chromium.close();
  server.close();
});

beforeEach(async () => {
  context = await chromium.newContext({ viewport: { width: 1280, height: 800 } });
  await context.grantPermissions(["clipboard-write", "clipboard-read"]);
  ({ page, faults } = await playground(context, `${server.url}/play/`));
});

afterEach(async () => {
  await context.close();
  assert.deepEqual(faults.map(String), []);
});

const status = () => page.textContent("#status");
const finished = () => page.waitForFunction(() => /^(done|the program|the run|stopped|there is no)/.test(document.querySelector("#status").textContent));

test("the first program runs with Ctrl + Enter and shows what it prints", async () => {
  await page.click(".cm-content");
  await page.keyboard.press("Control+Enter");
  await finished();
  assert.match(await page.textContent("#output"), /^y = \[/);
  assert.match(await status(), /^done, about \d+ cycles/);
});

test("an error is shown under the text while the user types, and goes when it is repaired", async () => {
  await page.click(".cm-content");
  await page.keyboard.press("Control+Home");
  await page.keyboard.insertText("comptime { const n: u16 = 70000; }\n");
  await page.waitForSelector(".cm-lintRange-error");
  await page.waitForFunction(() => document.querySelector("#problem-count").textContent.startsWith("1 error"));
  assert.match(await page.textContent("#problems li"), /axpy\.csl:1/);
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => document.querySelector("#problem-count").textContent === "No problems found.");
  assert.equal(await page.locator(".cm-lintRange-error").count(), 0);
});

test("a name of a DSD shows its picture, a builtin what it does", { skip: isQuick }, async () => {
  await page.locator(".cm-line span", { hasText: "@fmacs" }).first().hover();
  await page.waitForSelector(".hover");
  assert.match(await page.textContent(".hover"), /@fmacs/);
  await page.mouse.move(5, 5);
  await page.waitForSelector(".hover", { state: "detached" });
  const line = page.locator(".cm-line", { hasText: "const all_of_x" }).first();
  const box = await line.boundingBox();
  await page.mouse.move(box.x + 60, box.y + box.height / 2);
  await page.waitForSelector(".hover img.picture");
});

test("the DSD at the cursor is drawn beside the code", { skip: isQuick }, async () => {
  await page.click("#tab-dsds");
  await page.locator(".cm-line", { hasText: "const all_of_x" }).first().click();
  await page.waitForFunction(() => document.querySelectorAll("#dsds .dsd").length === 1);
  assert.match(await page.textContent("#dsds .dsd h3"), /^all_of_x/);
  const size = await page.locator("#dsds img").evaluate((image) => image.decode().then(() => image.naturalWidth));
  assert.ok(size > 100);
});

test("a variable is read by a click, as a table and as a picture", { skip: isQuick }, async () => {
  await page.goto(`${server.url}/play/?example=examples/05-reduction`);
  await loaded(page);
  await page.fill("#args", "");
  await page.click("#tab-arrays");
  await page.click("#arrays .chip >> nth=0");
  await finished();
  assert.match(await page.inputValue("#args"), /^--get /);
  await page.waitForSelector("#arrays canvas");
  assert.equal(await page.locator("#arrays table").count(), 5);
});

test("a link opens the same program with the same result", async () => {
  await page.fill("#args", "--param a=-3.0 --get y");
  await page.click("#run");
  await finished();
  const before = await page.textContent("#output");
  await page.click("#share");
  await page.waitForSelector("#notice:not([hidden])");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, page.url());
  const other = await chromium.newContext();
  const { page: opened } = await playground(other, link);
  await opened.click("#run");
  await opened.waitForFunction(() => document.querySelector("#status").textContent.startsWith("done"));
  assert.equal(await opened.textContent("#output"), before);
  await other.close();
});

test("a broken link says so, and the playground works", async () => {
  for (const [hash, words] of [["#p1=AAAA", /damaged/], ["#p9=x", /newer/], ["#p1=q1YqLU5NTs1LUbKqBQA", /damaged|program/]]) {
    await page.goto("about:blank");
    await page.goto(`${server.url}/play/${hash}`);
    await loaded(page);
    assert.match(await page.textContent("#notice"), words);
    await page.click("#run");
    await finished();
  }
});

test("an endless loop is stopped at once, and ends by itself at a limit", async () => {
  await write(page, ENDLESS);
  await page.fill("#args", "");
  await page.click("#run");
  await page.waitForSelector("#stop:not([hidden])");
  await page.waitForTimeout(300);
  await page.click("#stop");
  await page.waitForFunction(() => document.querySelector("#status").textContent.startsWith("stopped"));
  await page.fill("#args", "--max-cycles 10000");
  await page.click("#run");
  await page.waitForFunction(() => document.querySelector("#status").textContent.startsWith("the program is stuck"));
  assert.match(await page.textContent("#output"), /10,000 cycles/);
});

test("a program that does not fit is refused before it runs", { skip: isQuick }, async () => {
  const layout = `layout { @set_rectangle(250, 250);
  for (@range(u16, 250)) |x| { for (@range(u16, 250)) |y| { @set_tile_code(x, y, "pe.csl", .{}); } } }`;
  const pe = "var x = @zeros([20000]u16); task main() void { x[0] = 1; }\n" + ENDLESS.slice(ENDLESS.indexOf("comptime"));
  await page.evaluate(([layout, pe]) => {
    window.playground.load({ files: { "layout.csl": layout, "pe.csl": pe }, root: "layout.csl", arch: "wse2", args: "" });
  }, [layout, pe]);
  await page.click("#run");
  await finished();
  assert.match(await page.textContent("#output"), /wafer-too-large/);
});

test("a fault of cslrun is told, and the next run works", { skip: isQuick }, async () => {
  const before = await page.evaluate(() => window.playground.project.files["axpy.csl"]);
  await page.fill("#args", "");
  const deep = "fn f(n: i32) i32 { if (n == 0) { return 0; } return 1 + f(n - 1); }\ncomptime { @comptime_assert(f(5000) == 5000); }\n";
  await write(page, deep + before);
  await page.click("#run");
  await page.waitForSelector("#notice:not([hidden])");
  assert.match(await page.textContent("#notice"), /nested too deeply for a browser\. It has been started again/);
  await write(page, before);
  await page.waitForFunction(() => document.querySelector("#problem-count").textContent === "No problems found.");
  await page.click("#run");
  await page.waitForFunction(() => document.querySelector("#status").textContent.startsWith("done"));
});

test("texts of a program are shown as they are, never as HTML", async () => {
  const name = "<img src=x onerror=alert(1)>";
  page.on("dialog", (dialog) => assert.fail(dialog.message()));
  await write(page, `// ${name}\nconst a = "${name}"; comptime { @comptime_assert(false, "${name}"); }\n`);
  await page.fill("#args", "");
  await page.click("#run");
  await finished();
  assert.match(await page.textContent("#output"), /<img src=x/);
  assert.equal(await page.locator('img[src="x"]').count(), 0);
});

test("the wafer of 16 x 16 PEs is played to its end", { skip: isQuick }, async () => {
  const layout = `const c = @get_color(1);
layout {
  @set_rectangle(16, 16);
  for (@range(u16, 16)) |y| { for (@range(u16, 16)) |x| {
    @set_tile_code(x, y, "pe.csl", .{ .is_first = x == 0, .is_last = x == 15, .out = c });
    if (x == 0) { @set_color_config(x, y, c, .{ .routes = .{ .rx = .{RAMP}, .tx = .{EAST} } }); }
    else { if (x == 15) { @set_color_config(x, y, c, .{ .routes = .{ .rx = .{WEST}, .tx = .{RAMP} } }); }
    else { @set_color_config(x, y, c, .{ .routes = .{ .rx = .{WEST}, .tx = .{EAST} } }); } }
  } }
}
`;
  const pe = `param is_first: bool; param is_last: bool; param out: color;
var x = @zeros([4]u32);
const mem = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> x[i] });
const from = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = out, .input_queue = @get_input_queue(2) });
const to = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = out, .output_queue = @get_output_queue(2) });
const id = @get_local_task_id(8);
task main() void {
  if (is_first) { @mov32(to, mem, .{ .async = true }); }
  if (is_last) { @mov32(mem, from, .{ .async = true }); }
}
comptime { @bind_local_task(main, id); @activate(id); }
`;
  await page.evaluate(([layout, pe]) => {
    window.playground.load({ files: { "layout.csl": layout, "pe.csl": pe }, root: "layout.csl", arch: "wse2", args: "" });
  }, [layout, pe]);
  await page.click("#run");
  await finished();
  assert.match(await status(), /^done/, await page.textContent("#output"));
  await page.click("#tab-report");
  const frame = page.frameLocator("#report iframe");
  await frame.locator("#wafer").waitFor();
  await frame.locator("#speed").selectOption("500");
  await frame.locator("#first").click();
  await frame.locator("#play").click();
  const end = Number((await frame.locator("#cycle").getAttribute("max")) ?? 0);
  assert.ok(end > 10, `${end} cycles`);
  await page.waitForFunction((end) => true, end);
  const cycle = frame.locator("#cycle");
  for (let i = 0; i < 200 && Number(await cycle.inputValue()) < end; i += 1) await page.waitForTimeout(50);
  assert.equal(Number(await cycle.inputValue()), end);
});

test("the profile of a run is shown", { skip: isQuick }, async () => {
  await page.click("#run");
  await finished();
  await page.click("#tab-profile");
  await page.frameLocator("#profile iframe").locator("#title").waitFor();
});

test("after the first visit the page works without a network", { skip: isQuick }, async () => {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(async () => (await caches.keys()).length === 1 && navigator.serviceWorker.controller !== null);
  server.state.isOnline = false;
  try {
    await page.reload();
    await loaded(page);
    await page.click("#run");
    await finished();
    assert.match(await status(), /^done/);
  } finally {
    server.state.isOnline = true;
  }
});

test("the gallery is searched and opened by keyboard", { skip: isQuick }, async () => {
  await page.focus("#examples");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#gallery[open] .card");
  await page.keyboard.type("wavefront");
  await page.waitForFunction(() => document.querySelectorAll("#gallery .card").length === 1);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll("#files [role=tab]").length === 2);
});

for (const [name, options] of [["light", {}], ["dark", { colorScheme: "dark" }], ["phone", { viewport: { width: 390, height: 844 }, hasTouch: true }]]) {
  test(`axe finds no serious fault (${name})`, { skip: isQuick }, async () => {
    const other = await chromium.newContext(options);
    const { page: shown } = await playground(other, `${server.url}/play/?example=examples/05-reduction`);
    await shown.click("#run");
    await shown.waitForFunction(() => document.querySelector("#status").textContent.startsWith("done"));
    for (const tab of ["output", "arrays", "dsds", "report"]) {
      await shown.click(`#tab-${tab}`);
      await shown.waitForTimeout(200);
      await shown.addScriptTag({ path: axe });
      const { violations } = await shown.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 120))]), [], tab);
    }
    const wide = await shown.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${wide} px too wide`);
    await other.close();
  });
}

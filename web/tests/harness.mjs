// A browser and a server for the tests of the site.

import { spawnSync } from "node:child_process";
import { createReadStream, existsSync, mkdtempSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";
import { Answers } from "./answers.mjs";

const TYPES = {
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml",
};

/** The folder that scripts/site has built, and the command with which it is compared. */
export const site = process.env.SITE;
export const command = process.env.CSLRUN;

/** The process that answers for cslrun, if the site was built without WebAssembly; such a site gets fewer tests. */
export const answer = process.env.ANSWER;

/** Why a test is left out there. */
export const isQuick = answer !== undefined && "scripts/site --test does it";

/** Serves the folder like `python3 -m http.server`; it can be taken off the network. */
export async function served() {
  const state = { isOnline: true };
  const answers = new Answers(answer);
  const server = createServer((request, response) => {
    if (!state.isOnline) return request.socket.destroy();
    if (answer !== undefined && request.method === "POST") return answers.answer(request, response);
    let path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    if (path.endsWith("/")) path += "index.html";
    const file = join(site, path);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  const close = () => {
    answers.close();
    server.close();
  };
  return { url, state, close };
}

/** Debian's Chromium, which asks nobody on the network for anything. */
export function browser() {
  return chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync",
    ],
  });
}

/** Opens the playground and waits until cslrun is there. Whatever goes wrong in the page fails the test. */
export async function playground(context, url) {
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(error));
  await page.goto(url);
  await loaded(page);
  return { page, faults };
}

/** Waits until the page has loaded cslrun and has checked the program. */
export async function loaded(page) {
  await page.waitForSelector("body[aria-busy=false]", { timeout: 60_000 });
}

/** Replaces the text of the editor. */
export async function write(page, text) {
  await page.evaluate((text) => {
    const { view } = window.playground.editor;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  }, text);
}

/** What the native command prints for a program: stdout, stderr, exit status. */
export function native(words, files) {
  const folder = mkdtempSync(join(tmpdir(), "cslrun-site-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const env = { ...process.env, CSLRUN_FLAGS: "" };
  const done = spawnSync(command, words, { cwd: folder, env, encoding: "utf8", maxBuffer: 1 << 28 });
  rmSync(folder, { recursive: true });
  return { exit: done.status, stdout: done.stdout, stderr: done.stderr };
}

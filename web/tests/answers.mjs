// Processes that answer for cslrun where a page has no WebAssembly: one for each worker.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Answers the requests of pages that were built with `--native`. */
export class Answers {
  #processes = new Map();

  constructor(command) {
    this.command = command;
  }

  /** Answers a request to `/assets/native/NAME`. */
  async answer(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const name = request.url.split("/").at(-1);
    const one = this.#process(name);
    // A worker that is stopped leaves its request.
    response.on("close", () => response.writableFinished || this.#end(name));
    one.child.stdin.write(`${Buffer.concat(parts)}\n`);
    const { value, done } = await one.lines.next();
    response.writeHead(done ? 500 : 200, { "Content-Type": "application/json" }).end(value ?? "");
  }

  close() {
    for (const name of [...this.#processes.keys()]) this.#end(name);
  }

  #process(name) {
    const known = this.#processes.get(name);
    if (known !== undefined) return known;
    const child = spawn(this.command, { stdio: ["pipe", "pipe", "inherit"] });
    const one = { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
    this.#processes.set(name, one);
    return one;
  }

  #end(name) {
    this.#processes.get(name)?.child.kill("SIGKILL");
    this.#processes.delete(name);
  }
}

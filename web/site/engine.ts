// A worker with cslrun, as the page sees it: it can be stopped at once, and starts again after a fault.

import type { Asked, DsdPicture, Files, Performed, Told, WaferShape } from "./protocol";

/** Why a call has no result: it was stopped, cslrun refused it, or cslrun failed. */
export class Failure extends Error {
  constructor(readonly kind: "stopped" | "refused" | "fault", words: string) {
    super(words);
  }
}

interface Pending {
  resolve(result: unknown): void;
  reject(why: Failure): void;
}

/** A worker that holds more than this after a run is replaced by a new one. */
const MOST_BYTES = 512 << 20;

const base = new URL("./", import.meta.url);
let compiled: Promise<WebAssembly.Module> | undefined;

/** The compiled cslrun, loaded once for a page. */
function loaded(): Promise<WebAssembly.Module> {
  compiled ??= (async () => {
    const response = await fetch(new URL("cslrun.wasm.bin", base));
    if (!response.ok || response.body === null) throw new Error(`cslrun cannot be loaded: ${response.status}`);
    // It is compressed whatever the server does: any server will do.
    const unpacked = response.body.pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compileStreaming(new Response(unpacked, { headers: { "Content-Type": "application/wasm" } }));
  })();
  return compiled;
}

/** One worker, replaced when it is stopped or fails. */
export class Engine {
  #worker: Worker | undefined;
  #pending = new Map<number, Pending>();
  #count = 0;

  /** Called with what is said about a fault, after the worker was replaced. */
  onFault: (words: string) => void = () => {};

  /** Called when there is a new worker, which has forgotten everything. */
  onRestart: () => void = () => {};

  /** Loads everything that the first call needs. */
  async ready(): Promise<void> {
    const module = await loaded();
    this.#worker ??= this.#started(module);
  }

  /** Whether something is under way. */
  get isBusy(): boolean {
    return this.#pending.size > 0;
  }

  /** Does what a command line asks for: the words after `cslrun`. */
  perform(words: string[], files: Files): Promise<Performed> {
    return this.call({ do: "run", words, files }) as Promise<Performed>;
  }

  /** The DSDs of a program. */
  dsds(words: string[], files: Files): Promise<DsdPicture[]> {
    return this.call({ do: "dsds", words, files }) as Promise<DsdPicture[]>;
  }

  /** The wafer of a program. */
  wafer(words: string[], files: Files): Promise<WaferShape> {
    return this.call({ do: "wafer", words, files }) as Promise<WaferShape>;
  }

  /** Sends a request of web/src/request.rs. */
  async call(request: object): Promise<unknown> {
    await this.ready();
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send({ kind: "call", id, request });
    });
  }

  /** Ends what is under way, at once. */
  stop(): void {
    if (this.isBusy) this.#replace(new Failure("stopped", "stopped"));
  }

  #send(message: Asked): void {
    this.#worker?.postMessage(message);
  }

  #started(module: WebAssembly.Module): Worker {
    const worker = new Worker(new URL("worker.js", base), { type: "module", name: "cslrun" });
    worker.onmessage = (event: MessageEvent<Told>) => this.#take(event.data);
    worker.onerror = (event) => this.#fail(event.message || "the worker has ended");
    worker.postMessage({ kind: "start", module } satisfies Asked);
    return worker;
  }

  #take(told: Told): void {
    const pending = this.#pending.get(told.id);
    this.#pending.delete(told.id);
    switch (told.kind) {
      case "done":
        pending?.resolve(told.result);
        if (told.bytes > MOST_BYTES && !this.isBusy) this.#replace(new Failure("stopped", "stopped"));
        break;
      case "refused":
        pending?.reject(new Failure("refused", told.words));
        break;
      case "fault":
        pending?.reject(new Failure("fault", told.words));
        this.#fail(told.words);
    }
  }

  #fail(words: string): void {
    this.#replace(new Failure("fault", words));
    this.onFault(words);
  }

  #replace(why: Failure): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    void loaded().then((module) => {
      this.#worker ??= this.#started(module);
      this.onRestart();
    });
    for (const one of pending) one.reject(why);
  }
}

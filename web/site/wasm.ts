// The compiled cslrun, as a function from request to answer. Used by the worker, and by Node for the gallery.

/** What `web/src/abi.rs` exports. */
interface Exports {
  memory: WebAssembly.Memory;
  room(bytes: number): number;
  answer(): number;
  text(): number;
  last_words(): number;
}

/** cslrun has ended by a fault of its own, or of the browser. Its memory is of no use any more. */
export class Fault extends Error {}

/** One instance of cslrun. */
export class Tool {
  readonly #exports: Exports;

  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
  }

  /** Bytes of memory that it holds; WebAssembly never gives any back. */
  get bytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  /** Answers a request (web/src/request.rs); throws what it refuses, or a `Fault`. */
  call(request: object): unknown {
    const { room, answer } = this.#exports;
    const text = new TextEncoder().encode(JSON.stringify(request));
    let length: number;
    try {
      const at = room(text.length);
      new Uint8Array(this.#exports.memory.buffer, at, text.length).set(text);
      length = answer();
    } catch (error) {
      throw new Fault(this.#lastWords(error));
    }
    const reply = JSON.parse(this.#read(length)) as { done: unknown; refused?: string };
    if (reply.refused !== undefined) throw new Error(reply.refused);
    return reply.done;
  }

  #read(length: number): string {
    return new TextDecoder().decode(new Uint8Array(this.#exports.memory.buffer, this.#exports.text(), length));
  }

  #lastWords(error: unknown): string {
    // The stack of a browser is smaller than that of the command.
    if (error instanceof RangeError) return "the program is nested too deeply for a browser";
    let words = "";
    try {
      words = this.#read(this.#exports.last_words());
    } catch {
      // The memory is not even good for that.
    }
    return words || String(error);
  }
}

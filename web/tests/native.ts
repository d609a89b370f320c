// In place of web/site/wasm.ts in tests that have no WebAssembly: the server of the tests asks web/examples/answer.rs.

/** As in wasm.ts; a process that ends is one. */
export class Fault extends Error {}

/** One process of the server. */
export class Tool {
  readonly #name = crypto.randomUUID();
  readonly bytes = 0;

  /** Answers a request; throws what cslrun refuses, or a `Fault`. */
  call(request: object): unknown {
    const http = new XMLHttpRequest();
    http.open("POST", new URL(`native/${this.#name}`, import.meta.url), false);
    http.send(JSON.stringify(request));
    if (http.status !== 200) throw new Fault(`the process has ended: ${http.responseText}`);
    const reply = JSON.parse(http.responseText) as { done: unknown; refused?: string };
    if (reply.refused !== undefined) throw new Error(reply.refused);
    return reply.done;
  }
}

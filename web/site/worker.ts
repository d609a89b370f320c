// A worker: one instance of cslrun, which does one thing after the other.

import { Fault, Tool } from "./wasm";
import type { Asked, Told } from "./protocol";

let tool: Tool | undefined;

function say(message: Told): void {
  postMessage(message);
}

self.onmessage = (event: MessageEvent<Asked>) => {
  const asked = event.data;
  if (asked.kind === "start") {
    tool = new Tool(asked.module);
    return;
  }
  try {
    if (tool === undefined) throw new Fault("the worker was not started");
    const result = tool.call(asked.request);
    say({ kind: "done", id: asked.id, result, bytes: tool.bytes });
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    say({ kind: error instanceof Fault ? "fault" : "refused", id: asked.id, words });
  }
};

// Files of the user: opened from the disk, and saved to it.

import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { element } from "./dom";
import { isFileName } from "./project";
import type { Files } from "./protocol";

/** What a program may have in all; more than that is no program. */
const MOST_BYTES = 4 << 20;

/** Reads `.csl` files, or a `.zip` of some; throws words for the user. */
export async function opened(list: Iterable<File>): Promise<Files> {
  const files: Files = {};
  let bytes = 0;
  for (const file of list) {
    bytes += file.size;
    if (bytes > MOST_BYTES) throw new Error("these files are too large: a program has 4 MB at most");
    const content = new Uint8Array(await file.arrayBuffer());
    if (file.name.endsWith(".zip")) Object.assign(files, ofArchive(content));
    else if (isFileName(file.name)) files[file.name] = strFromU8(content);
    else throw new Error(`${file.name} is no .csl file, and no .zip of some`);
  }
  if (Object.keys(files).length === 0) throw new Error("there is no .csl file in it");
  return files;
}

function ofArchive(content: Uint8Array): Files {
  let entries: Record<string, Uint8Array>;
  try {
    const isWanted = (file: { name: string; originalSize: number }) => isFileName(file.name) && file.originalSize < MOST_BYTES;
    entries = unzipSync(content, { filter: isWanted });
  } catch {
    throw new Error("the archive is damaged");
  }
  return Object.fromEntries(Object.entries(entries).map(([name, bytes]) => [name, strFromU8(bytes)]));
}

/** Saves a program: its one file, or an archive. */
export function save(files: Files): void {
  const named = Object.entries(files);
  const [first] = named;
  if (first !== undefined && named.length === 1) {
    download(first[0].split("/").pop() ?? first[0], new Blob([first[1]], { type: "text/plain" }));
    return;
  }
  const packed = zipSync(Object.fromEntries(named.map(([name, text]) => [name, strToU8(text)])));
  download("program.zip", new Blob([packed as BlobPart], { type: "application/zip" }));
}

/** Hands a file to the user. */
export function download(name: string, content: Blob): void {
  const link = element("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

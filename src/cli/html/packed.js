// Tables of numbers that the page holds in compressed form (packed.rs writes them).

/** The bytes behind a text in base64. */
function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Compressed bytes as they were. */
async function inflated(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Data that were packed as JSON. */
async function unpackedJson(packed) {
  return JSON.parse(new TextDecoder().decode(await inflated(packed.json)));
}

const ARRAYS = { Uint8Array, Uint16Array, Uint32Array, Int32Array, Float64Array };

/** The columns of a packed table by name, as typed arrays. */
async function unpackedTable(packed) {
  const bytes = await inflated(packed.bytes);
  const table = {};
  let at = 0;
  for (const [name, form, array, length] of packed.columns) {
    const values = new ARRAYS[array](length);
    at = READERS[form](bytes, at, values);
    table[name] = values;
  }
  return table;
}

/** Each fills `values` from the bytes at a place, and says where they end. */
const READERS = {
  numbers(bytes, at, values) {
    for (let i = 0; i < values.length; i++) {
      let byte = bytes[at++];
      let number = byte & 0x7f;
      // Multiplied, not shifted: cycles may have more than 32 bits.
      for (let unit = 128; byte > 0x7f; unit *= 128) {
        byte = bytes[at++];
        number += (byte & 0x7f) * unit;
      }
      values[i] = number;
    }
    return at;
  },
  steps(bytes, at, values) {
    let now = 0;
    for (let i = 0; i < values.length; i++) {
      let byte = bytes[at++];
      let number = byte & 0x7f;
      for (let unit = 128; byte > 0x7f; unit *= 128) {
        byte = bytes[at++];
        number += (byte & 0x7f) * unit;
      }
      now += number % 2 ? -(number + 1) / 2 : number / 2;
      values[i] = now;
    }
    return at;
  },
  planes(bytes, at, values) {
    const { length, BYTES_PER_ELEMENT } = values;
    for (let byte = 0; byte < BYTES_PER_ELEMENT; byte++) {
      const unit = 2 ** (8 * byte);
      for (let i = 0; i < length; i++) values[i] += bytes[at + i] * unit;
      at += length;
    }
    return at;
  },
};

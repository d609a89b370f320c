// Words of memory as the numbers of CSL.

const WORDS = { i32: 2, u32: 2, f32: 2, i64: 4, u64: 4 };

/** How many words an element takes. */
function wordsPer(type) {
  return WORDS[type] ?? 1;
}

/** An element as people write it; `words` begins with its lowest word. */
function showValue(type, words) {
  switch (type) {
    case "bool": return words[0] ? "true" : "false";
    case "i8": return String((words[0] << 24) >> 24);
    case "u8": return String(words[0] & 0xff);
    case "i16": return String((words[0] << 16) >> 16);
    case "i32": return String(words[0] | (words[1] << 16));
    case "u32": return String(words[0] + words[1] * 65536);
    case "i64": return String(BigInt.asIntN(64, wide(words)));
    case "u64": return String(wide(words));
    case "f16": return showFloat(short(words[0], 10, 15), half16);
    case "bf16": return showFloat(single([0, words[0]]), Math.fround);
    case "cb16": return showFloat(short(words[0], 9, 42), Math.fround);
    case "f32": return showFloat(single(words), Math.fround);
    default: return String(words[0]);
  }
}

function wide(words) {
  return words.reduceRight((sum, word) => (sum << 16n) | BigInt(word), 0n);
}

function single(words) {
  return new Float32Array(Uint32Array.of(words[0] + words[1] * 65536).buffer)[0];
}

/** A float of 16 bits, as in IEEE but for the widths of its parts. */
function short(word, fractionBits, bias) {
  const sign = word & 0x8000 ? -1 : 1;
  const largest = (1 << (15 - fractionBits)) - 1;
  const exponent = (word >> fractionBits) & largest;
  const one = 1 << fractionBits;
  const fraction = word & (one - 1);
  if (exponent === largest) return fraction ? NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** (1 - bias - fractionBits);
  return sign * (one + fraction) * 2 ** (exponent - bias - fractionBits);
}

/** The nearest number that f16 can hold, for numbers in its range. */
function half16(x) {
  if (x === 0 || !Number.isFinite(x)) return x;
  const step = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(x))), -14) - 10);
  return Math.round(x / step) * step;
}

/** The fewest digits that `round` takes to the same number. */
function showFloat(x, round) {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
  if (Object.is(x, -0)) return "-0";
  for (let digits = 1; digits < 9; digits++) {
    const text = Number(x.toPrecision(digits));
    if (round(text) === x) return String(text);
  }
  return String(Number(x.toPrecision(9)));
}

/** The payload of a wavelet as people write it, if it is known what the wavelets of its color hold. */
function payloadText(data, color, payload) {
  const type = data.payloads[color];
  const words = [payload & 0xffff, payload >>> 16];
  // Some operations send two elements of 16 bits in a wavelet.
  if (type && wordsPer(type) === 1 && words[1] !== 0 && !type.endsWith("8")) {
    return `${showValue(type, words)} and ${showValue(type, [words[1]])}`;
  }
  return type && wordsPer(type) <= 2 ? showValue(type, words) : `0x${payload.toString(16)}`;
}

// The words of a command line, as a shell splits them: blanks between words, quotes around them.

/** Splits a line into words. A quote that does not end reaches to the end of the line. */
export function split(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (const c of line) {
    if (quote !== "") {
      if (c === quote) quote = "";
      else word += c;
    } else if (c === '"' || c === "'") {
      quote = c;
      word ??= "";
    } else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + c;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** A word as it is written in a line. */
export function quoted(word: string): string {
  if (word !== "" && !/[\s"']/.test(word)) return word;
  return word.includes("'") ? `"${word}"` : `'${word}'`;
}

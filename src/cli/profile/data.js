// What the page shows: the profile, what a PE and a line can be measured by, and what the user has chosen. All cycles are
// estimates.

const data = await unpackedJson(JSON.parse(document.getElementById("data").textContent));
const profile = data.profile;
const grouped = (n) => Math.round(n).toLocaleString("en-US");
const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(part < whole / 100 ? 1 : 0)} %` : "");

/** What a PE can be at, in the order of the numbers in the data, with the color of the style sheet. */
const CLASSES = [
  ["busy", "busy", "--running"],
  ["wavelet", "waits for a wavelet", "--stalled"],
  ["room", "waits for room", "--room"],
  ["fifo", "waits for a FIFO", "--fifo"],
  ["task", "waits for a task", "--ended"],
];

/** What the heat map can show: a name, and the number of a PE. */
const MEASURES = [
  ["busy cycles", (pe) => pe.times.busy],
  ["cycles waiting for a wavelet", (pe) => pe.times.wavelet],
  ["cycles waiting for room", (pe) => pe.times.room],
  ["cycles waiting for a FIFO", (pe) => pe.times.fifo],
  ["cycles waiting for a task", (pe) => pe.times.task],
  ["idle cycles", (pe) => pe.times.idle],
  ["cycles on the critical path", (pe) => pe.path],
  ["elements", (pe) => pe.elements],
  ["tasks started", (pe) => pe.tasks],
  ["wavelets sent", (pe) => pe.sent],
  ["wavelets received", (pe) => pe.delivered],
  ["wavelets through its router", (pe) => pe.hops],
  ["fullest queue, in percent", (pe) => pe.fullest],
  ["words of memory", (pe) => pe.memory],
];

/** What can stand beside a line. */
const COLUMNS = [
  ["busy", (line) => line.busy],
  ["on the critical path", (line) => line.path],
  ["waiting for wavelets", (line) => line.wavelet],
  ["waiting for room", (line) => line.room],
  ["hidden behind code", (line) => line.hidden],
];

let chosen = null;
let chosenLine = null;

/** Busy cycles by line on the chosen PE, or on all. */
function linesOf(pe) {
  if (pe === null) {
    return profile.lines.map((line, index) => [index, line.busy]);
  }
  const sums = new Map();
  for (const slice of profile.slices.filter((slice) => slice.pe === pe)) {
    sums.set(slice.line, (sums.get(slice.line) || 0) + slice.busy);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

function lineName(line) {
  return `${profile.files[line.file].split("/").pop()}:${line.line}`;
}

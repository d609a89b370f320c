// Small pictures for the gallery: the wafer, with a color for each program, or a DSD of a program of one PE.

const COLORS = ["#2563c9", "#2f9e6b", "#e07a00", "#a33fb0", "#c62a3d", "#0b8a96", "#7a6a00", "#566274"];

/** The picture of a sample, made by cslrun; none if it does not compile or shows nothing. */
export function pictureOf(tool, { root, arch, args, files }) {
  const params = args.match(/--param[ =]\S+/g)?.join(" ").split(/[ ]/) ?? [];
  const words = [root, "--arch", arch, ...params];
  try {
    const { width, height, programs } = tool.call({ do: "wafer", words, files });
    if (width * height > 1) return wafer(width, height, programs);
    const drawn = tool.call({ do: "dsds", words, files }).find((dsd) => dsd.svg.includes("<polyline"));
    return drawn?.svg.replace(/<text x="10" y="20">[^<]*<\/text>\n?/, "");
  } catch {
    // Some programs are wrong on purpose.
    return undefined;
  }
}

function wafer(width, height, programs) {
  const cells = programs.map((program, i) => {
    const [x, y] = [(i % width) * 10, Math.floor(i / width) * 10];
    const fill = program === null ? "#e4e8ee" : COLORS[program % COLORS.length];
    return `<rect x="${x + 1}" y="${y + 1}" width="8" height="8" rx="1.5" fill="${fill}"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 ${width * 10 + 8} ${height * 10 + 8}">${cells.join("")}</svg>`;
}

// The wafer as a heat map, with the critical path over it.

let pitch = 1;
/** By place on the wafer, the number of a PE. */
const placeOf = new Map(profile.pes.map((pe, index) => [pe.y * profile.width + pe.x, index]));
const wafer = find("wafer");

function drawWafer() {
  const frame = find("wafer-frame");
  pitch = Math.min(90, Math.max(4, Math.min(frame.clientWidth / profile.width, frame.clientHeight / profile.height)));
  const context = sized(wafer, profile.width * pitch, profile.height * pitch);
  const measure = MEASURES[find("measure").value][1];
  const most = profile.pes.reduce((most, pe) => Math.max(most, measure(pe)), 1);
  const gap = pitch > 10 ? 2 : 0;
  context.fillStyle = theme["--line"];
  for (let y = 0; y < profile.height; y += 1) {
    for (let x = 0; x < profile.width; x += 1) {
      context.globalAlpha = 0.4;
      context.fillRect(x * pitch + gap, y * pitch + gap, pitch - 2 * gap, pitch - 2 * gap);
    }
  }
  profile.pes.forEach((pe, index) => {
    const value = measure(pe);
    context.globalAlpha = 1;
    context.fillStyle = theme["--panel"];
    context.fillRect(pe.x * pitch + gap, pe.y * pitch + gap, pitch - 2 * gap, pitch - 2 * gap);
    context.globalAlpha = 0.06 + (0.94 * value) / most;
    context.fillStyle = theme["--accent"];
    context.fillRect(pe.x * pitch + gap, pe.y * pitch + gap, pitch - 2 * gap, pitch - 2 * gap);
    context.globalAlpha = 1;
    if (pitch >= 44) {
      context.fillStyle = theme["--ink"];
      context.font = "11px system-ui";
      context.textAlign = "center";
      context.fillText(grouped(value), (pe.x + 0.5) * pitch, (pe.y + 0.5) * pitch + 4);
    }
    if (index === chosen) {
      context.strokeStyle = theme["--ink"];
      context.lineWidth = 2;
      context.strokeRect(pe.x * pitch + 1, pe.y * pitch + 1, pitch - 2, pitch - 2);
    }
  });
  context.globalAlpha = 1;
  if (find("show-path").checked) {
    drawPathOnWafer(context);
  }
}

/** Where the path goes from PE to PE. */
function drawPathOnWafer(context) {
  context.strokeStyle = theme["--bad"];
  context.fillStyle = theme["--bad"];
  context.lineWidth = Math.max(1.5, pitch / 22);
  const drawn = new Set();
  for (const part of profile.path.parts) {
    const key = `${part.before} ${part.pe}`;
    if (part.before === null || part.pe === null || part.before === part.pe || drawn.has(key)) {
      continue;
    }
    drawn.add(key);
    const [from, to] = [profile.pes[part.before], profile.pes[part.pe]];
    const at = (pe) => [(pe.x + 0.5) * pitch, (pe.y + 0.5) * pitch];
    context.beginPath();
    context.moveTo(...at(from));
    context.lineTo(...at(to));
    context.stroke();
    context.beginPath();
    context.arc(...at(to), Math.max(2, pitch / 14), 0, 7);
    context.fill();
  }
}

function peAt(event) {
  const box = wafer.getBoundingClientRect();
  const [x, y] = [Math.floor((event.clientX - box.left) / pitch), Math.floor((event.clientY - box.top) / pitch)];
  return [placeOf.get(y * profile.width + x) ?? null, x, y];
}

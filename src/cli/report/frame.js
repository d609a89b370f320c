// Which part of the wafer is seen: where its PEs are on the canvas, and how large.

/** What the numbers of columns and rows take at the edges. */
const MARGIN = { left: 30, top: 20, right: 6, bottom: 6 };
/** PEs are at most this far apart, in pixels: when the whole wafer is shown, and ever. */
const PITCH = { whole: 120, most: 360 };

class Frame {
  constructor(canvas, data) {
    this.canvas = canvas;
    this.data = data;
    this.pitch = 0;
    this.left = MARGIN.left;
    this.top = MARGIN.top;
  }

  /** Takes the size of the element around the canvas; what was in the middle stays there. */
  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    const isWhole = this.pitch === 0 || this.isWhole;
    const middle = this.pitch === 0 ? [0, 0] : this.placeAt(this.width / 2, this.height / 2);
    const ratio = window.devicePixelRatio || 1;
    [this.width, this.height] = [clientWidth, clientHeight];
    [this.canvas.width, this.canvas.height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    this.canvas.style.width = `${clientWidth}px`;
    this.canvas.style.height = `${clientHeight}px`;
    this.context = this.canvas.getContext("2d");
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (isWhole) return this.showWhole();
    this.show(middle, this.pitch);
  }

  /** How far apart PEs are if the whole wafer is shown. */
  wholePitch() {
    const across = (this.width - MARGIN.left - MARGIN.right) / this.data.width;
    const down = (this.height - MARGIN.top - MARGIN.bottom) / this.data.height;
    const pitch = Math.max(0.5, Math.min(PITCH.whole, across, down));
    return pitch > 8 ? Math.floor(pitch) : pitch;
  }

  get isWhole() {
    return this.pitch <= this.wholePitch() + 0.01;
  }

  showWhole() {
    this.show([this.data.width / 2, this.data.height / 2], this.wholePitch());
  }

  /** Shows the surroundings of a PE, or the PE alone. */
  showPe(pe, pitch) {
    const { width } = this.data;
    this.show([(pe % width) + 0.5, Math.floor(pe / width) + 0.5], pitch);
  }

  /** A place of the wafer, in PEs, comes into the middle. */
  show([x, y], pitch) {
    this.pitch = Math.min(PITCH.most, Math.max(this.wholePitch(), pitch));
    this.moveTo(this.width / 2 - x * this.pitch, this.height / 2 - y * this.pitch);
  }

  /** Makes PEs larger or smaller around a point of the canvas. */
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const place = this.placeAt(x, y);
    this.pitch = Math.min(PITCH.most, Math.max(this.wholePitch(), this.pitch * factor));
    this.moveTo(x - place[0] * this.pitch, y - place[1] * this.pitch);
  }

  /** Moves the wafer, as far as there is more to see. */
  moveTo(left, top) {
    const within = (start, size, low, high) => {
      const room = high - low - size;
      return room >= 0 ? low + room / 2 : Math.min(low, Math.max(low + room, start));
    };
    const { width, height } = this.data;
    this.left = within(left, width * this.pitch, MARGIN.left, this.width - MARGIN.right);
    this.top = within(top, height * this.pitch, MARGIN.top, this.height - MARGIN.bottom);
    const small = this.pitch < 14;
    this.tile = small ? this.pitch * 0.86 : Math.round(this.pitch * (this.pitch < 200 ? 0.68 : 0.76));
    Object.assign(this.canvas.dataset, { left: this.left, top: this.top, pitch: this.pitch });
  }

  moveBy(dx, dy) {
    this.moveTo(this.left + dx, this.top + dy);
  }

  /** Brings a PE into view if it is not. */
  reveal(pe) {
    const [x, y] = this.middle(pe);
    const isSeen = x > MARGIN.left && y > MARGIN.top && x < this.width - MARGIN.right && y < this.height - MARGIN.bottom;
    if (!isSeen) this.showPe(pe, this.pitch);
  }

  /** The place of the wafer at a point of the canvas, in PEs. */
  placeAt(x, y) {
    return [(x - this.left) / this.pitch, (y - this.top) / this.pitch];
  }

  /** The PE under a pointer, or -1. */
  peAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = this.placeAt(event.clientX - box.left, event.clientY - box.top).map(Math.floor);
    const { width, height } = this.data;
    return x >= 0 && y >= 0 && x < width && y < height ? y * width + x : -1;
  }

  /** The middle of a PE. */
  middle(pe) {
    const { width } = this.data;
    return [this.left + ((pe % width) + 0.5) * this.pitch, this.top + (Math.floor(pe / width) + 0.5) * this.pitch];
  }

  /** The columns and rows that can be seen: from, to (not included). */
  seen() {
    const { width, height } = this.data;
    const [x0, y0] = this.placeAt(MARGIN.left - this.pitch / 4, MARGIN.top - this.pitch / 4).map(Math.floor);
    const [x1, y1] = this.placeAt(this.width, this.height).map(Math.ceil);
    return { x0: Math.max(0, x0), y0: Math.max(0, y0), x1: Math.min(width, x1), y1: Math.min(height, y1) };
  }

  /** Whether a PE can be seen. */
  sees(pe) {
    const [x, y] = this.middle(pe);
    return x > -this.pitch && y > -this.pitch && x < this.width + this.pitch && y < this.height + this.pitch;
  }

  /** All PEs that can be seen. */
  *pes() {
    const { x0, y0, x1, y1 } = this.seen();
    for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) yield y * this.data.width + x;
  }
}

// Where one is on the page, as the end of its address: links to a cycle and a PE, and the way back.

/** `#cycle=100&pe=2,3&route=4` */
function addressOf(app) {
  const { data, pe, cycle, view } = app;
  const parts = [`cycle=${cycle}`, `pe=${pe % data.width},${Math.floor(pe / data.width)}`];
  if (view.route >= 0) parts.push(`route=${view.route}`);
  return `#${parts.join("&")}`;
}

/** What such an end of an address says; what it does not say, or says of another program, is missing. */
function placeIn(data, address) {
  const words = new URLSearchParams(address.replace(/^#/, ""));
  const number = (text) => (/^\d+$/.test(text ?? "") ? Number(text) : undefined);
  const [x, y] = (words.get("pe") ?? "").split(",").map(number);
  const place = { cycle: number(words.get("cycle")), route: number(words.get("route")) };
  if (x < data.width && y < data.height) place.pe = y * data.width + x;
  return place;
}

/** Keeps the address up to date. */
class Address {
  constructor(app) {
    this.app = app;
    this.due = null;
  }

  /** One has gone somewhere else, and may want to come back. */
  push() {
    this.write("pushState");
  }

  /** One has moved on a little; written when one stays, because browsers take few changes per second. */
  follow() {
    clearTimeout(this.due);
    this.due = setTimeout(() => this.write("replaceState"), 300);
  }

  write(how) {
    clearTimeout(this.due);
    const address = addressOf(this.app);
    if (address === location.hash) return;
    try {
      history[how](null, "", address);
    } catch {
      // A page inside of another one, such as a notebook, has no address of its own.
    }
  }
}

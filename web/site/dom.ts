// Elements of the page. Texts are always text nodes: nothing that a user or a program has written becomes HTML.

type Child = Node | string | null;

/** An element with attributes and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K, attributes: Record<string, string> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A button that does something. */
export function button(label: string, act: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

/** The element of the page with an id; it must be there. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found as T;
}

/** A picture in SVG as an image, in which no script can run. */
export function picture(svg: string, alt: string): HTMLImageElement {
  return element("img", { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt, class: "picture" });
}

/** Calls `act` after a pause without further calls. */
export function debounced(milliseconds: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };
}

// What every page of the site has: light and dark, and that it works without a network.

import { byId } from "./dom";

const THEME = "cslrun-theme";

/** The theme of the browser, or the one that the user has chosen. */
export function startTheme(): void {
  const root = document.documentElement;
  const chosen = localStorage.getItem(THEME);
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  byId("theme").addEventListener("click", () => {
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    localStorage.setItem(THEME, root.dataset.theme);
  });
}

/** After the first visit the site comes from the cache of the browser. */
export function startOffline(): void {
  if (!("serviceWorker" in navigator)) return;
  const script = new URL("../sw.js", import.meta.url);
  navigator.serviceWorker.register(script).catch(() => {
    // Without it the page works as long as there is a network.
  });
}

/** Tells assistive technology and tests whether the page is still loading. */
export function setLoading(isLoading: boolean): void {
  document.body.setAttribute("aria-busy", String(isLoading));
}

"use strict";

// The page around the text: contents, colors, keys, and which exercises are done. Nothing leaves the browser:
// what is kept is in its local storage.
(() => {
  const root = document.documentElement;
  const body = document.body;
  const find = selector => document.querySelector(selector);
  const all = selector => [...document.querySelectorAll(selector)];
  const make = (tag, options) => Object.assign(document.createElement(tag), options);

  const store = {
    get(key) {
      try { return localStorage.getItem(key); } catch (e) { return null; }
    },
    set(key, value) {
      try { localStorage.setItem(key, value); } catch (e) { /* a private window: nothing is kept */ }
    },
  };

  // Contents on a narrow screen.
  const menu = find("#menu");
  const sidebar = find("#mdbook-sidebar");
  function showContents(yes) {
    body.classList.toggle("contents-open", yes);
    menu.setAttribute("aria-expanded", String(yes));
    if (yes) (sidebar.querySelector("a.active") || sidebar.querySelector("a")).focus();
  }
  menu.addEventListener("click", () => showContents(!body.classList.contains("contents-open")));
  document.addEventListener("click", event => {
    if (!sidebar.contains(event.target) && !menu.contains(event.target)) body.classList.remove("contents-open");
  });

  // What unfolds in the contents, for the keyboard, too.
  for (const toggle of all(".chapter-fold-toggle")) {
    const item = toggle.closest("li");
    const name = toggle.parentElement.querySelector("a").textContent;
    toggle.setAttribute("role", "button");
    toggle.setAttribute("aria-label", `pages of ${name}`);
    toggle.tabIndex = 0;
    const tell = () => toggle.setAttribute("aria-expanded", String(item.classList.contains("expanded")));
    toggle.addEventListener("click", () => setTimeout(tell));
    toggle.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle.click(); }
    });
    tell();
  }

  // Colors: as the system, light, dark.
  const themes = ["", "light", "dark"];
  const themeButton = find("#theme");
  function setTheme(theme) {
    if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
    store.set("cslrun-theme", theme);
    themeButton.setAttribute("aria-label", `Colors: ${theme || "as the system"}`);
    themeButton.title = `Colors: ${theme || "as the system"} ( t )`;
  }
  const nextTheme = () => setTheme(themes[(themes.indexOf(root.dataset.theme || "") + 1) % themes.length]);
  themeButton.addEventListener("click", nextTheme);
  setTheme(root.dataset.theme || "");

  // Keys. Search has its own, in searcher.js, which asks whether they are meant for another place.
  const keys = find("#keys");
  const writes = event => event.target.matches("input, textarea, select, [contenteditable], .cm-content");
  window.mdbook_something_else_has_focus = writes;
  document.addEventListener("keydown", event => {
    if (event.altKey || event.ctrlKey || event.metaKey || writes(event) || keys.open) return;
    const step = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
    const scrolls = event.target.closest("[tabindex='0']");
    if (step && !event.shiftKey && !scrolls) {
      const link = find(`.steps a[rel="${step}"]`);
      if (link) location.href = link.href;
    } else if (event.key === "c") {
      if (getComputedStyle(menu).display === "none") (sidebar.querySelector("a.active") || sidebar.querySelector("a")).focus();
      else menu.click();
    } else if (event.key === "t") {
      nextTheme();
    } else if (event.key === "?") {
      keys.showModal();
    } else if (event.key === "Escape" && body.classList.contains("contents-open")) {
      showContents(false);
      menu.focus();
    }
  });
  find("#mdbook-searchbar-outer").addEventListener("submit", event => event.preventDefault());

  // What is wider than the page scrolls with the arrow keys.
  function makeReachable() {
    for (const box of all("main pre, .drawing, .table-wrapper")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; else box.removeAttribute("tabindex");
    }
  }
  makeReachable();
  window.addEventListener("resize", makeReachable);
  for (const part of all("main details")) part.addEventListener("toggle", makeReachable);

  // Code is copied without prompts and output.
  for (const pre of navigator.clipboard ? all("main pre") : []) {
    const command = pre.querySelector(".command");
    const text = () => (command || pre.querySelector("code")).textContent;
    const button = make("button", { className: "tool", type: "button", textContent: "Copy" });
    button.setAttribute("aria-label", command ? "Copy the command" : "Copy the code");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    pre.prepend(button);
  }

  // Exercises that are done: a list of their ids. Whoever writes it elsewhere sends the event.
  const KEY = "cslrun-book-done";
  function done() {
    try { return new Set(JSON.parse(store.get(KEY)) || []); } catch (e) { return new Set(); }
  }
  function setDone(id, yes) {
    const ids = done();
    if (yes) ids.add(id); else ids.delete(id);
    store.set(KEY, JSON.stringify([...ids].sort()));
    showDone();
  }

  for (const section of all(".exercise")) {
    const box = make("input", { type: "checkbox" });
    const label = make("label", { className: "done" });
    label.append(box, "Done");
    box.addEventListener("change", () => setDone(section.dataset.exercise, box.checked));
    section.querySelector(".solution").after(label);
  }

  function showDone() {
    const ids = done();
    for (const section of all(".exercise")) {
      const solved = ids.has(section.dataset.exercise);
      section.classList.toggle("solved", solved);
      section.querySelector(".done input").checked = solved;
    }
    let total = 0;
    let solved = 0;
    for (const link of all("#mdbook-sidebar a[href]")) {
      const page = link.getAttribute("href").match(/(?:^|\/)(lessons\/)?(\d\d)-[^/]*\.html$/);
      if (!page) continue;
      const wanted = page[1] ? [`lesson-${page[2]}`] : [`${page[2]}-a`, `${page[2]}-b`];
      if (/(?:^|\/)examples\//.test(link.getAttribute("href"))) continue;
      const here = wanted.filter(id => ids.has(id)).length;
      link.classList.toggle("solved", here === wanted.length);
      if (!page[1]) { total += wanted.length; solved += here; }
    }
    const place = find("#progress");
    if (!place) return;
    const bar = make("progress", { max: total, value: solved });
    bar.setAttribute("aria-label", "exercises that are done");
    const again = make("button", { type: "button", textContent: "Start again" });
    again.addEventListener("click", () => {
      store.set(KEY, JSON.stringify([...done()].filter(id => id.startsWith("lesson-"))));
      showDone();
    });
    place.className = "progress";
    place.replaceChildren(make("span", { textContent: `${solved} of ${total} exercises done` }), bar);
    if (solved) place.append(again);
  }
  window.addEventListener("storage", showDone);
  window.addEventListener(KEY, showDone);
  showDone();
})();

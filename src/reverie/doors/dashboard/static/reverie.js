// Keys for lists and pages, and the progress of a job. Without it every page works the same.
"use strict";
(() => {
  const rows = () => [...document.querySelectorAll("[data-row]")].filter((e) => e.offsetParent !== null);
  const typing = (e) => e.closest("input, textarea, select, [contenteditable]") !== null;
  const help = document.getElementById("help");
  let waiting = 0; // until when "g" waits for its second key

  const step = (by) => {
    const all = rows();
    if (!all.length) return;
    const now = document.activeElement;
    let at = all.indexOf(now);
    if (at < 0) { // inside a card: go on from its row
      const card = now && now.closest("[data-card]");
      at = card ? all.findIndex((e) => card.contains(e)) : -1;
    }
    const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by));
    all[next].focus();
    all[next].scrollIntoView({ block: "nearest" });
  };

  const press = (key) => {
    const card = document.activeElement && document.activeElement.closest("[data-card]");
    const all = [...(card || document).querySelectorAll(`[data-key="${CSS.escape(key)}"]`)];
    if (all.length && (card || all.length === 1)) { all[0].click(); return true; }
    return false;
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    if (typing(event.target) || (help && help.open)) return;
    const key = event.key;
    if (Date.now() < waiting) {
      waiting = 0;
      const to = document.querySelector(`[data-go="${CSS.escape(key)}"]`);
      if (to) { event.preventDefault(); to.click(); }
      return;
    }
    if (key === "g") { waiting = Date.now() + 1500; return; }
    if (key === "j" || key === "k") { event.preventDefault(); step(key === "j" ? 1 : -1); return; }
    if (key === "/") {
      const box = document.querySelector("input[type=search]");
      const to = document.querySelector('[data-go="m"]');
      if (box) { event.preventDefault(); box.focus(); box.select(); } else if (to) { event.preventDefault(); to.click(); }
      return;
    }
    if (key === "?" && help) { event.preventDefault(); help.showModal(); return; }
    if (["a", "x", "p"].includes(key) && press(key)) event.preventDefault();
  });

  for (const button of document.querySelectorAll("[data-help]")) {
    button.hidden = false;
    button.addEventListener("click", () => help.showModal());
  }
  for (const box of document.querySelectorAll("[data-select]")) box.addEventListener("focus", () => box.select());
  // A menu of namespaces closes when the focus leaves it, or with Escape.
  for (const menu of document.querySelectorAll("details.spaces")) {
    menu.addEventListener("focusout", (event) => { if (!menu.contains(event.relatedTarget)) menu.open = false; });
    menu.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { menu.open = false; menu.querySelector("summary").focus(); }
    });
  }

  const card = document.querySelector("[data-events]");
  if (card && "EventSource" in window) {
    const source = new EventSource(card.dataset.events);
    const put = (name, text) => { const e = card.querySelector(`[data-${name}]`); if (e) e.textContent = text; };
    source.onmessage = (event) => {
      const told = JSON.parse(event.data);
      put("phase", told.phase);
      put("step", told.step);
      put("moves", told.moves.toLocaleString("en"));
      const bar = card.querySelector("progress");
      if (told.of) { bar.max = told.of; bar.value = told.done; } else bar.removeAttribute("value");
      if (!told.open) { source.close(); location.reload(); }
    };
  }
})();

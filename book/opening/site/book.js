// Shared by all pages of a book: the moves on the board and the rows of the
// list point at each other, and the keyboard walks through the list. Pages
// are complete without it.
"use strict";

const rows = [...document.querySelectorAll("tr[data-class]")];
const byClass = new Map();
for (const e of document.querySelectorAll("[data-class]")) {
  const list = byClass.get(e.dataset.class) || [];
  list.push(e);
  byClass.set(e.dataset.class, list);
}

function light(name, on) {
  for (const e of byClass.get(name) || []) e.classList.toggle("lit", on);
}

for (const [name, list] of byClass) {
  for (const e of list) {
    e.addEventListener("pointerenter", () => light(name, true));
    e.addEventListener("pointerleave", () => light(name, false));
  }
}

// A move on the board that is not in the book has no page: show its row.
for (const e of document.querySelectorAll("svg g[data-class]")) {
  if (e.closest("a")) continue;
  e.addEventListener("click", () => {
    const row = rows.find((r) => r.dataset.class === e.dataset.class);
    if (row) row.scrollIntoView({ block: "nearest" });
  });
}

let at = -1;
document.addEventListener("keydown", (e) => {
  if (e.altKey || e.ctrlKey || e.metaKey || rows.length === 0) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
  if (step) {
    if (at >= 0) light(rows[at].dataset.class, false);
    at = Math.max(0, Math.min(rows.length - 1, at + step));
    light(rows[at].dataset.class, true);
    rows[at].scrollIntoView({ block: "nearest" });
    e.preventDefault();
  } else if (e.key === "Enter" && at >= 0) {
    const a = rows[at].querySelector("a");
    if (a) a.click();
  } else if (e.key === "Backspace") {
    history.back();
  }
});

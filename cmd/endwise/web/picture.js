// The board of any game that draws itself with a few shapes (engine.Picture):
// lines, circles, cells and labels, some of which are moves. Every legal one is
// a button that the mouse, a finger or the keyboard chooses; values may lie on
// them.
import {element, tag} from "./board.js";
import {Keyboard} from "./keyboard.js";

const SIDE = 1000; // the longer side of a picture, in the units of the drawing

export class PictureBoard {
  constructor(container) {
    this.container = container;
    this.keyboard = new Keyboard(move => this.choose && this.choose(move));
  }

  // show draws a view of the server; see SegmentBoard.show.
  show(view, {choose, values = {}, arrow} = {}) {
    this.choose = choose;
    const p = view.picture, scale = SIDE / Math.max(p.width, p.height);
    const focused = this.svg && this.svg.contains(document.activeElement) ? true : null;
    const svg = element("svg", {viewBox: `0 0 ${p.width * scale} ${p.height * scale}`, role: "group", class: "board picture", "aria-label": "Board"});
    const legal = new Set(view.moves), targets = [], tags = [];
    for (const s of p.shapes) {
      const value = values[s.move], last = s.move && s.move === view.last ? "lastshape" : "";
      const e = this.shape(s, scale, last, svg);
      if (!s.move || !legal.has(s.move) || !(choose || value || s.move === arrow)) continue;
      const x = scale * ("x2" in s ? (s.x + s.x2) / 2 : s.x), y = scale * ("y2" in s ? (s.y + s.y2) / 2 : s.y);
      const g = element("g", {class: `choice ${value ? value.kind : ""} ${s.move === arrow ? "arrow" : ""}`, "data-move": s.move, tabindex: -1}, svg);
      g.append(e);
      if (value) tags.push({x, y, value});
      if (choose) {
        g.setAttribute("role", "button");
        g.setAttribute("aria-label", `${s.move}${value ? `, ${value.label}` : ""}`);
      }
      targets.push({move: s.move, x, y, element: g});
    }
    this.svg = svg;
    this.container.replaceChildren(svg);
    const laid = tags.map(t => {
      const g = element("g", {class: `choice ${t.value.kind} tags`}, svg);
      return {...t, g, ...tag(t.x, t.y, t.value, g)};
    });
    // As large as there is room for them.
    let size = 1;
    laid.forEach((a, i) => laid.slice(0, i).forEach(b => {
      const room = Math.max(2 * Math.abs(a.x - b.x) / (a.width + b.width), Math.abs(a.y - b.y) / a.height);
      size = Math.max(Math.min(size, room), 0.4);
    }));
    for (const {x, y, g} of size < 1 ? laid : []) g.setAttribute("transform", `translate(${x} ${y}) scale(${size}) translate(${-x} ${-y})`);
    this.keyboard.attach(choose ? targets : [], focused);
  }

  shape(s, scale, extra, parent) {
    const k = n => n * scale, look = `shape ${s.look || ""} ${extra}`;
    switch (s.kind) {
      case "line": return element("line", {class: look, x1: k(s.x), y1: k(s.y), x2: k(s.x2), y2: k(s.y2)}, parent);
      case "circle": return element("circle", {class: look, cx: k(s.x), cy: k(s.y), r: k(s.r)}, parent);
      case "cell": return element("rect", {class: look, x: k(s.x), y: k(s.y), width: k(s.x2 - s.x), height: k(s.y2 - s.y)}, parent);
    }
    const text = element("text", {class: "label", x: k(s.x), y: k(s.y)}, parent);
    text.textContent = s.text;
    return text;
  }
}

// Draws the picture of a position (engine.Picture) as SVG. Every legal move is a
// button that the mouse, a finger or the keyboard chooses: a shape that stands
// for a move by one press, an arrow by a press on the place where it begins and
// one on the place where it ends. Values may lie on the moves. Only what is new
// is changed, so a board can be shown several times a second.
import {Keyboard} from "./keyboard.js";

const NS = "http://www.w3.org/2000/svg";
const CLEAR = 0.09; // how far a line that is pointed at ends before its corners
const k = n => Math.round(n * 1000) / 10; // from the units of a picture to those of the drawing
const at = (x, y) => `${k(x)} ${k(y)}`;

function element(name, attributes, parent) {
  const e = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  parent.append(e);
  return e;
}

// middle is the point in the middle of a shape, of an arrow where it leads.
function middle(s) {
  if (s.kind === "arrow") return [s.x2, s.y2];
  return "x2" in s ? [(s.x + s.x2) / 2, (s.y + s.y2) / 2] : [s.x, s.y];
}

// form is a shape as an SVG element: its name, attributes and text.
function form(s) {
  switch (s.kind) {
    case "line": return ["line", {x1: k(s.x), y1: k(s.y), x2: k(s.x2), y2: k(s.y2)}, ""];
    case "circle": return ["circle", {cx: k(s.x), cy: k(s.y), r: k(s.r)}, ""];
    case "cell": return ["rect", {x: k(s.x), y: k(s.y), width: k(s.x2 - s.x), height: k(s.y2 - s.y)}, ""];
    case "cross": return ["path", {d: `M${at(s.x, s.y)}L${at(s.x2, s.y2)}M${at(s.x, s.y2)}L${at(s.x2, s.y)}`}, ""];
    case "arrow": return ["path", {d: `M${at(s.x, s.y)}L${at(s.x2, s.y2)}m-30 0a30 30 0 1 0 60 0a30 30 0 1 0 -60 0`}, ""];
  }
  return ["text", {x: k(s.x), y: k(s.y)}, s.text];
}

// paint makes the children of an element the given shapes.
function paint(parent, shapes) {
  shapes.forEach((s, i) => {
    const [name, attributes, text] = form(s);
    let e = parent.children[i];
    if (!e || e.localName !== name) {
      const fresh = document.createElementNS(NS, name);
      if (e) e.replaceWith(fresh); else parent.append(fresh);
      e = fresh;
    }
    attributes.class = s.look || s.kind;
    for (const [key, value] of Object.entries(attributes)) if (e.getAttribute(key) !== String(value)) e.setAttribute(key, value);
    if (e.textContent !== text) e.textContent = text;
  });
  while (parent.children.length > shapes.length) parent.lastChild.remove();
}

// best is the better one of two values, either of which may be missing.
const best = (a, b) => !a || b && b.value.score > a.value.score ? b : a;

export class Board {
  constructor(container) {
    const svg = document.createElementNS(NS, "svg");
    svg.setAttribute("class", "board");
    svg.setAttribute("aria-label", "Board");
    this.svg = svg;
    this.base = element("g", {}, svg);
    this.layer = element("g", {}, svg);
    this.keyboard = new Keyboard();
    this.picked = null; // the place where the arrows begin that can be chosen now
    container.replaceChildren(svg);
  }

  // show draws a view of the server. choose, where given, is called with the
  // move that was chosen; values maps moves to what site.js says of each in
  // losses; arrow is a move to point out.
  show(view, {choose, values = {}, arrow} = {}) {
    if (this.view !== view) this.picked = null;
    Object.assign(this, {view, choose, values, arrow});
    this.render();
  }

  render() {
    const {picture} = this.view;
    this.svg.setAttribute("viewBox", `0 0 ${k(picture.width)} ${k(picture.height)}`);
    this.svg.setAttribute("role", this.choose ? "group" : "img");
    paint(this.base, picture.shapes.filter(s => s.kind !== "arrow"));
    const focused = this.layer.contains(document.activeElement);
    const pointed = picture.shapes.filter(s => s.kind === "arrow" && s.move === this.arrow);
    paint(this.layer, pointed.map(s => ({...s, look: "arrow"})));
    const targets = this.targets().filter(t => this.choose || t.value || t.move === this.arrow);
    for (const t of targets) this.lay(t);
    fit(targets.filter(t => t.value).map(t => tag(t)));
    this.keyboard.attach(this.choose ? targets : [], focused);
  }

  // targets are the places on the board that stand for moves now. With a place
  // picked these are the ends of its arrows and the other places where arrows
  // begin, before that those alone, each with the value of its best move.
  targets() {
    const legal = new Set(this.view.moves), {shapes} = this.view.picture;
    const moves = shapes.filter(s => s.move && legal.has(s.move));
    const out = moves.filter(s => s.kind !== "arrow").map(s => this.target(s, s));
    const places = new Map();
    for (const s of shapes) if (s.name && s.kind !== "arrow") places.set(at(...middle(s)), s);
    const ends = new Map(), begins = new Map();
    for (const arrow of moves.filter(s => s.kind === "arrow")) {
      const from = at(arrow.x, arrow.y), to = at(arrow.x2, arrow.y2);
      if (from === this.picked) ends.set(to, this.target(places.get(to), arrow));
      const begin = begins.get(from) || this.target(places.get(from), {name: places.get(from).name});
      if (this.picked === null) begin.value = best(begin.value, this.values[arrow.move]);
      begin.press = () => this.pick(from);
      begin.picked = from === this.picked;
      begins.set(from, begin);
    }
    return [...out, ...begins.values(), ...ends.values()];
  }

  // target is a shape that can be pressed for a move, or for a place, which has
  // a name and no move.
  target(shape, {kind, look, move, name}) {
    const [x, y] = middle(shape).map(k);
    return {shape, x, y, move, name: name || move, value: this.values[move], reach: kind === "arrow" && this.choose ? look : "", press: () => this.choose(move)};
  }

  pick(place) {
    this.picked = this.picked === place ? null : place;
    this.render();
  }

  // lay puts a target on the board.
  lay(t) {
    const words = ["choice", t.value ? t.value.kind : "", t.move && t.move === this.arrow ? "arrow" : "", t.picked ? "picked" : ""];
    const g = t.element = element("g", {class: words.filter(Boolean).join(" "), "data-move": t.move || t.name, tabindex: -1}, this.layer);
    const {x, y, shape} = t;
    if (shape.kind === "line") {
      const dx = CLEAR * (shape.x2 - shape.x), dy = CLEAR * (shape.y2 - shape.y), half = k(Math.hypot(shape.x2 - shape.x, shape.y2 - shape.y)) / 2;
      element("path", {class: "hit", d: `M${x - half} ${y}l${half} ${-half}l${half} ${half}l${-half} ${half}z`}, g);
      element("line", {...form({...shape, x: shape.x + dx, y: shape.y + dy, x2: shape.x2 - dx, y2: shape.y2 - dy})[1], class: "glow"}, g);
    } else {
      const [name, attributes, text] = form(shape);
      element(name, {...attributes, class: text ? "label" : "glow"}, g).textContent = text;
    }
    if (t.reach) element("circle", {class: t.reach === "jump" ? "jump" : "target", cx: x, cy: y, r: t.reach === "jump" ? 20 : 14}, g);
    if (!this.choose) return;
    if (t.picked) g.setAttribute("aria-pressed", "true");
    g.setAttribute("role", "button");
    g.setAttribute("aria-label", `${t.name}${t.value ? `, ${t.value.label}` : ""}`);
  }
}

// tag lays the value of a target on the board, in a frame as wide as its text; on
// a cell below the middle, where a piece may be.
function tag({x, y, shape, value, element: g}) {
  const cy = y + (shape.kind === "cell" ? 26 : 0), height = 34;
  const text = element("text", {class: "tagtext", x, y: cy + 1}, g);
  text.textContent = value.text;
  const width = Math.max(34, text.getComputedTextLength() + 14);
  text.before(element("rect", {class: "tag", x: x - width / 2, y: cy - height / 2, width, height, rx: value.round ? height / 2 : 4}, g));
  return {x, y: cy, width, height, parts: [text, text.previousSibling]};
}

// fit makes values as large as there is room for them.
function fit(tags) {
  let size = 1;
  tags.forEach((a, i) => tags.slice(0, i).forEach(b => {
    const room = Math.max(2 * Math.abs(a.x - b.x) / (a.width + b.width), Math.abs(a.y - b.y) / a.height);
    size = Math.max(Math.min(size, room), 0.4);
  }));
  if (size === 1) return;
  for (const {x, y, parts} of tags) {
    for (const e of parts) e.setAttribute("transform", `translate(${x} ${y}) scale(${size}) translate(${-x} ${-y})`);
  }
}

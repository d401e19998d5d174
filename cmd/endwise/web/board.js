// Draws the picture of a position (engine.Picture) as SVG. Every legal move is a button for
// mouse, finger or keyboard. A shape that stands for a move is pressed once; for an arrow,
// the place where it begins is pressed and then the place where it ends, or a piece is
// dragged. Values are drawn on the moves. Only changes are drawn, so a board can be updated
// several times a second, and the element under the pointer stays the same.
import {Keyboard} from "./keyboard.js";

const NS = "http://www.w3.org/2000/svg";
const CLEAR = 0.14; // distance of a highlighted line from its corners
const MISS = 0.13; // half the width of the cross on a mistake
const TOP = 3; // number of best moves with numbers
const WIDE = {"≈": 22, "−": 22, "✓": 22, ".": 8}; // widths of characters, except for digits
const EDGE = 8; // additional width of lines
const LARGEST = 170; // maximum side of a square in pixels
const k = n => Math.round(n * 1000) / 10; // converts the units of a picture to those of the drawing
const at = (x, y) => `${k(x)} ${k(y)}`;

// element creates an SVG element, in parent if given.
export function element(name, attributes, parent) {
  const e = document.createElementNS(NS, name);
  set(e, attributes);
  if (parent) parent.append(e);
  return e;
}

function set(e, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined) e.removeAttribute(key);
    else if (e.getAttribute(key) !== String(value)) e.setAttribute(key, value);
  }
}

// middle returns the middle of a shape, or the end of an arrow.
function middle(s) {
  if (s.kind === "arrow") return [s.x2, s.y2];
  return "x2" in s ? [(s.x + s.x2) / 2, (s.y + s.y2) / 2] : [s.x, s.y];
}

// form returns a shape as an SVG element: its name, attributes and text.
function form(s) {
  switch (s.kind) {
    case "line": return ["line", {x1: k(s.x), y1: k(s.y), x2: k(s.x2), y2: k(s.y2), pathLength: s.look === "last" ? 1 : undefined}, ""];
    case "circle": return ["circle", {cx: k(s.x), cy: k(s.y), r: k(s.r)}, ""];
    case "cell": return ["rect", {x: k(s.x), y: k(s.y), width: k(s.x2 - s.x), height: k(s.y2 - s.y)}, ""];
    case "cross": return ["path", {d: `M${at(s.x, s.y)}L${at(s.x2, s.y2)}M${at(s.x, s.y2)}L${at(s.x2, s.y)}`}, ""];
    case "arrow": return ["path", {d: `M${at(s.x, s.y)}L${at(s.x2, s.y2)}m-30 0a30 30 0 1 0 60 0a30 30 0 1 0 -60 0`}, ""];
  }
  return ["text", {x: k(s.x), y: k(s.y)}, s.text];
}

// arrange makes list the children of an element, in this order, without moving those that
// are in place.
function arrange(parent, children) {
  const keep = new Set(children);
  for (const e of [...parent.children]) if (!keep.has(e)) e.remove();
  children.forEach((e, i) => { if (parent.children[i] !== e) parent.insertBefore(e, parent.children[i] || null); });
}

// paint makes shapes the children of an element. New shapes on a board that was painted
// before get the class fresh.
function paint(parent, shapes) {
  const before = new Map([...parent.children].map(e => [e.key, e]));
  arrange(parent, shapes.map(s => {
    const [name, attributes, text] = form(s), key = `${s.kind} ${middle(s)} ${s.r || s.x}`, look = s.look || s.kind;
    const e = before.get(key) || element(name, {});
    const fresh = before.size > 0 && e.look !== look;
    before.delete(key);
    Object.assign(e, {key, look});
    set(e, {...attributes, class: fresh ? `${look} fresh` : look});
    if (e.textContent !== text) e.textContent = text;
    return e;
  }));
}

// best returns the better of two values, each of which may be missing.
const best = (a, b) => !a || b && b.value.score > a.value.score ? b : a;

export class Board {
  constructor(container) {
    this.svg = element("svg", {class: "board", "aria-label": "Board", tabindex: -1});
    this.base = element("g", {}, this.svg);
    this.marks = element("g", {}, this.svg);
    this.layer = element("g", {}, this.svg);
    this.lights = element("g", {}, this.svg);
    this.above = element("g", {}, this.svg);
    for (const type of ["pointerover", "pointerout", "focusin", "focusout"]) this.svg.addEventListener(type, () => this.raise());
    this.keyboard = new Keyboard(this.svg);
    this.picked = null; // the selected place, where the arrows that can be chosen begin
    this.seat = container.parentElement;
    this.small = container.classList.contains("mini");
    container.replaceChildren(this.svg);
    this.drags();
  }

  // show draws a view. choose, if given, is called with the chosen move, edit with any
  // shape that was pressed. values maps moves to the result of losses in site.js; arrow is
  // a move to point out, as proved if sure, wrong a move marked as a mistake. parts are groups
  // of moves, coloured each. fold is a list of pairs of moves that are images of each other, by
  // default the parts that are such pairs: the line between them is drawn.
  show(view, {choose, edit, values = {}, arrow, sure, wrong, parts, fold = parts?.filter(p => p.kind === "pair").map(p => p.moves)} = {}) {
    if (!choose || wrong || this.view?.position !== view.position) this.picked = null;
    Object.assign(this, {view, choose, edit, values, arrow, sure, wrong, parts, fold});
    this.render();
  }

  render() {
    const {picture} = this.view;
    set(this.svg, {role: this.choose || this.edit ? "group" : "img"});
    (this.seat.closest(".table") || this.seat).style.setProperty("--ratio", picture.width / picture.height);
    this.seat.style.setProperty("--most", `${picture.width * LARGEST}px`);
    paint(this.base, picture.shapes.filter(s => s.kind !== "arrow"));
    // A small board has no numbers at its edges (style.css) and needs no space for them.
    const {x, y, width, height} = this.small ? this.base.getBBox() : {x: EDGE, y: EDGE, width: k(picture.width) - 2 * EDGE, height: k(picture.height) - 2 * EDGE};
    set(this.svg, {viewBox: [x - EDGE, y - EDGE, width + 2 * EDGE, height + 2 * EDGE].join(" ")});
    const part = s => (this.parts || []).findIndex(p => p.moves?.includes(s.move));
    paint(this.marks, [...picture.shapes.filter(s => s.kind === "arrow" && s.move === this.arrow).map(s => ({...s, look: this.sure ? "arrow" : "arrow unsure"})),
      ...picture.shapes.filter(s => s.move && s.move === this.wrong).flatMap(s => {
        const [x, y] = middle(s);
        return [...s.kind === "arrow" ? [{...s, look: "arrow wrong"}] : [], {kind: "cross", look: "arrow wrong", x: x - MISS, y: y - MISS, x2: x + MISS, y2: y + MISS}];
      }),
      ...picture.shapes.filter(s => s.kind === "line" && part(s) >= 0).map(s => ({...s, look: `part part${part(s) % 4}`})), ...folds(picture.shapes, this.fold)]);
    const focused = this.svg.contains(document.activeElement), before = new Map([...this.layer.children].map(g => [g.key, g]));
    const targets = this.targets().filter(t => this.choose || this.edit || t.value || t.move === this.arrow || t.move === this.wrong);
    const ranked = targets.filter(t => t.value && t.value.text && !t.value.twin).sort((a, b) => b.value.value.score - a.value.value.score);
    // The best moves show their numbers; moves of equal value all or not at all. Of too many
    // equally good ones only the one that is pointed out has a mark.
    const cut = ranked[TOP]?.value.text, first = m => this.view.twins?.[m] || m;
    const differ = ranked.length === 1 || ranked.some(t => t.value.text !== ranked[0].value.text);
    const top = new Set(!differ ? [] : cut !== undefined && cut === ranked[0].value.text ? ranked.filter(t => this.arrow && first(t.value.value.move) === first(this.arrow)) :
      ranked.slice(0, TOP).filter(({value: {text}}) => text !== cut));
    arrange(this.layer, targets.map(t => this.lay(t, before, top.has(t))));
    fit(targets);
    this.light("");
    this.raise();
    this.keyboard.attach(this.choose || this.edit ? targets : [], focused);
  }

  // alike reports whether m is equivalent to move, or begins at the place with that name.
  alike(m, move) {
    const first = m => this.view.twins?.[m] || m, place = move.match(/[^>](\(\d,\d\))$/);
    return first(m) === first(move) || Boolean(place) && m.startsWith(`${place[1]}->`);
  }

  // light points out a move and its equivalent ones, "" for none. Of a move that was played
  // with a piece these are its two places.
  light(move) {
    const {picture: {shapes}} = this.view, of = shapes.filter(s => s.move && this.alike(s.move, move));
    const places = move.match(/\(\d,\d\)/g) || [], found = of.length > 0 ? of : shapes.filter(s => s.kind === "cell" && places.some(p => s.name?.includes(p)));
    this.lights.replaceChildren(...found.map(s => {
      const [name, {pathLength, ...attributes}] = form(s.kind === "line" ? clear(s) : s);
      return element(name, {...attributes, class: "lit"});
    }));
  }

  // raise draws the number of the move under the pointer or with the focus again, above all
  // lines.
  raise() {
    const g = this.layer.querySelector(".choice:hover") || !document.body.classList.contains("mouse") && this.layer.querySelector(".choice:focus-visible");
    set(this.above, {class: `raised ${g?.kind || ""}`});
    this.above.replaceChildren(...(g?.tag || []).map(e => e.cloneNode(true)));
  }

  // targets returns the places on the board that stand for moves: without a selected place,
  // the places where arrows begin; with one, the ends of its arrows too. Each has the value
  // of its best move.
  targets() {
    const {shapes} = this.view.picture;
    if (this.edit) {
      // An owned square lies above the ends of its lines.
      const owned = shapes.filter(s => /^owned/.test(s.look) && s.kind === "cell").map(s => this.target(inset(s, 0.25), {name: `captured square in column ${Math.floor(s.x)}, row ${Math.floor(s.y)}`}, () => this.edit(s)));
      return [...shapes.filter(s => s.kind === "line" || s.name && s.kind === "cell").map(s => this.target(s, s, () => this.edit(s))), ...owned];
    }
    const legal = new Set(this.view.moves), moves = shapes.filter(s => s.move && legal.has(s.move));
    const out = moves.filter(s => s.kind !== "arrow").map(s => this.target(s, s));
    const places = new Map();
    for (const s of shapes) if (s.name && s.kind !== "arrow") places.set(at(...middle(s)), s);
    const ends = new Map(), begins = new Map();
    for (const arrow of moves.filter(s => s.kind === "arrow")) {
      const from = at(arrow.x, arrow.y), to = at(arrow.x2, arrow.y2);
      if (from === this.picked) ends.set(to, this.target(places.get(to), arrow));
      const begin = begins.get(from) || this.target(places.get(from), {name: places.get(from).name}, () => this.pick(from));
      if (this.picked === null) begin.value = best(begin.value, this.values[arrow.move]);
      begin.from = from;
      begin.picked = from === this.picked;
      begins.set(from, begin);
    }
    return [...out, ...begins.values(), ...ends.values()];
  }

  // target returns a shape that can be pressed for a move, or for a place, which has a name
  // and no move.
  target(shape, {kind, look, move, name}, press = () => this.choose(move)) {
    const [x, y] = middle(shape).map(k);
    return {shape, x, y, move, name: name || move, value: this.values[move], reach: kind === "arrow" && this.choose ? look : "", press};
  }

  pick(place) {
    this.picked = this.picked === place ? null : place;
    this.render();
  }

  // lay creates or updates the group of a target.
  lay(t, before, top) {
    const {x, y, shape, value} = t, key = `${t.move || t.name} ${x} ${y} ${t.reach}`;
    const g = t.element = before.get(key) || this.group(t);
    Object.assign(g, {key, target: t});
    const words = ["choice", value && value.kind, value && value.twin && "twin", top && "top", t.move && t.move === this.arrow && (this.sure ? "arrow" : "arrow unsure"), t.move && t.move === this.wrong && "wrong", t.picked && "picked", t.from && "from"];
    const live = this.choose || this.edit;
    set(g, {
      class: words.filter(Boolean).join(" "), "data-move": t.move || t.name, role: live ? "button" : undefined, "aria-pressed": live && t.picked ? "true" : undefined,
      "aria-label": live ? `${t.name}${value ? `, ${/\d/.test(value.text) ? `${value.text}: ` : ""}${value.label}` : ""}` : undefined, tabindex: live ? g.getAttribute("tabindex") || -1 : undefined,
    });
    const text = value && value.text || "";
    const kind = value && value.kind;
    if (g.text === text && g.kind === kind) return g;
    for (const e of [g.worth, ...(g.tag || [])]) if (e) e.remove();
    Object.assign(g, {text, kind});
    g.worth = value && this.worth(shape, g);
    g.tag = text && tag(t);
    return g;
  }

  group({x, y, shape, reach}) {
    const g = element("g", {tabindex: -1});
    if (shape.kind === "line") {
      const half = k(Math.hypot(shape.x2 - shape.x, shape.y2 - shape.y)) / 2;
      element("path", {class: "hit", d: `M${x - half} ${y}l${half} ${-half}l${half} ${half}l${-half} ${half}z`}, g);
      element("line", {...form(clear(shape))[1], class: "glow"}, g);
    } else {
      const [name, attributes, text] = form(shape);
      element(name, {...attributes, class: text ? "label" : "glow"}, g).textContent = text;
    }
    if (reach) element("circle", {class: reach === "jump" ? "jump" : "target", cx: x, cy: y, r: reach === "jump" ? 20 : 14}, g);
    return g;
  }

  // worth draws the shape of a move again in the colour of its value.
  worth(shape, g) {
    if (shape.kind === "label" || !/best|some|much/.test(g.target.value.kind)) return null;
    const [name, {pathLength, ...attributes}] = form(shape.kind === "line" ? clear(shape) : shape.kind === "cell" ? inset(shape, 0.1) : shape);
    return element(name, {...attributes, class: "worthline"}, g);
  }

  // drags lets a piece be dragged to its destination.
  drags() {
    let ghost = null, from = null;
    const under = event => document.elementFromPoint(event.clientX, event.clientY)?.closest(".choice")?.target;
    this.svg.addEventListener("pointerdown", event => {
      const t = event.target.closest(".choice")?.target;
      if (!this.choose || !t || !t.from) return;
      from = {t, x: event.clientX, y: event.clientY};
    });
    this.svg.addEventListener("pointermove", event => {
      if (!from) return;
      if (!ghost && Math.hypot(event.clientX - from.x, event.clientY - from.y) > 8) {
        if (this.picked !== from.t.from) this.pick(from.t.from);
        const piece = [...this.base.children].find(e => /^piece/.test(e.look) && e.key.startsWith(`${e.localName === "rect" ? "cell" : e.localName} ${middle(from.t.shape)}`));
        ghost = piece ? this.svg.appendChild(piece.cloneNode()) : element("g", {}, this.svg);
        ghost.classList.add("ghost");
        this.svg.setPointerCapture(event.pointerId);
      }
      if (!ghost) return;
      const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
      ghost.setAttribute("transform", `translate(${p.x - from.t.x} ${p.y - from.t.y})`);
    });
    const end = event => {
      if (ghost) {
        ghost.remove();
        const t = under(event);
        if (t && t.move && event.type === "pointerup") t.press();
      }
      ghost = from = null;
    };
    this.svg.addEventListener("pointerup", end);
    this.svg.addEventListener("pointercancel", end);
  }
}

// folds returns the line through the middle of the board along which pairs of segments are images
// of each other, if there is one: the middle between two images lies on it.
function folds(shapes, pairs = []) {
  const lines = shapes.filter(s => s.kind === "line");
  for (const pair of pairs) {
    const [{x, y}, {x2, y2}] = [lines[0], lines.at(-1)], cx = (x + x2) / 2, cy = (y + y2) / 2;
    const [a, b] = pair.map(move => middle(lines.find(s => s.move === move)));
    const dx = (a[0] + b[0]) / 2 - cx, dy = (a[1] + b[1]) / 2 - cy, size = Math.max(Math.abs(dx) / (cx - x), Math.abs(dy) / (cy - y));
    if (size > 0.01) return [{kind: "line", look: "fold", x: cx - dx / size, y: cy - dy / size, x2: cx + dx / size, y2: cy + dy / size}];
  }
  return [];
}

// clear returns a line shortened at both ends.
function clear(s) {
  const dx = CLEAR * (s.x2 - s.x), dy = CLEAR * (s.y2 - s.y);
  return {...s, look: "", x: s.x + dx, y: s.y + dy, x2: s.x2 - dx, y2: s.y2 - dy};
}

const inset = (s, n) => ({...s, x: s.x + n, y: s.y + n, x2: s.x2 - n, y2: s.y2 - n});

// tag draws the value of a target on the board, in a frame as wide as the text; on a cell
// in the corner, because a piece may be in the middle.
function tag({x: mx, y, shape, value, element: g}) {
  const height = 34, width = [...value.text].reduce((w, c) => w + (WIDE[c] || 17), 14), x = shape.kind === "cell" ? k(shape.x2) + 4 - width / 2 : mx;
  const cy = shape.kind === "cell" ? k(shape.y2) + 4 - height / 2 : y;
  const frame = element("rect", {class: "tag", x: x - width / 2, y: cy - height / 2, width, height, rx: height / 2}, g);
  const text = element("text", {class: "tagtext", x, y: cy + 1}, g);
  text.textContent = value.text;
  return Object.assign([frame, text], {x, y: cy, width, height});
}

// fit makes the visible numbers as large as the space allows.
function fit(targets) {
  const all = targets.filter(t => t.element.tag).map(t => t.element), seen = all.filter(g => g.classList.contains("top")).map(g => g.tag);
  let size = 1;
  seen.forEach((a, i) => seen.slice(0, i).forEach(b => {
    const room = Math.max(2 * Math.abs(a.x - b.x) / (a.width + b.width), Math.abs(a.y - b.y) / a.height);
    size = Math.max(Math.min(size, room), 0.6);
  }));
  for (const {tag: [...parts], tag: {x, y}} of all) {
    for (const e of parts) set(e, {transform: size === 1 ? undefined : `translate(${x} ${y}) scale(${size}) translate(${-x} ${-y})`});
  }
}

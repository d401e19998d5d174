// The board of Watch Your Back: pieces on squares. A placement is one click; a
// step or jump is a click on a piece and one on the square it goes to. White
// pieces are circles, black ones squares, so colour alone says nothing.
import {element, tag} from "./board.js";
import {Keyboard} from "./keyboard.js";

const CELL = 100, MARGIN = 60, EDGE = 20;
const at = n => MARGIN + n * CELL, middle = n => at(n) + CELL / 2;
const name = square => `(${square % 8},${square >> 3})`;
const colour = {O: "white piece", "@": "black piece"};

export class SquareBoard {
  constructor(container) {
    this.container = container;
    this.keyboard = new Keyboard(square => this.press(+square));
    this.picked = null;
  }

  // show draws a view of the server; see SegmentBoard.show.
  show(view, {choose, values = {}, arrow} = {}) {
    if (this.view !== view) this.picked = null;
    Object.assign(this, {view, choose, values, arrow});
    this.render();
  }

  press(square) {
    const {moves} = this.view.squares;
    const move = moves.find(m => m.to === square && m.from === (this.picked ?? -1));
    if (move) {
      this.picked = null;
      this.choose(move.move);
    } else {
      this.picked = this.picked !== square && moves.some(m => m.from === square) ? square : null;
      this.render();
    }
  }

  render() {
    const s = this.view.squares, side = 8 * CELL + MARGIN + EDGE;
    const focused = this.svg && this.svg.contains(document.activeElement) ? true : null;
    const svg = element("svg", {viewBox: `0 0 ${side} ${side}`, role: "group", class: "board", "aria-label": "Board"});
    this.svg = svg;
    this.container.replaceChildren(svg);
    const label = (x, y, text) => { element("text", {class: "label", x, y}, svg).textContent = text; };
    for (let i = 0; i < 8; i++) {
      label(middle(i), MARGIN / 2, i);
      label(MARGIN / 2, middle(i), i);
    }
    const ring = new Set(s.to_shrink > 0 && s.phase === "moving" ? s.ring : []), barred = new Set(s.barred), doomed = new Set(s.doomed);
    const letter = n => s.squares[n >> 3][n & 7];
    const all = [...Array(64).keys()].filter(n => letter(n) !== ".");
    for (const n of all) {
      const kind = letter(n) === "X" ? "corner" : ring.has(n) ? "ring" : barred.has(n) ? "barred" : "";
      element("rect", {class: `field ${kind}`, x: at(n & 7) + 3, y: at(n >> 3) + 3, width: CELL - 6, height: CELL - 6}, svg);
    }
    for (const n of all) this.piece(svg, n, letter(n), doomed.has(n));
    const circle = (n, attributes) => element("circle", {cx: middle(n & 7), cy: middle(n >> 3), ...attributes}, svg);
    for (const n of s.died) {
      const x = middle(n & 7), y = middle(n >> 3), d = 26;
      element("path", {class: "died", d: `M${x - d} ${y - d}l${2 * d} ${2 * d}M${x - d} ${y + d}l${2 * d} ${-2 * d}`}, svg);
    }
    if (s.entered >= 0) element("rect", {class: "lastsquare", x: at(s.entered & 7) + 6, y: at(s.entered >> 3) + 6, width: CELL - 12, height: CELL - 12}, svg);
    if (s.from >= 0) circle(s.from, {class: "lastsquare", r: 8});

    const value = move => this.values[move];
    const pointed = s.moves.find(m => m.move === this.arrow);
    if (pointed && pointed.to >= 0) {
      if (pointed.from >= 0) element("line", {class: "jump", x1: middle(pointed.from & 7), y1: middle(pointed.from >> 3), x2: middle(pointed.to & 7), y2: middle(pointed.to >> 3)}, svg);
      circle(pointed.to, {class: "jump", r: 30});
    }
    // What can be pressed: with a piece picked its targets and the other own
    // pieces, before that the pieces that can move, or the squares to place on.
    const targets = new Map();
    if (this.picked !== null) targets.set(this.picked, null);
    for (const m of s.moves) {
      if (m.to < 0) continue;
      if (m.from === (this.picked ?? -1)) targets.set(m.to, m);
      else if (m.from >= 0 && !targets.has(m.from)) targets.set(m.from, null);
    }
    const list = [];
    for (const [square, m] of [...targets].sort((a, b) => a[0] - b[0])) {
      const v = m ? value(m.move) : this.bestFrom(square);
      const g = element("g", {class: `choice ${v ? v.kind : ""} ${square === this.picked ? "picked" : ""}`, "data-move": m ? m.move : name(square), "data-square": square, tabindex: -1}, svg);
      element("rect", {class: "spot", x: at(square & 7) + 4, y: at(square >> 3) + 4, width: CELL - 8, height: CELL - 8}, g);
      const x = middle(square & 7), y = middle(square >> 3);
      if (m && this.choose && this.picked !== null) element("circle", {class: m.jump ? "jump" : "dot", cx: x, cy: y, r: m.jump ? 20 : 14}, g);
      if (v && (m || this.picked === null)) tag(x, y + 26, v, g);
      if (!this.choose) continue;
      if (square === this.picked) g.setAttribute("aria-pressed", "true");
      const words = [m ? (m.from >= 0 ? `to ${name(square)}` : name(square)) : `${colour[letter(square)] || "piece"} on ${name(square)}`];
      if (m && m.jump) words.push("a jump");
      if (m && m.dies.length > 0) words.push(`${m.dies.length === 1 ? "a piece dies" : `${m.dies.length} pieces die`} on ${m.dies.map(name).join(" ")}`);
      if (v) words.push(v.label);
      g.setAttribute("role", "button");
      g.setAttribute("aria-label", words.join(", "));
      list.push({move: square, x, y, element: g});
    }
    const forfeit = s.moves.find(m => m.to < 0);
    if (forfeit && this.choose) {
      const b = document.createElement("button");
      b.textContent = "No move: forfeit the turn";
      b.dataset.move = forfeit.move;
      b.addEventListener("click", () => this.choose(forfeit.move));
      this.container.append(b);
    }
    this.keyboard.attach(this.choose ? list : [], focused);
  }

  // bestFrom is the best value of a piece's moves.
  bestFrom(square) {
    let best = null;
    for (const m of this.view.squares.moves) {
      const v = m.from === square && this.values[m.move];
      if (v && (!best || v.value.score > best.value.score)) best = v;
    }
    return best;
  }

  piece(svg, n, letter, doomed) {
    const x = middle(n & 7), y = middle(n >> 3);
    if (letter === "O") element("circle", {class: "piece1", cx: x, cy: y, r: 34}, svg);
    else if (letter === "@") element("rect", {class: "piece2", x: x - 30, y: y - 30, width: 60, height: 60, rx: 6}, svg);
    else return;
    if (doomed) element("path", {class: "doomed", d: `M${x - 20} ${y - 20}l40 40M${x - 20} ${y + 20}l40 -40`}, svg);
  }
}

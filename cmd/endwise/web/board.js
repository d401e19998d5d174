// A board of squares and segments as SVG. A page gives it a picture of the
// position and it changes only what is new, so it can be called several times
// a second:
//
//   {rows, cols,
//    horizontal: [[state…]…]   rows+1 lines of cols segments
//    vertical:   [[state…]…]   rows lines of cols+1 segments
//    owner:      [[0|1|2|3…]…]}  who has the square, 3 for somebody unknown
//
// with state one of "free", "drawn", "last" (drawn, and the move played last)
// and "gone" (inside a captured area). Owners differ by colour, by shape and
// by number: a circle with 1, a square with 2.
//
// segments.js puts on top what can be chosen.

const NS = "http://www.w3.org/2000/svg";
const EDGE = 20, DOT = 8;
export const CELL = 100, MARGIN = 60;

export function element(name, attributes, parent) {
  const e = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (parent) parent.append(e);
  return e;
}

function setClass(e, name) {
  if (e.getAttribute("class") !== name) e.setAttribute("class", name);
}

// tag lays a value on the board, in a frame as wide as its text: the SVG must be
// on the page already.
export function tag(x, y, value, parent) {
  const text = element("text", {class: "tagtext", x, y: y + 2}, parent);
  text.textContent = value.text;
  const width = Math.max(34, text.getComputedTextLength() + 14), height = 34;
  const rect = element("rect", {class: "tag", x: x - width / 2, y: y - height / 2, width, height, rx: value.round ? height / 2 : 4}, parent);
  text.before(rect);
  return {width, height};
}

export class Board {
  constructor(container) {
    this.container = container;
    this.size = "";
  }

  build(rows, cols) {
    this.width = cols * CELL + MARGIN + EDGE;
    this.height = rows * CELL + MARGIN + EDGE;
    this.svg = element("svg", {viewBox: `0 0 ${this.width} ${this.height}`, role: "img", class: "board"});
    this.title = element("title", {}, this.svg);
    const at = n => MARGIN + n * CELL;
    for (let x = 0; x < cols; x++) this.label(at(x) + CELL / 2, MARGIN / 2, x);
    this.rowLabels = [];
    for (let y = 0; y < rows; y++) this.rowLabels.push(this.label(MARGIN / 2, at(y) + CELL / 2, y));
    this.squares = [];
    for (let y = 0; y < rows; y++) {
      this.squares.push([]);
      for (let x = 0; x < cols; x++) {
        const group = element("g", {class: "open"}, this.svg);
        element("rect", {class: "area", x: at(x), y: at(y), width: CELL, height: CELL}, group);
        this.squares[y].push(group);
      }
    }
    const line = (x1, y1, x2, y2) => element("line", {class: "free", x1, y1, x2, y2}, this.svg);
    this.horizontal = [];
    for (let y = 0; y <= rows; y++) {
      this.horizontal.push([]);
      for (let x = 0; x < cols; x++) this.horizontal[y].push(line(at(x), at(y), at(x + 1), at(y)));
    }
    this.vertical = [];
    for (let y = 0; y < rows; y++) {
      this.vertical.push([]);
      for (let x = 0; x <= cols; x++) this.vertical[y].push(line(at(x), at(y), at(x), at(y + 1)));
    }
    for (let y = 0; y <= rows; y++) {
      for (let x = 0; x <= cols; x++) element("circle", {class: "corner", cx: at(x), cy: at(y), r: DOT}, this.svg);
    }
    this.container.replaceChildren(this.svg);
  }

  label(x, y, text) {
    const e = element("text", {class: "label", x, y}, this.svg);
    e.textContent = text;
    return e;
  }

  // widen makes so much room on the right, and on the left between the row
  // numbers and the board.
  widen(room) {
    this.svg.setAttribute("viewBox", `${-room} 0 ${this.width + 2 * room} ${this.height}`);
    for (const label of this.rowLabels) label.setAttribute("x", MARGIN / 2 - room);
  }

  draw(picture) {
    const size = `${picture.rows}x${picture.cols}`;
    if (size !== this.size) {
      this.build(picture.rows, picture.cols);
      this.size = size;
    }
    const title = `Board of ${picture.rows} rows and ${picture.cols} columns`;
    if (this.title.textContent !== title) this.title.textContent = title;
    for (const [lines, states] of [[this.horizontal, picture.horizontal], [this.vertical, picture.vertical]]) {
      states.forEach((row, r) => row.forEach((state, c) => setClass(lines[r][c], state)));
    }
    picture.owner.forEach((row, y) => row.forEach((owner, x) => this.own(x, y, owner)));
  }

  own(x, y, owner) {
    const group = this.squares[y][x], name = owner ? `owned${owner}` : "open";
    if (group.getAttribute("class") === name) return;
    setClass(group, name);
    while (group.children.length > 1) group.lastChild.remove();
    if (!owner || owner === 3) return;
    const cx = MARGIN + x * CELL + CELL / 2, cy = MARGIN + y * CELL + CELL / 2, r = CELL * 0.27;
    if (owner === 1) element("circle", {class: "mark1", cx, cy, r}, group);
    else element("rect", {class: "mark2", x: cx - r, y: cy - r, width: 2 * r, height: 2 * r}, group);
    element("text", {class: "markname", x: cx, y: cy + 2}, group).textContent = owner;
  }
}

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
// A page on which people play gives a function that hears about the line
// chosen, (orientation "h" or "v", row, column), by click or by keyboard: one
// free line has the focus, the arrow keys move it, Enter and Space choose it.

const NS = "http://www.w3.org/2000/svg";
const EDGE = 20, DOT = 8;
export const CELL = 100, MARGIN = 60;

export function element(name, attributes, parent) {
  const e = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (parent) parent.append(e);
  return e;
}

export function setClass(e, name) {
  if (e.getAttribute("class") !== name) e.setAttribute("class", name);
}

export class Board {
  constructor(container, choose) {
    this.container = container;
    this.size = "";
    this.choose = choose;
    this.enabled = false;
  }

  build(rows, cols) {
    const width = cols * CELL + MARGIN + EDGE, height = rows * CELL + MARGIN + EDGE;
    this.svg = element("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", class: "board"});
    this.title = element("title", {}, this.svg);
    const at = n => MARGIN + n * CELL;
    for (let x = 0; x < cols; x++) this.label(at(x) + CELL / 2, MARGIN / 2, x);
    for (let y = 0; y < rows; y++) this.label(MARGIN / 2, at(y) + CELL / 2, y);
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
    if (this.choose) this.buildTargets();
  }

  // buildTargets lays an invisible wide line over every segment, to click on.
  buildTargets() {
    this.svg.setAttribute("role", "group");
    this.targets = [];
    for (const [orientation, lines] of [["h", this.horizontal], ["v", this.vertical]]) {
      lines.forEach((row, r) => row.forEach((seen, c) => {
        const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map(n => Number(seen.getAttribute(n)));
        const dx = orientation === "h" ? 14 : 0, dy = 14 - dx;
        const line = element("line", {
          class: "target", x1: x1 + dx, y1: y1 + dy, x2: x2 - dx, y2: y2 - dy,
          role: "button", tabindex: -1, "aria-label": `line ${orientation}${r},${c}`,
        }, this.svg);
        const target = {line, seen, orientation, r, c, x: (x1 + x2) / 2, y: (y1 + y2) / 2};
        line.addEventListener("click", () => this.chosen(target));
        line.addEventListener("keydown", event => this.key(event, target));
        this.targets.push(target);
      }));
    }
  }

  chosen(target) {
    if (!this.enabled || target.seen.getAttribute("class") !== "free") return;
    this.here = target;
    this.choose(target.orientation, target.r, target.c);
  }

  key(event, target) {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.chosen(target);
      return;
    }
    const way = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
    if (!way) return;
    event.preventDefault();
    let best = null, least = Infinity;
    for (const t of this.open()) {
      const dx = t.x - target.x, dy = t.y - target.y, ahead = dx * way[0] + dy * way[1];
      const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
      if (ahead > 0 && ahead + 2 * aside < least) [best, least] = [t, ahead + 2 * aside];
    }
    if (best) this.focus(best);
  }

  open() {
    return this.targets.filter(t => t.seen.getAttribute("class") === "free");
  }

  focus(target) {
    this.rove(target);
    target.line.focus();
  }

  // rove makes one free line the stop of the Tab key.
  rove(target) {
    for (const t of this.targets) t.line.setAttribute("tabindex", t === target ? 0 : -1);
    this.here = target;
  }

  // enable lets people choose lines, or not.
  enable(on) {
    this.enabled = on;
    const held = this.targets.some(t => t.line === document.activeElement);
    for (const t of this.targets) {
      const free = on && t.seen.getAttribute("class") === "free";
      setClass(t.line, free ? "target free-target" : "target");
      t.line.setAttribute("aria-disabled", String(!free));
    }
    const open = this.open();
    if (!open.length) return;
    const from = this.here || open[0];
    const near = t => Math.hypot(t.x - from.x, t.y - from.y);
    const next = open.includes(from) ? from : open.reduce((a, b) => near(b) < near(a) ? b : a);
    if (held && on) this.focus(next);
    else this.rove(next);
  }

  label(x, y, text) {
    element("text", {class: "label", x, y}, this.svg).textContent = text;
  }

  draw(picture) {
    const size = `${picture.rows}x${picture.cols}`;
    if (size !== this.size) {
      this.here = null;
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

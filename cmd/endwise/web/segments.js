// The board of a segment game that can be played on: every legal segment is a
// button that the mouse, a finger or the keyboard chooses. Arrow keys walk
// from segment to segment, Enter or the space bar plays. Values may lie on
// the segments.
import {Board, CELL, MARGIN, element, tag} from "./board.js";
import {Keyboard} from "./keyboard.js";

const ROOM = 36; // for the half of a value that sticks out of the board

export class SegmentBoard extends Board {
  constructor(container) {
    super(container);
    this.keyboard = new Keyboard(move => this.played && this.played(move));
  }

  build(rows, cols) {
    super.build(rows, cols);
    this.svg.setAttribute("role", "group");
    this.layer = element("g", {}, this.svg);
    this.at = n => MARGIN + n * CELL;
  }

  // show draws a view of the server. choose, where given, is called with the
  // move that was chosen; values maps moves to what site.js says of each in
  // losses; arrow is a move to point out.
  show(view, {choose, values = {}, arrow} = {}) {
    const s = view.segments;
    this.played = choose;
    this.draw(s);
    this.widen(Object.keys(values).length > 0 ? ROOM : 0);
    const legal = new Set(view.moves), targets = [];
    const visit = (names, horizontal) => names.forEach((row, r) => row.forEach((move, c) => {
      if (legal.has(move) && (choose || values[move] || move === arrow)) {
        const x = this.at(c) + (horizontal ? CELL / 2 : 0), y = this.at(r) + (horizontal ? 0 : CELL / 2);
        targets.push({move, x, y, horizontal});
      }
    }));
    visit(s.h_names, true);
    visit(s.v_names, false);
    const focused = this.layer.contains(document.activeElement) ? this.keyboard.current : null;
    this.layer.replaceChildren();
    for (const t of targets) {
      const value = values[t.move], half = CELL / 2;
      t.element = element("g", {
        class: `choice ${value ? value.kind : ""} ${t.move === arrow ? "arrow" : ""}`, "data-move": t.move, tabindex: -1,
      }, this.layer);
      const [dx, dy] = t.horizontal ? [half - 9, 0] : [0, half - 9];
      element("path", {class: "hit", d: `M${t.x - half} ${t.y}l${half} ${-half}l${half} ${half}l${-half} ${half}z`}, t.element);
      element("line", {class: "glow", x1: t.x - dx, y1: t.y - dy, x2: t.x + dx, y2: t.y + dy}, t.element);
      if (value) tag(t.x, t.y, value, t.element);
      if (choose) {
        t.element.setAttribute("role", "button");
        t.element.setAttribute("aria-label", `${t.move}${value ? `, ${value.label}` : ""}`);
      }
    }
    this.keyboard.attach(choose ? targets : [], focused);
  }
}

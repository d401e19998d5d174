// Choosing among things that lie on a board: one of them is in the tab order,
// arrow keys go to the nearest one in their direction, Enter and the space bar
// press, and so does a click.
const DIRECTIONS = {ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};

export class Keyboard {
  constructor() {
    this.targets = [];
    this.current = null;
  }

  // attach takes the targets {x, y, element, press} that can be pressed now. The
  // one nearest to where the focus was keeps it where focused is true.
  attach(targets, focused) {
    const before = this.current;
    this.targets = targets;
    this.current = null;
    for (const t of targets) {
      t.element.addEventListener("click", () => t.press());
      t.element.addEventListener("keydown", event => this.key(event, t));
      t.element.addEventListener("focus", () => this.move(t, false));
    }
    if (targets.length === 0) {
      this.current = before;
      return;
    }
    let best = targets[0];
    if (before) {
      const distance = t => Math.hypot(t.x - before.x, t.y - before.y);
      for (const t of targets) if (distance(t) < distance(best)) best = t;
    }
    this.move(best, focused);
  }

  move(target, focus) {
    if (this.current && this.current.element) this.current.element.setAttribute("tabindex", -1);
    this.current = target;
    target.element.setAttribute("tabindex", 0);
    if (focus) target.element.focus();
  }

  key(event, from) {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      from.press();
      return;
    }
    const direction = DIRECTIONS[event.key];
    if (!direction) return;
    event.preventDefault();
    let best = null, least = Infinity;
    for (const t of this.targets) {
      const along = (t.x - from.x) * direction[0] + (t.y - from.y) * direction[1];
      const aside = Math.abs((t.x - from.x) * direction[1]) + Math.abs((t.y - from.y) * direction[0]);
      const cost = along + 2 * aside;
      if (along > 0 && cost < least) [best, least] = [t, cost];
    }
    if (best) this.move(best, true);
  }
}

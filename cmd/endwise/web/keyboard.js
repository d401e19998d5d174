// Selecting among elements on a board with the keyboard: one of them is in the tab order,
// arrow keys move to the nearest one in their direction, Enter and the space bar press it,
// as a click does. The focus stays on the board while nothing can be selected.
const DIRECTIONS = {ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};

// The body has the class mouse after the pointer was used, until a key is pressed.
for (const type of ["pointerdown", "keydown"]) addEventListener(type, () => document.body.classList.toggle("mouse", type === "pointerdown"), true);

export class Keyboard {
  constructor(board) {
    Object.assign(this, {board, targets: [], current: null});
    const of = event => this.targets.find(t => t.element === event.target.closest?.(".choice"));
    board.addEventListener("click", event => of(event)?.press());
    board.addEventListener("keydown", event => { const t = of(event); if (t) this.key(event, t); });
    board.addEventListener("focusin", event => { const t = of(event); if (t && t !== this.current) this.move(t, false); });
  }

  // attach sets the targets {x, y, element, press} that can be pressed. If focused, the
  // target nearest to the previous focus gets it.
  attach(targets, focused) {
    const before = this.current;
    this.targets = targets;
    if (targets.length === 0) {
      if (focused) this.board.focus();
      return;
    }
    let best = targets[0];
    const distance = t => Math.hypot(t.x - before.x, t.y - before.y) + (before.move === t.move ? 0 : 0.5);
    if (before) for (const t of targets) if (distance(t) < distance(best)) best = t;
    for (const t of targets) if (t !== best) t.element.setAttribute("tabindex", -1);
    this.current = null;
    this.move(best, focused && document.activeElement !== best.element);
  }

  move(target, focus) {
    if (this.current) this.current.element.setAttribute("tabindex", -1);
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

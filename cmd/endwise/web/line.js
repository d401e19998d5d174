// A list of moves, for instance of the best line, of which each leads to the position after it.
import {byId, make, refill} from "./site.js";

// steps lists moves of which n were made; go is called with another number. more reports whether the
// line goes on.
export function steps(id, moves, n, go, more) {
  const box = byId(id);
  refill(box, moves.map((move, i) => {
    const b = make("button", {type: "button", "data-move": move, ...(i === n - 1 && {"aria-current": "step"})}, more && i === moves.length - 1 ? `${move} …` : move);
    b.addEventListener("click", () => go(i + 1));
    return b;
  }));
  const at = box.querySelector("[aria-current]")?.getBoundingClientRect(), {top, bottom} = box.getBoundingClientRect();
  if (at) box.scrollTop += Math.max(0, at.bottom - bottom) - Math.max(0, top - at.top);
}

// Lists of the moves of a game, and the mistakes in an analysed one.
import {amount, handed, make, refill} from "./site.js";

// lost reports whether an analysed move is a mistake, and cost describes its loss, or a likely one.
export const lost = m => m.gives_up > 0 || m.at_least > 0;
export function cost(game, m) {
  const fall = m.likely && m.likely.before - m.likely.after;
  if (fall) return `may lose about ${game.unit ? lossText(game, fall) : `${(fall / 100).toFixed(1)} ${game.points}`}, an estimate; perhaps better ${m.best}`;
  const n = m.gives_up || m.at_least, bound = m.gives_up ? "" : "at least ", result = score => ["a loss", "a tie", "a win"][score + 1];
  const loss = game.unit ? `loses ${bound}${lossText(game, n)}` : `turns ${bound}${result(m.before.lower)} into ${result(m.before.lower - n)}`;
  return `${loss}; better ${m.best}`;
}

// deciding returns the mistake that decided an analysed game: the last one that changed the winner,
// or the largest one; if there is a winner, of the other player.
export function deciding({moves, turned}, winner) {
  const all = moves.filter(m => lost(m) && (!winner || m.player !== winner));
  return all.find(m => m.ply === turned) || all.sort((a, b) => (b.gives_up || b.at_least) - (a.gives_up || a.at_least))[0];
}

// valueAt returns the value of an analysed game after n moves, in the form of a lookup.
export function valueAt(game, {margins}, n, {turn, score}) {
  const m = margins.find(m => m.ply === n), sign = 3 - 2 * turn;
  if (!m) return null;
  const proof = sign > 0 ? m.proof : {lower: "upper", upper: "lower"}[m.proof] || m.proof;
  const value = game.unit ? m.value - (score[0] - score[1]) : m.proof === "estimate" ? 800 * m.value : m.value;
  return {score: sign * value, proof, exact: proof === "exact"};
}

export const lossText = (game, n) => amount(game, game.unit ? handed(n) : n);

// marked is an analysed move for moveTable: mistakes are marked, with their loss.
export const marked = (game, m) => {
  const n = m.gives_up || m.at_least, loss = game.unit ? handed(n) : n === 1 ? "½" : 1;
  return {move: m.move, side: m.player, ...(m.likely && {mark: "≈?", title: cost(game, m)}), ...(lost(m) && {mark: `${n > (game.unit ? 2 : 1) ? "??" : "?"} ${m.gives_up ? "−" : "≤−"}${loss}`, title: cost(game, m)})};
};

// moveTable lists a game with one column per player; consecutive turns of one player share a cell.
// Moves are {move, side, mark, title}; go, if given, is called with the number of moves up to the
// selected one.
export function moveTable(body, moves, {current = 0, go} = {}) {
  const rows = [];
  moves.forEach(({move, side, mark, title}, i) => {
    const last = rows.at(-1);
    if (!last || side === 1 && last[2].length || side === 2 && i > 0 && moves[i - 1].side === 1 && last[2].length) rows.push([i + 1, [], []]);
    const e = make(go ? "button" : "span", {"data-ply": i + 1, "data-move": move, ...(go && {type: "button"}), ...(i + 1 === current && {"aria-current": "step"}), ...(mark && {class: "mistake", "data-mark": mark, title})}, move);
    rows.at(-1)[side].push(e, " ");
  });
  if (go) body.onclick = ({target}) => { if (target.dataset.ply) go(+target.dataset.ply); };
  refill(body, rows.map(([n, one, two]) => make("tr", {}, make("td", {}, n + (one[0] && two[0] ? `–${n - 1 + (one.length + two.length) / 2}` : "")), make("td", {}, ...one), make("td", {}, ...two))));
  const box = body.closest(".scroll");
  if (!go) box.scrollTop = box.scrollHeight;
  follow(box);
  sizes.observe(box);
}

const sizes = new ResizeObserver(boxes => { for (const {target} of boxes) follow(target); });

// follow scrolls a list of moves to the current one, and shows the one after it too.
function follow(box) {
  const at = box.querySelector("[aria-current]");
  if (!at) return;
  const bottom = e => e.getBoundingClientRect().bottom - box.getBoundingClientRect().top, following = box.querySelector(`[data-ply="${+at.dataset.ply + 1}"]`) || at;
  box.scrollTop += Math.max(bottom(at) - box.clientHeight * 0.8, bottom(following) + 4 - box.clientHeight);
}

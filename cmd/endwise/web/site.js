// What all pages share: words for values, controls, and values saved in the browser.
import {make} from "./make.js";

export const byId = id => document.getElementById(id);

byId("early")?.remove(); // the sentence for pages without scripts

export {make};

// show sets the text of an element, if it differs, so that screen readers do not repeat it.
export function show(id, text) {
  const e = byId(id);
  if (e.textContent !== text) e.textContent = text;
}

// amount formats a number of the game's units.
export function amount(game, n) {
  if (game.unit) return `${n} ${n === 1 ? game.unit : game.units}`;
  return ["nothing", "half a win", "a win"][n] || `${n / 2} wins`;
}

// scoreText formats the result of a game: the winner's score comes first.
export const scoreText = score => `${Math.max(...score)}–${Math.min(...score)}`;

// named returns a game whose sides have the given names in sentences.
export const named = (game, names) => ({...game, sides: [game.sides[0], ...names.map((name, i) => name || game.sides[i + 1])]});

// does joins a name and a verb: "White wins", "You win".
export const does = (who, verb) => `${who} ${who !== "You" ? verb : {is: "are", has: "have"}[verb] || verb.replace(/s$/, "")}`;

// renamed puts the names in named, a result of the function with this name, into a text with the
// names of the game's sides.
export function renamed(game, {sides}, text) {
  const verbs = "has|is|gets|gains|loses|wins|takes|moves|draws|captures|keeps|wants|leaves|opens";
  for (const side of [1, 2]) {
    const name = sides[side], found = new RegExp(`${game.sides[side].replace("P", "[Pp]")}\\b('s| then| usually)?( (?:${verbs})\\b)?`, "g");
    if (name === game.sides[side]) continue;
    text = text.replace(found, (_, after = "", verb = "", at, all) => {
      const words = after === "'s" && name === "You" ? `Your${verb}` : does(name, verb.trim()).trim().replace(name, name + after);
      return at > 0 && !all.slice(0, at).endsWith(". ") ? words.replace(/^You/, "you") : words;
    });
  }
  return text;
}

export const signed = n => n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "0";

// valueText formats a value with its proof: +3, ≥+1, ≤+2, ≈+4; won, tie or lost, or an estimate
// in words, in a game without scores.
export function valueText(game, score, proof) {
  if (!game.unit) {
    if (proof === "estimate") return `≈ ${advantage(score).replace("ahead", score < 0 ? "behind" : "ahead") || "even"}`;
    return {exact: "", lower: "≥ ", upper: "≤ "}[proof] + (score > 0 ? "won" : score < 0 ? "lost" : "tie");
  }
  return {exact: "", lower: "≥", upper: "≤", estimate: "≈"}[proof] + signed(score);
}

// sourceWords complete "proved …" or "estimated …".
const sourceWords = {
  book: "in the opening book", table: "in a table of solved positions", solved: "just now", "embedded proof": "in advance", "solved, embedded proof": "just now, with a proof made in advance", mirror: "by symmetry",
  certificate: "by a stored proof", "solved here": "on this computer", recorded: "in earlier runs",
  search: "by a search", heuristic: "by a rule of thumb", rules: "by the rules",
};

// origin says how a value is known.
export const origin = ({proof, source}) => `${proof === "estimate" ? "estimated" : "proved"} ${sourceWords[source] || `by ${source}`}`;

// moveProved reports whether a move that keeps the value of a decision is proved too: the
// value of an empty board may be known without such a move.
export const moveProved = d => d.exact && d.moves.some(m => m.move === d.move && (m.exact || m.proof === "lower") && m.score >= d.score);

// ending computes the end of a game with scores, if the side to move gets score more than
// its opponent from here: the score difference for the side to move, the number of units
// left, and the final score, null if the board's size is unknown.
export function ending(game, view, score) {
  const me = view.turn - 1, [rows, cols] = String(view.board || "").split("x").map(Number);
  const left = rows * cols - view.score[0] - view.score[1];
  const final = [0, 0];
  final[me] = Math.round(view.score[me] + (left + score) / 2);
  final[1 - me] = rows * cols - final[me];
  return {margin: view.score[me] - view.score[1 - me] + score, left, final: left >= 0 ? final : null};
}

// advantage describes an estimate of a game without scores, "" for an even one.
export const advantage = score => ["", "slightly ahead", "ahead", "clearly ahead", "far ahead"][[5, 150, 300, 600].filter(n => Math.abs(score) >= n).length];

// sentence describes a decision for the side to move.
export function sentence(game, view, d) {
  const who = game.sides[view.turn], other = game.sides[3 - view.turn];
  if (!game.unit) {
    if (d.proof === "estimate") {
      const ahead = advantage(d.score);
      return ahead ? `${does(d.score > 0 ? who : other, "is")} ${ahead}, an estimate.` : "About even, an estimate.";
    }
    const what = d.score > 0 ? "wins" : d.score < 0 ? "loses" : "gets";
    const bound = {exact: "", lower: " at least", upper: " at best"}[d.proof];
    return `${does(who, what)}${d.score === 0 ? " a tie" : ""}${bound} with best play${d.distance ? ` in ${d.distance} ${d.distance === 1 ? "turn" : "turns"}` : ""}.`;
  }
  const {margin, final} = ending(game, view, d.score), n = Math.abs(margin), winner = margin > 0 ? who : other;
  if (d.proof === "lower") return margin > 0 ? `${does(who, "wins")} by at least ${n}.` : margin === 0 ? `${does(who, "gets")} at least a tie.` : `${does(who, "loses")} by ${n} at most.`;
  if (d.proof === "upper") return margin < 0 ? `${does(who, "loses")} by at least ${n}.` : margin === 0 ? `${does(who, "gets")} a tie at best.` : `${does(who, "wins")} by ${n} at most.`;
  const score = final ? ` ${scoreText(final)}` : ` by ${n}`;
  if (d.proof === "exact") return margin === 0 ? "A tie with best play." : `${does(winner, "wins")}${score} with best play.`;
  // With an odd number of squares no estimate is 0.
  return n <= 1 ? "Too close to call, an estimate." : `${does(winner, "is")} expected to win by about ${n}, an estimate.`;
}

// handed returns the number of squares or boxes that go to the opponent if the score
// difference falls by n.
export const handed = n => Math.ceil(n / 2);

// losses describes the moves of a decision for boards and lists: kind is the colour; text
// is the number on the board, always the loss of the move, "" if that is neither exact nor
// an estimate; label is the text in words, and givesUp the loss in lists. An estimate is
// compared only with estimates and with proved values on the same scale, never with a
// bound.
export function losses(game, d) {
  const out = {};
  for (const m of d.moves) out[m.move] = {value: m, ...lossOf(game, d, m)};
  return out;
}

function lossOf(game, d, m) {
  const fall = d.score - m.score, loss = game.unit ? handed(fall) : fall, value = valueText(game, m.score, m.proof);
  // Red begins at two squares, a whole win, and a whole piece.
  const kindOf = (n, red = 2) => n <= 0 ? "best" : n < red ? "some" : "much";
  if (m.proof === "estimate") {
    const comparable = !m.stale && (d.proof === "estimate" || d.proof === "exact" && game.unit);
    if (!comparable) return {text: "", label: `${game.unit ? "worth about " : ""}${value.slice(1).trim()}, an estimate`, kind: "guess", givesUp: ""};
    // Estimates that differ by less than half a piece are about equal: only the best have a colour.
    const n = game.unit ? loss : Math.round(loss / 10) / 10, equal = m.score !== d.score && n < (game.unit ? 1 : 0.5);
    const kind = equal ? "guess" : `guess ${kindOf(n, game.unit ? 2 : 1)}`;
    if (n <= 0) return {text: "≈✓", label: "best by estimate", kind, givesUp: "≈0"};
    return {text: `≈−${n}`, label: `about ${n} worse, an estimate`, kind, givesUp: `≈${n}`};
  }
  if (d.proof === "exact" && (m.proof === "exact" || m.proof === "lower" && loss <= 0)) {
    const label = !game.unit ? `${m.score > 0 ? "wins" : m.score < 0 ? "loses" : "gets a tie"}, proved` :
      loss <= 0 ? "loses nothing, proved" : `loses ${amount(game, loss)}, proved`;
    const text = loss <= 0 ? "✓" : game.unit ? `−${loss}` : loss === 1 ? "−½" : "−1";
    return {text, label, kind: kindOf(loss), givesUp: game.unit ? String(Math.max(loss, 0)) : amount(game, Math.max(loss, 0))};
  }
  if (m.proof !== "lower" && (d.proof === "exact" || d.proof === "lower") && loss > 0) {
    return {text: "", label: `loses at least ${amount(game, loss)}, proved`, kind: kindOf(loss), givesUp: `at least ${game.unit ? loss : amount(game, loss)}`};
  }
  // Proved, but the loss is unknown.
  const bound = {exact: "", lower: "at least ", upper: "at most "}[m.proof];
  const what = game.unit ? m.score : ["a loss", "a tie", "a win"][Math.sign(m.score) + 1];
  return {text: "", label: `worth ${bound}${what}, proved`, kind: "bound", givesUp: ""};
}

// allEqual reports whether all moves have the same bound or proved value, so that none of them
// is known to be better.
export const allEqual = (view, d) => view.moves.length > 1 && d.moves.length === view.moves.length && d.moves.every(m => m.proof === d.proof && m.score === d.score && m.proof !== "estimate");

// valuesOn is losses, with the same value for moves that are equivalent by symmetry, and twin
// set for all but one of them; these have no number.
export function valuesOn(game, view, d) {
  const values = losses(game, d), shared = v => v && (!view.alike || v.value.proof === "estimate");
  const rank = ({kind, value: {proof, score}}) => ({exact: 2e6, estimate: 0}[proof] ?? 1e6) + score + /best/.test(kind) / 2;
  const better = (a, b) => !shared(a) ? b : !shared(b) || rank(a) >= rank(b) ? a : b;
  const twins = Object.entries(view.twins || {});
  for (const [twin, of] of twins) if (shared(values[of]) || shared(values[twin])) values[of] = better(values[of], values[twin]);
  for (const [twin, of] of twins) {
    const v = values[of];
    if (shared(v) && (!values[twin] || shared(values[twin]))) values[twin] = {...v, twin: true, label: `equal to ${of} by symmetry, ${v.label}`};
  }
  // Early in a game no estimate is a warning.
  if (view.too_early) for (const v of Object.values(values)) if (v.value.proof === "estimate") v.kind = v.kind.replace(/ (some|much)/, "");
  if (allEqual(view, d)) for (const move of Object.keys(values)) values[move] = {...values[move], kind: "bound"};
  return values;
}

// fillSelect puts options, each a value or [value, text], into a select and keeps the selected
// one if it still exists.
export function fillSelect(select, options, wanted = select.value) {
  const list = options.map(o => [o, o].flat());
  select.replaceChildren(...list.map(([value, text]) => make("option", {value}, text)));
  if (list.some(([value]) => value === wanted)) select.value = wanted;
}

// choices creates tiles of options [value, text], of which one is selected.
export function choices(fieldset, options, choice, chosen) {
  fieldset.replaceChildren(fieldset.querySelector("legend"), make("div", {class: "row"}, ...options.map(([value, text]) => {
    const input = make("input", {type: "radio", name: fieldset.id, value});
    input.checked = value === choice;
    input.addEventListener("change", () => chosen(value));
    return make("label", {}, input, text);
  })));
}

// mark selects one of such tiles, or none.
export function mark(fieldset, value) {
  for (const input of fieldset.querySelectorAll("input")) input.checked = input.value === value;
}

// offerSize offers the boards of a game, of which that of a view is selected; a single one is not
// shown. The game's starts explain the names of boards with drawn lines.
export function offerSize(game, v, select = byId("board")) {
  fillSelect(select, [...new Set([...game.boards, v.board])].map(b => [b, b.replace(/ (.*)/, (_, name) => `, ${game.starts[name]} (${name})`)]), v.board);
  select.hidden = select.length < 2;
}

// showSides shows the players, the score, the side to move, and how moves are written.
export function showSides(game, v, names = []) {
  document.body.dataset.first = game.sides[1];
  byId("coordinates").textContent = game.coordinates;
  for (const side of [1, 2]) {
    byId(`name${side}`).textContent = names[side - 1] || game.sides[side];
    byId(`score${side}`).textContent = v.score[side - 1];
    byId(`side${side}`).classList.toggle("moves", !v.over && v.turn === side);
  }
}

// refill replaces the children of an element; the focus stays on the button with the same
// number.
export function refill(parent, children) {
  const i = [...parent.querySelectorAll("button")].indexOf(document.activeElement);
  parent.replaceChildren(...children);
  const buttons = parent.querySelectorAll("button");
  if (i >= 0 && buttons.length > 0) buttons[Math.min(i, buttons.length - 1)].focus({preventScroll: true});
}

// pointing lights on the board the move in a list under the pointer or with the focus, and
// in the lists the move on the board. board returns the page's board.
export function pointing(board) {
  let lit = "";
  const point = ({type, target}) => {
    const at = /over|in$/.test(type) ? target.closest?.("[data-move]") : null, move = at?.dataset.move || "", list = at && !at.closest(".board");
    if (move === lit) return;
    lit = move;
    for (const e of document.querySelectorAll(".lit")) e.classList.remove("lit");
    for (const e of document.querySelectorAll("[data-move]:not(.board *)")) if (!list && move && board()?.alike(e.dataset.move, move)) e.classList.add("lit");
    board()?.light(list || at?.matches(".from") ? move : "");
  };
  for (const type of ["pointerover", "pointerout", "focusin", "focusout"]) document.addEventListener(type, point);
}

// stepping calls its functions for the buttons of part "steps", and back and on also for ← and
// →, unless the element with the focus uses these keys.
export function stepping(first, back, on, last) {
  Object.entries({first, previous: back, next: on, last}).forEach(([id, go]) => byId(id).addEventListener("click", go));
  addEventListener("keydown", event => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, select, textarea")) return;
    if (event.key === "ArrowLeft") back();
    else if (event.key === "ArrowRight") on();
  });
}

// canStep enables the buttons of part "steps".
export function canStep(back, on) {
  byId("first").disabled = byId("previous").disabled = !back;
  byId("next").disabled = byId("last").disabled = !on;
}

// share fills the menu "Share" when it is opened: see export.js.
export const share = of => byId("share").addEventListener("toggle", async () => (await sharing()).open(of));

export const sharing = () => import("./export.js");

// pack compresses a text for an address; unpack in analyse.js reads it.
export async function pack(text) {
  const bytes = await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer();
  return btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// store and recall save values in this browser; without storage nothing is saved.
export function store(key, value) {
  try { localStorage.setItem(`endwise.${key}`, JSON.stringify(value)); } catch { /* full or forbidden */ }
}

export function recall(key, fallback) {
  try { return JSON.parse(localStorage.getItem(`endwise.${key}`)) ?? fallback; } catch { return fallback; }
}

// When a menu is opened in a panel that is too low for it, scroll it into view.
addEventListener("toggle", ({target}) => {
  const box = target.closest(".end, .panel"), room = target.open && box?.getBoundingClientRect(), {top, bottom} = target.getBoundingClientRect();
  if (room) box.scrollTop += Math.max(0, Math.min(bottom - room.bottom, top - room.top));
}, true);

// start runs a page and shows its errors.
export async function start(page) {
  try {
    await page();
  } catch (error) {
    const place = byId("trouble");
    place.textContent = error.message;
    place.hidden = false;
  }
}

// What all pages share: the board of a game, words for values, and the tie of a
// form's field to its error.
import {Board} from "./board.js";
import {ListBoard} from "./list.js";
import {make} from "./make.js";

export const byId = id => document.getElementById(id);

export {make};

// boardFor gives a board in a container that draws views like the given one.
export const boardFor = (view, container) => view.picture ? new Board(container) : new ListBoard(container);

// sideName is what a side of a game is called.
export const sideName = (game, side) => game.sides[side];

// amount writes a number of what the game counts.
export function amount(game, n) {
  if (game.unit) return `${n} ${n === 1 ? game.unit : game.units}`;
  return ["nothing", "half a win", "a win"][n] || String(n);
}

// scoreText writes a score, "" for a game in which it counts nothing.
export const scoreText = (game, score) => game.unit || game.points ? `${score[0]}–${score[1]}` : "";

// standing says whose turn it is, and the score.
export function standing(game, view) {
  const score = scoreText(game, view.score);
  return `${sideName(game, view.turn)} to move${score && `, ${score}`}.`;
}

const signed = n => n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "0";

// valueText writes a score with its proof: +3, ≥+1, ≤+2, ≈+4; won, tie or lost
// where a game counts nothing.
export function valueText(game, score, proof) {
  if (!game.unit) {
    if (proof === "estimate") return `≈${signed(Math.round(score) / 100)}`;
    return {exact: "", lower: "≥ ", upper: "≤ "}[proof] + (score > 0 ? "won" : score < 0 ? "lost" : "tie");
  }
  return {exact: "", lower: "≥", upper: "≤", estimate: "≈"}[proof] + signed(score);
}

export const proofWords = {exact: "proved", lower: "proved lower bound", upper: "proved upper bound", estimate: "estimate"};
export const sourceWords = {
  book: "opening book", table: "solved table", solved: "solved just now", mirror: "mirror theorem",
  search: "live search", instant: "first glance", rules: "the rules",
};

// sentence says what a decision means for the side to move.
export function sentence(game, view, d) {
  const who = sideName(game, view.turn);
  if (!game.unit) {
    if (d.proof === "estimate") return `${who} stands at ${valueText(game, d.score, d.proof)}${game.points ? ` ${game.points}` : ""}, an estimate.`;
    const what = d.score > 0 ? "wins" : d.score < 0 ? "loses" : "gets a tie";
    const bound = {exact: "", lower: " at least", upper: " at best"}[d.proof];
    return `${who} ${what}${bound} with best play${d.distance ? ` in ${d.distance} turns` : ""}.`;
  }
  const n = Math.abs(d.score);
  const what = n === 0 ? `as many ${game.units} as the opponent` : `${amount(game, n)} ${d.score > 0 ? "more" : "fewer"} than the opponent`;
  const bound = {exact: "", lower: "at least ", upper: "at most ", estimate: "about "}[d.proof];
  return `From here ${who} gets ${bound}${what}${d.proof === "estimate" ? " (an estimate)" : ", proved"}.`;
}

// losses turns a decision's moves into what lies on the board and in lists:
// text and kind for the board, label in words, and givesUp, what a move gives up
// against the best, "" where that is not known. An estimate is compared with
// estimates and with proved values on the same scale alone, never with a bound.
export function losses(game, d) {
  const out = {};
  for (const m of d.moves) out[m.move] = {value: m, round: m.proof !== "estimate", ...lossOf(game, d, m)};
  return out;
}

function lossOf(game, d, m) {
  const loss = d.score - m.score, value = valueText(game, m.score, m.proof);
  const kindOf = n => n <= 0 ? "best" : n <= (game.unit ? 2 : 1) ? "some" : "much";
  if (m.proof === "estimate") {
    const comparable = d.proof === "estimate" || d.proof === "exact" && game.unit;
    if (!comparable) return {text: value, label: `worth about ${value.slice(1)}, an estimate`, kind: "guess", givesUp: ""};
    const n = game.unit ? loss : Math.round(loss / 10) / 10, kind = `guess ${kindOf(game.unit ? loss : loss / 50)}`;
    if (loss <= 0) return {text: "≈✓", label: "best by estimate", kind, givesUp: "≈0"};
    return {text: `≈−${n}`, label: `about ${n} worse, an estimate`, kind, givesUp: `≈${n}`};
  }
  if (d.proof === "exact" && (m.proof === "exact" || m.proof === "lower" && loss <= 0)) {
    const label = !game.unit ? `${m.score > 0 ? "wins" : m.score < 0 ? "loses" : "gets a tie"}, proved` :
      loss <= 0 ? "gives up nothing, proved" : `gives up ${amount(game, loss)}, proved`;
    const text = !game.unit ? value : loss <= 0 ? "✓" : `−${loss}`;
    return {text, label, kind: kindOf(loss), givesUp: game.unit ? String(Math.max(loss, 0)) : amount(game, Math.max(loss, 0))};
  }
  if (m.proof !== "lower" && (d.proof === "exact" || d.proof === "lower") && loss > 0) {
    return {
      text: game.unit ? `≤−${loss}` : value, label: `gives up at least ${amount(game, loss)}, proved`,
      kind: kindOf(loss), givesUp: `≥ ${game.unit ? loss : amount(game, loss)}`,
    };
  }
  // Proved, but not enough to say what it gives up.
  const bound = {exact: "", lower: "at least ", upper: "at most "}[m.proof];
  const what = game.unit ? m.score : ["a loss", "a tie", "a win"][Math.sign(m.score) + 1];
  return {text: value, label: `worth ${bound}${what}, proved`, kind: "bound", givesUp: ""};
}

// complain shows an error beside its field, or clears it.
export function complain(field, text) {
  const place = byId(`${field.id}-error`);
  place.textContent = text || "";
  place.hidden = !text;
  if (text) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}

// fillSelect puts options [value, text] into a select and keeps its choice
// where it is still there.
export function fillSelect(select, options, choice) {
  const wanted = choice === undefined ? select.value : choice;
  select.replaceChildren(...options.map(([value, text]) => make("option", {value}, text)));
  if (options.some(([value]) => value === wanted)) select.value = wanted;
}

// boardOptions are the boards of a game for a select.
export const boardOptions = boards => boards.map(b => [b, b || "the usual one"]);

// offerSize makes the size of a view's board the chosen one.
export function offerSize(game, v) {
  if (!v.board) return;
  fillSelect(byId("board"), boardOptions([...new Set([...game.boards, v.board])]), v.board);
}

// plainRecord writes a game in the format that analyze reads.
export function plainRecord(game, start, moves, names, end) {
  return `game: ${game}\nstart: ${start}\nplayer_1: ${names[0]}\nplayer_2: ${names[1]}\n` +
    `winner: ${end.winner}\nscore: ${end.score[0]}-${end.score[1]}\nend: ${end.over ? "played" : "stopped"}\n\n${moves.join("\n")}\n`;
}

// store and recall keep things in this browser; without storage they forget.
export function store(key, value) {
  try { localStorage.setItem(`endwise.${key}`, JSON.stringify(value)); } catch { /* full or forbidden */ }
}

export function recall(key, fallback) {
  try { return JSON.parse(localStorage.getItem(`endwise.${key}`)) ?? fallback; } catch { return fallback; }
}

// start runs a page and shows what goes wrong.
export async function start(page) {
  try {
    await page();
  } catch (error) {
    const place = byId("trouble");
    place.textContent = error.message;
    place.hidden = false;
  }
}

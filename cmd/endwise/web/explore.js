// The explore page: a position, the moves that led to it, and the values of its moves with
// their sources. The position and the moves are in the page's address.
import {Board} from "./board.js";
import {games, page, view} from "./ask.js";
import {Editor} from "./editor.js";
import {allEqual, boardOptions, byId, canStep, complain, copyAs, fillSelect, losses, make, moveProved, offerSize, pointing, ready, refill, share, showSides, start, stepping, valueText, valuesOn} from "./site.js";
import {Why} from "./why.js";
import {Study} from "./worth.js";

let list, game, board, boardGame, root, decision = null;
// The best line: its positions as far as they were requested, and the position in it that
// is shown.
let line = [], views = [], step = 0;
// The game that contains the position: its start, its moves, and the number of those before
// the position.
let played = {start: "", moves: [], at: 0};

const address = ({start, moves, at}) => page("explore", {game: game.name, position: start, ...(moves.length && {moves: moves.join(";")}), ...(at < moves.length && {at})});

const study = new Study(d => {
  decision = d;
  if (step === 0) line = d.line || [];
  why.of(game, root);
  render();
}, () => why.clear());

const why = new Why(() => root && render());

const editor = new Editor(() => board, v => show(v, true), () => { study.stop(); byId("status").textContent = ""; }, () => { if (root) show(root, false); });

function useGame(name) {
  game = list.find(g => g.name === name) || list[0];
  byId("game").value = game.name;
  fillSelect(byId("board"), boardOptions(game.boards));
  byId("position-label").textContent = `Position: ${game.positions}`;
  [byId("some").textContent, byId("much").textContent] = game.unit ? [`−1 ${game.unit}`, "−2 or more"] : ["−½", "−1 or more"];
  byId("double").textContent = game.unit ? `A lost ${game.unit} changes the value by 2.` : "Losses are in wins, estimated ones in pieces.";
  byId("examples").replaceChildren(...game.examples.map(([name, text]) => {
    const b = make("button", {type: "button"}, name);
    b.addEventListener("click", () => open(text, true));
    return b;
  }));
}

// show makes a view the page's position; push adds it to the history and scrolls to the board. known is the game that
// contains it, if it is not the one that was read.
async function show(v, push, known) {
  if (!board || boardGame !== game) [board, boardGame] = [new Board(byId("place")), game];
  root = v;
  played = known || {start: v.start || v.position, moves: v.played || [], at: v.played?.length || 0};
  decision = null;
  line = [];
  views = [v];
  step = 0;
  byId("position").value = v.position;
  complain(byId("position"));
  if (push) {
    history.pushState(null, "", address(played));
    byId("place").scrollIntoView({block: "nearest"});
  }
  offerSize(game, v);
  document.title = `${game.title}: explore · Endwise`;
  byId("playon").href = page("play", {game: game.name, position: v.position});
  showSides(game, v);
  editor.show(game, v);
  byId("faint").hidden = !Object.keys(v.twins || {}).length;
  why.of(game, v);
  await study.of(game, v);
}

// kindOf names the set of equivalent moves that a move {move, proof} is listed with.
const kindOf = ({move, proof}) => (!root.alike || proof === "estimate") && root.twins?.[move] || move;

function render() {
  const v = views[step];
  showSides(game, v);
  document.body.classList.toggle("ahead", step > 0);
  byId("status").textContent = v.over ? "The game is over." : `${game.sides[v.turn]} to move.`;
  byId("facts").textContent = v.facts || "";
  // The values of moves would cover the parts.
  const parts = step === 0 ? why.parts : undefined;
  board.show(v, {choose: go, parts, values: decision && step === 0 && !parts ? valuesOn(game, root, decision) : {}, arrow: step < line.length && !(step === 0 && decision && allEqual(root, decision)) ? line[step] : undefined, sure: decision && moveProved(decision)});
  canStep(step + played.at > 0, step < line.length || played.at < played.moves.length);
  byId("source").title = decision?.note || "";
  byId("step").textContent = step === 0 && played.at > 0 ? `move ${played.at}` : line.length ? `${step} of ${line.length}` : "";
  steps("line", line, step, walk);
  byId("gamepart").hidden = played.moves.length === 0;
  steps("played", played.moves, played.at, visit);
  table();
}

// steps lists moves of which n were made; go is called with another number.
function steps(id, moves, n, go) {
  const box = byId(id);
  refill(box, moves.map((move, i) => {
    const b = make("button", {type: "button", "data-move": move, ...(i === n - 1 && {"aria-current": "step"})}, move);
    b.addEventListener("click", () => go(i + 1));
    return b;
  }));
  const at = box.querySelector("[aria-current]")?.getBoundingClientRect(), {top, bottom} = box.getBoundingClientRect();
  if (at) box.scrollTop += Math.max(0, at.bottom - bottom) - Math.max(0, top - at.top);
}

// The marks ≥ and ≤ of the value show the direction of a bound.
const shortProof = {exact: "proved", lower: "bound", upper: "bound", estimate: "estimate"};

// table lists the moves, without equivalent ones.
function table() {
  const d = decision;
  if (!d) return byId("moves").replaceChildren();
  const values = losses(game, d), counts = {}, seen = new Set();
  for (const m of d.moves) counts[kindOf(m)] = (counts[kindOf(m)] || 0) + 1;
  refill(byId("moves"), d.moves.filter(m => !seen.has(kindOf(m)) && seen.add(kindOf(m))).map(m => {
    const n = counts[kindOf(m)], b = make("button", {type: "button", "data-move": m.move}, m.move);
    b.addEventListener("click", () => go(m.move));
    const about = m.estimate !== undefined && (m.proof === "lower" ? m.estimate > m.score : m.estimate < m.score) ? ` ${valueText(game, m.estimate, "estimate")}` : "";
    return make("tr", {}, make("td", {}, b, n > 1 ? ` ×${n}` : ""), make("td", {}, valueText(game, m.score, m.proof) + (m.distance ? ` in ${m.distance}` : "") + about),
      make("td", {}, values[m.move].givesUp), make("td", {title: m.source || ""}, shortProof[m.proof]));
  }));
}

// walk shows the position after n moves of the line.
async function walk(n) {
  n = Math.max(0, Math.min(line.length, n));
  const mine = root;
  while (views.length <= n) {
    const v = await view(game.name, {position: views[views.length - 1].position, moves: [line[views.length - 1]]});
    if (root !== mine) return;
    views.push(v);
  }
  step = n;
  render();
}

// visit explores the position after n moves of the game.
const visit = n => explore({...played, at: n});

// back and on step through the game, and from its position through the best line; the best
// line of an earlier position is shown by its own buttons.
const back = () => step > 0 ? walk(step - 1) : played.at > 0 && visit(played.at - 1);
const inGame = () => played.at < played.moves.length && step === 0;
const on = () => inGame() ? visit(played.at + 1) : walk(step + 1);

// go plays a move on the shown position and explores the result.
function go(move) {
  const moves = [...shownMoves(), move];
  return explore({start: played.start, moves, at: moves.length});
}

// shownMoves returns the moves to the shown position.
const shownMoves = () => [...played.moves.slice(0, played.at), ...line.slice(0, step)];

// explore shows the position of a game.
async function explore(known) {
  try {
    await show(await view(game.name, {position: known.start, moves: known.moves.slice(0, known.at)}), true, known);
  } catch (error) {
    byId("status").textContent = error.message;
  }
}

async function open(text, push, moves = [], at = moves.length) {
  try {
    const v = await view(game.name, {position: text, moves: moves.slice(0, at)});
    await show(v, push, moves.length ? {start: text, moves, at: Math.min(at, moves.length)} : undefined);
  } catch (error) {
    byId("editor").open = true;
    complain(byId("position"), error.message);
  }
}

async function fromAddress() {
  const params = new URLSearchParams(location.search);
  useGame(params.get("game"));
  const position = params.get("position");
  const first = async board => show(await view(game.name, {board}), false);
  if (!position) {
    const board = params.get("board") || byId("board").value;
    return first(board).catch(async error => {
      await first(byId("board").value);
      byId("status").textContent = `${error.message}. This is the usual board instead.`;
      byId("status").classList.add("long");
    });
  }
  byId("position").value = position;
  const moves = (params.get("moves") || "").split(";").filter(Boolean), at = params.has("at") ? Number(params.get("at")) || 0 : undefined;
  await open(position, false, moves, at);
  if (root) return;
  const wrong = byId("position-error").textContent;
  await first(byId("board").value);
  byId("position").value = position;
  complain(byId("position"), wrong);
  byId("status").textContent = `${wrong} This is the first position instead.`;
  byId("status").classList.add("long");
}

start(async () => {
  list = await games();
  fillSelect(byId("game"), list.map(g => [g.name, g.title]));
  const empty = () => start(async () => show(await view(game.name, {board: byId("board").value}), true));
  byId("game").addEventListener("change", () => { useGame(byId("game").value); empty(); });
  byId("empty").addEventListener("click", empty);
  byId("more").addEventListener("click", () => byId("moves").classList.add("all"));
  byId("board").addEventListener("change", empty);
  byId("open").addEventListener("submit", event => {
    event.preventDefault();
    open(byId("position").value, true);
  });
  ready(byId("open"));
  stepping(() => step > 0 ? walk(0) : visit(0), back, on, () => inGame() ? visit(played.moves.length) : walk(line.length));
  share(() => game.name, () => address(step > 0 ? {...played, moves: shownMoves(), at: played.at + step} : played));
  pointing(() => board);
  copyAs(() => game, () => ({position: played.start, moves: shownMoves()}));
  addEventListener("popstate", () => start(fromAddress));
  await fromAddress();
});

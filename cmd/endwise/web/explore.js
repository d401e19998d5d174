// The explore page: a position, and the values of its moves with their sources. The
// position is in the page's address.
import {Board} from "./board.js";
import {games, page, reasons, view} from "./ask.js";
import {Editor} from "./editor.js";
import {arrows, boardOptions, byId, complain, copyAs, fillSelect, losses, make, moveProved, offerSize, pointing, ready, refill, share, showSides, start, valueText, valuesOn} from "./site.js";
import {allEqual, Study} from "./worth.js";

let list, game, board, boardGame, root, decision = null;
// The best line: its positions as far as they were requested, and the position in it that
// is shown.
let line = [], views = [], step = 0;
// The position that the menu "Why" explains, and the reasons.
let asked = null, because = [];

const address = position => page("explore", {game: game.name, position});

const study = new Study(d => {
  decision = d;
  if (step === 0) line = d.line || [];
  render();
});

const editor = new Editor(() => board, v => show(v, true), () => { study.stop(); byId("status").textContent = ""; }, () => { if (root) show(root, false); });

function useGame(name) {
  game = list.find(g => g.name === name) || list[0];
  byId("game").value = game.name;
  fillSelect(byId("board"), boardOptions(game.boards));
  byId("position-label").textContent = `Position: ${game.positions}`;
  byId("examples").replaceChildren(...game.examples.map(([name, text]) => {
    const b = make("button", {type: "button"}, name);
    b.addEventListener("click", () => open(text, true));
    return b;
  }));
}

// show makes a view the page's position; push adds it to the history.
async function show(v, push) {
  if (!board || boardGame !== game) [board, boardGame] = [new Board(byId("place")), game];
  root = v;
  decision = null;
  because = [];
  line = [];
  views = [v];
  step = 0;
  byId("position").value = v.position;
  complain(byId("position"));
  if (push) history.pushState(null, "", address(v.position));
  offerSize(game, v);
  document.title = `${game.title}: explore · Endwise`;
  byId("playon").href = page("play", {game: game.name, position: v.position});
  showSides(game, v);
  editor.show(game, v);
  render();
  explain();
  await study.of(game, v);
}

// explain shows the reasons for the position's value if the menu is open. The board shows
// the parts of the first reason that has some.
async function explain() {
  const mine = root, menu = byId("why");
  menu.hidden = mine.over;
  if (!menu.open || mine.over) because = [];
  else if (asked !== mine) {
    asked = mine;
    because = [{text: "Looking…"}];
    render();
    try {
      because = await reasons({game: game.name, position: mine.position}, "2s");
    } catch (error) {
      because = [{text: error.message}];
    }
    if (root !== mine) return;
    if (!menu.open) because = [];
  }
  if (!because.length) asked = null;
  render();
}

// kindOf names the set of equivalent moves that a move {move, proof} is listed with.
const kindOf = ({move, proof}) => (!root.alike || proof === "estimate") && root.twins?.[move] || move;

function render() {
  const v = views[step];
  byId("status").textContent = v.over ? "The game is over." :
    `${game.sides[v.turn]} to move.${step > 0 ? ` After ${step} of ${line.length} moves of the line.` : ""}`;
  byId("facts").textContent = v.facts || "";
  // The values of moves would cover the parts.
  const parts = step === 0 ? because.find(r => r.parts?.some(p => p.moves))?.parts : undefined;
  board.show(v, {choose: go, parts, values: decision && step === 0 && !parts ? valuesOn(game, root, decision) : {}, arrow: step < line.length && !(step === 0 && decision && allEqual(root, decision)) ? line[step] : undefined, sure: decision && moveProved(decision)});
  byId("first").disabled = byId("previous").disabled = step === 0;
  byId("next").disabled = step >= line.length;
  byId("note").textContent = decision?.note ? `${decision.note[0].toUpperCase()}${decision.note.slice(1)}.` : "";
  byId("reasons").replaceChildren(...because.map(r => make("p", {}, r.text)));
  byId("step").textContent = line.length ? `${step} of ${line.length}` : "";
  refill(byId("line"), line.map((move, i) => {
    const b = make("button", {type: "button", "data-move": move, ...(i === step - 1 && {"aria-current": "step"})}, move);
    b.addEventListener("click", () => walk(i + 1));
    return b;
  }));
  table();
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

// go plays a move on the shown position and explores the result.
async function go(move) {
  try {
    await show(await view(game.name, {position: views[step].position, moves: [move]}), true);
  } catch (error) {
    byId("status").textContent = error.message;
  }
}

async function open(text, push) {
  try {
    await show(await view(game.name, {position: text}), push);
  } catch (error) {
    byId("editor").open = true;
    complain(byId("position"), error.message);
  }
}

async function fromAddress() {
  const params = new URLSearchParams(location.search);
  useGame(params.get("game"));
  const position = params.get("position");
  const first = async () => show(await view(game.name, {board: byId("board").value}), false);
  if (!position) return first();
  byId("position").value = position;
  await open(position, false);
  if (root) return;
  const wrong = byId("position-error").textContent;
  await first();
  byId("position").value = position;
  complain(byId("position"), wrong);
  byId("status").textContent = `${wrong} This is the first position instead.`;
}

start(async () => {
  list = await games();
  fillSelect(byId("game"), list.map(g => [g.name, g.title]));
  const empty = () => start(async () => show(await view(game.name, {board: byId("board").value}), true));
  byId("game").addEventListener("change", () => { useGame(byId("game").value); empty(); });
  byId("why").addEventListener("toggle", () => root && explain());
  byId("empty").addEventListener("click", empty);
  byId("board").addEventListener("change", empty);
  byId("open").addEventListener("submit", event => {
    event.preventDefault();
    open(byId("position").value, true);
  });
  ready(byId("open"));
  byId("first").addEventListener("click", () => walk(0));
  byId("previous").addEventListener("click", () => walk(step - 1));
  byId("next").addEventListener("click", () => walk(step + 1));
  arrows(() => walk(step - 1), () => walk(step + 1));
  share(() => game.name, () => address(views[step].position));
  pointing(() => board);
  copyAs(() => game, () => ({position: root.position, moves: line.slice(0, step)}));
  addEventListener("popstate", () => start(fromAddress));
  await fromAddress();
});

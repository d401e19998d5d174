// The explore page: a position, what every move of it is worth and who says
// so. The position is in the page's address.
import {ask, games, page, view} from "./ask.js";
import {boardFor, boardOptions, byId, complain, fillSelect, losses, make, offerSize, proofWords, scoreText, sentence, sideName, sourceWords, standing, start, valueText} from "./site.js";

let list, game, board, boardGame, root, decision = null, asking = null;
// The best line: the positions along it, as far as they were looked at, and
// how far the page shows it.
let line = [], views = [], step = 0;

const address = position => page("explore", {game: game.name, position});

function useGame(name) {
  game = list.find(g => g.name === name) || list[0];
  byId("game").value = game.name;
  fillSelect(byId("board"), boardOptions(game.boards));
  byId("position-label").textContent = `Position: ${game.positions}`;
  byId("legend-score").hidden = !game.unit;
  byId("legend-result").hidden = Boolean(game.unit);
}

// show makes a view the page's position; push puts it into the history.
async function show(v, push) {
  if (!board || boardGame !== game) [board, boardGame] = [boardFor(v, byId("place")), game];
  root = v;
  decision = null;
  line = [];
  views = [v];
  step = 0;
  byId("position").value = v.position;
  complain(byId("position"));
  if (push) history.pushState(null, "", address(v.position));
  offerSize(game, v);
  document.title = `${game.title}: explore · Endwise`;
  byId("playon").href = page("play", {game: game.name, position: v.position});
  render();
  if (v.over) {
    const winner = v.winner ? `${sideName(game, v.winner)} won` : "a tie", score = scoreText(game, v.score);
    byId("verdict").textContent = `The game is over: ${winner}${score && `, ${score}`}.`;
    return;
  }
  await think();
}

async function think() {
  if (asking) asking.abort();
  const mine = asking = new AbortController();
  byId("verdict").textContent = "Looking it up…";
  try {
    const d = await ask(root, byId("time").value, "all", {signal: mine.signal});
    if (asking !== mine) return;
    decision = d;
    line = d.line || [];
    render();
  } catch (error) {
    if (error.name !== "AbortError") byId("verdict").textContent = error.message;
  }
}

// twinOf is the move that stands for a move and its equals.
const twinOf = move => (root.twins && root.twins[move]) || move;

function valuesOnBoard() {
  if (!decision) return {};
  const values = losses(game, decision);
  for (const [twin, of] of Object.entries(root.twins || {})) {
    const v = values[of] || values[twin];
    if (v) values[twin] = {...v, kind: `${v.kind} twin`, label: `equal to ${of} by symmetry, ${v.label}`};
  }
  return values;
}

function render() {
  const v = views[step];
  byId("status").textContent = v.over ? "The game is over." :
    `${standing(game, v)}${step > 0 ? ` After ${step} of ${line.length} moves of the line.` : ""}`;
  byId("facts").textContent = v.facts || "";
  board.show(v, {choose: go, values: step === 0 ? valuesOnBoard() : {}, arrow: step < line.length ? line[step] : undefined});
  for (const id of ["source", "note", "line", "step", "moves"]) byId(id).textContent = "";
  byId("note").hidden = true;
  byId("first").disabled = byId("previous").disabled = step === 0;
  byId("next").disabled = step >= line.length;
  if (!decision) {
    byId("verdict").textContent = "";
    return;
  }
  const d = decision;
  byId("verdict").textContent = `${sentence(game, root, d)} Best is ${d.move}.`;
  byId("source").textContent = `${valueText(game, d.score, d.proof)}, ${proofWords[d.proof]}, ${sourceWords[d.source] || d.source}` +
    `${d.depth ? `, depth ${d.depth}` : ""}; ${(d.nodes || 0).toLocaleString("en")} nodes, ${d.elapsed_ms.toFixed(0)} ms`;
  byId("note").textContent = d.note || "";
  byId("note").hidden = !d.note;
  byId("step").textContent = line.length ? `${step} of ${line.length}` : "";
  line.forEach((move, i) => {
    const b = make("button", {type: "button"}, move);
    if (i === step - 1) b.setAttribute("aria-current", "step");
    b.addEventListener("click", () => walk(i + 1));
    byId("line").append(b);
  });
  table(d);
}

// The value says with ≥ and ≤ which way a bound goes.
const shortProof = {exact: "exact", lower: "bound", upper: "bound", estimate: "estimate"};

// table lists the moves, equal ones once.
function table(d) {
  const values = losses(game, d), counts = {};
  for (const m of d.moves) counts[twinOf(m.move)] = (counts[twinOf(m.move)] || 0) + 1;
  const seen = new Set();
  for (const m of d.moves) {
    const of = twinOf(m.move);
    if (seen.has(of)) continue;
    seen.add(of);
    const b = make("button", {type: "button"}, of);
    b.addEventListener("click", () => go(of));
    const name = make("td", {}, b, counts[of] > 1 ? ` ×${counts[of]}` : "");
    byId("moves").append(make("tr", {}, name, make("td", {}, valueText(game, m.score, m.proof) + (m.distance ? ` in ${m.distance}` : "")),
      make("td", {}, values[m.move].givesUp), make("td", {}, shortProof[m.proof]), make("td", {}, m.source || "")));
  }
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

// go plays a move on the shown position and explores what follows.
async function go(move) {
  try {
    await show(await view(game.name, {position: views[step].position, moves: [move]}), true);
  } catch (error) {
    byId("verdict").textContent = error.message;
  }
}

async function open(text, push) {
  try {
    await show(await view(game.name, {position: text}), push);
  } catch (error) {
    complain(byId("position"), error.message);
  }
}

async function fromAddress() {
  const params = new URLSearchParams(location.search);
  useGame(params.get("game"));
  const position = params.get("position");
  if (!position) return show(await view(game.name, {board: byId("board").value}), false);
  byId("position").value = position;
  await open(position, false);
  if (!root) await show(await view(game.name, {board: byId("board").value}), false);
}

start(async () => {
  list = await games();
  fillSelect(byId("game"), list.map(g => [g.name, g.title]));
  byId("game").addEventListener("change", () => start(async () => {
    useGame(byId("game").value);
    await show(await view(game.name, {board: byId("board").value}), true);
  }));
  const empty = () => start(async () => show(await view(game.name, {board: byId("board").value}), true));
  byId("empty").addEventListener("click", empty);
  byId("board").addEventListener("change", empty);
  byId("open").addEventListener("submit", event => {
    event.preventDefault();
    open(byId("position").value, true);
  });
  byId("again").addEventListener("click", () => { if (root && !root.over) think(); });
  byId("time").addEventListener("change", () => { if (root && !root.over) think(); });
  byId("first").addEventListener("click", () => walk(0));
  byId("previous").addEventListener("click", () => walk(step - 1));
  byId("next").addEventListener("click", () => walk(step + 1));
  byId("copy").addEventListener("click", async () => {
    const link = new URL(address(root.position), location).href;
    try {
      await navigator.clipboard.writeText(link);
      byId("copy").textContent = "Copied";
    } catch {
      byId("position").value = link; // no clipboard: to be copied by hand
      byId("position").select();
    }
    setTimeout(() => { byId("copy").textContent = "Copy link"; }, 1500);
  });
  addEventListener("popstate", () => start(fromAddress));
  await fromAddress();
});

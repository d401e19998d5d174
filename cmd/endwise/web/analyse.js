// The analyse page: has a game record judged and shows it on a board, move by
// move. The positions with one move that holds are kept for the practise page.
import {Board} from "./board.js";
import {analysis, games, page, view} from "./ask.js";
import {amount, arrows, byId, complain, copyAs, make, moveTable, ready, recall, share, showSides, start, store, valuesOn} from "./site.js";
import {showBar, Study} from "./worth.js";

const maxKept = 200; // exercises that this browser keeps
let running = null, board, game, judged, views, ply = 0, shown = 0; // the moves that are asked for and shown

const study = new Study(draw);

async function analyse(text, name) {
  if (running) running.abort();
  const mine = running = new AbortController();
  complain(byId("record"));
  byId("progress").hidden = byId("stop").hidden = false;
  byId("progress").removeAttribute("value");
  byId("status").textContent = "Working from the end of the game backwards…";
  let message = "";
  try {
    const result = await analysis(text, name, {signal: mine.signal, update: ({done, total}) => {
      byId("progress").max = total;
      byId("progress").value = done;
      if (done % 10 === 0) byId("status").textContent = `${done} of ${total} positions`;
    }});
    await show(result);
  } catch (error) {
    if (error.name === "AbortError") message = "Stopped.";
    else complain(byId("record"), error.message);
  }
  if (running !== mine) return;
  running = null;
  byId("progress").hidden = byId("stop").hidden = true;
  byId("status").textContent = message;
}

async function show(result) {
  judged = result.analysis;
  game = (await games()).find(g => g.name === judged.game);
  views = [await view(game.name, {position: judged.start})];
  byId("intake").hidden = true;
  byId("desk").hidden = false;
  board = new Board(byId("place"));
  byId("result").textContent = result.result;
  // Our own markup, with every name in it escaped.
  byId("plot").replaceChildren(new DOMParser().parseFromString(result.plot, "text/html").body.firstChild);
  byId("plot").firstChild.addEventListener("click", event => {
    const plot = event.currentTarget, box = plot.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * plot.viewBox.baseVal.width, {left, right} = plot.dataset;
    walk(Math.round((x - left) / (right - left) * judged.moves.length));
  });
  byId("accuracy").replaceChildren(accuracy(judged.players));
  for (const side of [1, 2]) byId(`head${side}`).textContent = judged.players[side - 1].name;
  byId("nextmistake").disabled = !judged.moves.some(lost);
  const found = result.exercises || [];
  byId("practise").hidden = found.length === 0;
  if (found.length > 0) {
    const kept = recall("exercises", []).filter(e => !found.some(f => f.position === e.position));
    store("exercises", [...found, ...kept].slice(0, maxKept));
    byId("practise").href = page("practise", {from: "mine", game: found[0].game});
    byId("practise").textContent = `Practise ${found.length === 1 ? "a position" : `${found.length} positions`}`;
  }
  const first = judged.moves.find(lost);
  await walk(first ? first.ply - 1 : judged.moves.length);
}

// accuracy is the table of how well both played, with its words explained.
const accuracy = players => {
  const cells = (kind, texts) => make("tr", {}, ...texts.map((text, i) => make(i && kind === "th" || !i ? "th" : "td", {scope: kind === "th" ? "col" : "row"}, text)));

  const words = make("p", {class: "small"}, "Accuracy: moves without a mistake, of those that could be judged. Given up: what the mistakes cost against best play.");
  const rows = players.map(p => cells("td", [p.name, p.judged ? `${(100 * (1 - p.mistakes / p.judged)).toFixed(1)} %` : "–", String(p.mistakes), amount(game, p.gave_up), `${p.judged} of ${p.moves}`]));
  const table = make("table", {}, make("thead", {}, cells("th", ["Player", "Accuracy", "Mistakes", "Given up", "Moves judged"])), make("tbody", {}, ...rows));
  return make("div", {}, make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "How well both played"}, table), words);
};

const lost = m => m.gives_up > 0 || m.at_least > 0;

// cost says what a mistake gave up.
const cost = m => `gave up ${m.gives_up > 0 ? "" : "at least "}${amount(game, m.gives_up > 0 ? m.gives_up : m.at_least)}; better ${m.best}`;

// worth is what the game is known to be worth after so many moves, as a lookup
// would say it.
function worth(n, v) {
  const m = judged.margins.find(m => m.ply === n), sign = v.turn === 1 ? 1 : -1;
  if (!m) return null;
  const proof = m.proof === "estimate" || m.proof === "exact" || sign === 1 ? m.proof : m.proof === "lower" ? "upper" : "lower";
  const score = game.unit ? m.value - (v.score[0] - v.score[1]) : m.proof === "estimate" ? 800 * m.value : m.value;
  return {score: sign * score, proof, exact: proof === "exact"};
}

// draw shows the board, with what study has found or the analysis knows.
function draw(known) {
  const v = views[shown], following = judged.moves[shown], wrong = following && lost(following);
  board.show(v, {choose: v.over ? undefined : explore, values: known ? valuesOn(game, v, known) : {}, arrow: wrong ? following.best : undefined, wrong: wrong ? following.move : undefined});
  if (!known) showBar(game, v, v.over ? null : worth(shown, v));
}

// walk shows the position after n moves.
async function walk(n) {
  n = ply = Math.max(0, Math.min(judged.moves.length, n));
  const mine = judged, moves = judged.moves;
  views[n] ||= await view(game.name, {position: judged.start, moves: moves.slice(0, n).map(m => m.move)});
  if (judged !== mine || ply !== n) return;
  const v = views[n], following = moves[n], wrong = following && lost(following);
  shown = n;
  study.of(game, v);
  draw(null);
  showSides(game, v, judged.players.map(p => p.name));
  byId("now").textContent = wrong ? `Move ${n + 1}, ${judged.players[following.player - 1].name}: ${following.move} ${cost(following)}.` :
    n === moves.length ? "The end of the game." : n === 0 ? "The first position." : `After move ${n}, ${moves[n - 1].move}.`;
  moveTable(byId("moves"), moves.map(m => ({move: m.move, side: m.player, ...(lost(m) && {mark: (m.gives_up || m.at_least) > (game.unit ? 2 : 1) ? "??" : "?", title: cost(m)})})), {current: n, go: walk});
  byId("first").disabled = byId("previous").disabled = n === 0;
  byId("next").disabled = n === moves.length;
  byId("explore").href = page("explore", {game: game.name, position: v.position});
  const plot = byId("plot").querySelector(".plot"), {left, right} = plot.dataset, at = +left + (right - left) * n / moves.length;
  plot.querySelector(".cursor").setAttribute("d", `M${at} 0V${plot.viewBox.baseVal.height}`);
}

// explore looks into another move than the one that was played.
const explore = async move => {
  const v = await view(game.name, {position: views[ply].position, moves: [move]});
  location.href = page("explore", {game: game.name, position: v.position});
};

async function take(file) {
  if (file.size > 1 << 20) {
    complain(byId("record"), `${file.name}: longer than 1 MB, which no game record is`);
    return;
  }
  try {
    byId("record").value = await file.text();
  } catch {
    complain(byId("record"), `${file.name}: can't be read`);
    return;
  }
  await analyse(byId("record").value, file.name);
}

start(async () => {
  const drop = byId("drop");
  byId("form").addEventListener("submit", event => {
    event.preventDefault();
    analyse(byId("record").value, "the pasted game");
  });
  byId("example").addEventListener("click", async () => {
    const {record} = (await games()).find(g => g.record);
    byId("record").value = record;
    analyse(record, "the example");
  });
  ready(byId("form"));
  byId("stop").addEventListener("click", () => { if (running) running.abort(); });
  byId("file").addEventListener("change", () => { if (byId("file").files[0]) take(byId("file").files[0]); });
  for (const type of ["dragover", "dragleave", "drop"]) {
    addEventListener(type, event => {
      event.preventDefault();
      drop.classList.toggle("over", type === "dragover");
      if (type === "drop" && event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
    });
  }
  byId("another").addEventListener("click", () => {
    study.stop();
    byId("desk").hidden = true;
    byId("intake").hidden = false;
    byId("record").focus();
    byId("record").select(); // what is pasted takes its place
  });
  byId("first").addEventListener("click", () => walk(0));
  byId("previous").addEventListener("click", () => walk(ply - 1));
  byId("next").addEventListener("click", () => walk(ply + 1));
  byId("nextmistake").addEventListener("click", () => {
    const mistakes = judged.moves.filter(lost), m = mistakes.find(m => m.ply - 1 > ply) || mistakes[0];
    walk(m.ply - 1);
  });
  arrows(() => judged && walk(ply - 1), () => judged && walk(ply + 1));
  share(() => game.name, () => page("explore", {game: game.name, position: views[ply].position}));
  copyAs(() => game, () => ({position: judged.start, moves: judged.moves.slice(0, ply).map(m => m.move)}));
  const handed = sessionStorage.getItem("endwise.record");
  if (handed) {
    sessionStorage.removeItem("endwise.record");
    byId("record").value = handed;
    await analyse(handed, "the game just played");
  }
});

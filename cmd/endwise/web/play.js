// The play page: a game between two sides, each a person, a level or the engine. The page
// stores the game; the server only applies the rules and chooses moves.
import {Board} from "./board.js";
import {ask, games, page, view} from "./ask.js";
import {arrows, boardOptions, byId, choices, copyAs, download, fillSelect, make, mark, moveTable, offerSize, plainRecord, recall, scoreText, sentence, share, showSides, sound, start, store, valueText, valuesOn, proofWords, sourceWords} from "./site.js";
import {showBar, Study} from "./worth.js";

const PAUSE = 350; // milliseconds between two moves of machines
const opponents = [["level1", "Easy"], ["level3", "Medium"], ["engine", "Hard"], ["human", "A friend"]];
let list, game, board, boardGame, busy = null, paused = false;
// The game: its first position, its moves and their players, and the current position.
let first, given, moves = [], movers = [], current = null;
let shown = null, ply = 0; // the shown position: the current one, or the one after ply moves
let known = null; // its evaluation, if values are shown
let who = ["", ""]; // names of both players next to their clocks
let used = [0, 0], since = 0; // milliseconds used by both sides; start of the turn
const playerOf = side => byId(`player${side}`).value;
const isHuman = side => playerOf(side) === "human";
const watching = () => !isHuman(1) && !isHuman(2);
const mine = () => !current.over && isHuman(current.turn);

const study = new Study(d => {
  known = d;
  draw();
});

// useGame selects a game in the page's controls.
function useGame(name) {
  game = list.find(g => g.name === name) || list[0];
  mark(byId("tiles"), game.name);
  fillSelect(byId("board"), boardOptions(game.boards), game.boards[0]);
  const players = [["human", "a person"]];
  for (const name of game.levels) players.push([name, name.replace(/\d/, " $&")]);
  players.push(["engine", "the engine"]);
  for (const side of [1, 2]) {
    byId(`label${side}`).textContent = game.sides[side];
    byId(`head${side}`).textContent = game.sides[side];
    fillSelect(byId(`player${side}`), players);
  }
  const me = isHuman(1) || !isHuman(2) ? "1" : "2";
  choices(byId("sidechoice"), [["1", game.sides[1]], ["2", game.sides[2]]], me, oppose);
  byId("ruletext").replaceChildren(make("ul", {}, ...game.rules.map(line => make("li", {}, line))));
}

// oppose sets the players as the tiles are selected. A game in progress continues.
function oppose() {
  const chosen = id => document.querySelector(`#${id} :checked`)?.value;
  const me = Number(chosen("sidechoice") || 1);
  byId(`player${me}`).value = "human";
  byId(`player${3 - me}`).value = chosen("difficulty") || "level3";
  if (moves.length === 0 || current.over) {
    start(() => newGame());
    return;
  }
  halt();
  turn();
}

// showChoice marks the tiles of the current players.
function showChoice() {
  const me = isHuman(1) ? 1 : 2;
  mark(byId("sidechoice"), watching() ? "" : String(me));
  mark(byId("difficulty"), watching() ? "" : playerOf(3 - me));
}

function halt() {
  if (busy) busy.abort();
  busy = null;
}

function pause() {
  spend();
  paused = true;
  halt();
}

// setBoard adapts the page to a new game.
function setBoard() {
  if (!board || boardGame !== game) [board, boardGame] = [new Board(byId("place")), game];
  offerSize(game, current);
  showChoice();
}

async function newGame(position) {
  halt();
  const v = await view(game.name, position ? {position} : {board: byId("board").value});
  first = v.position;
  given = position;
  [moves, movers, current] = [[], [], v];
  used = [0, 0];
  paused = false;
  setBoard();
  await turn();
}

// spend adds the time since the turn began.
function spend() {
  if (!current.over && !paused) used[current.turn - 1] += performance.now() - since;
  since = performance.now();
}

// turn shows the position and lets the player to move continue.
async function turn(news) {
  since = performance.now();
  const v = current;
  render(v, moves.length, news);
  store("game", {game: game.name, first, moves, movers, players: [playerOf(1), playerOf(2)]});
  if (v.over || mine() || paused) return;
  const asking = busy = new AbortController();
  try {
    const asked = performance.now();
    const d = await ask(v, byId("time").value, playerOf(v.turn), {signal: asking.signal});
    const wait = watching() ? PAUSE - (performance.now() - asked) : 0;
    if (wait > 0) await new Promise(done => setTimeout(done, wait));
    if (busy !== asking) return;
    busy = null;
    const by = game.sides[v.turn];
    const value = d.source.startsWith("level") ? "" : `, ${valueText(game, d.score, d.proof)} (${proofWords[d.proof]}, ${sourceWords[d.source] || d.source})`;
    await play(d.move, `${by} played ${d.move}${value}.`);
  } catch (error) {
    if (error.name === "AbortError" || busy !== asking) return;
    busy = null;
    paused = true;
    byId("pause").textContent = "Continue";
    byId("pause").hidden = false;
    byId("status").textContent = error.message;
  }
}

async function play(move, news) {
  const from = current;
  const next = await view(game.name, {position: from.position, moves: [move]});
  if (current !== from) return; // undone or restarted in the meantime
  spend();
  sound(next.score.some((n, i) => n !== from.score[i]));
  moves.push(next.last);
  movers.push(from.turn);
  current = next;
  await turn(news || `${game.sides[from.turn]} played ${next.last}.`);
}

function ending(v) {
  const score = scoreText(v.winner === 2 ? v.score.toReversed() : v.score);
  return v.winner ? `${game.sides[v.winner]} wins ${score}.` : `A tie, ${score}.`;
}

// draw shows the board; hint is a move to point out.
const draw = hint => board.show(shown, {choose: shown === current && mine() ? chosen : undefined, values: known ? valuesOn(game, shown, known) : {}, arrow: hint});

// look shows an earlier position, without playing on from it.
async function look(n) {
  const of = current;
  n = Math.max(0, Math.min(moves.length, n));
  if (n === ply) return;
  if (watching() && !paused && !of.over) pause();
  const v = n === moves.length ? of : await view(game.name, {position: first, moves: moves.slice(0, n)});
  if (current === of) render(v, n);
}

// render shows the position after n moves of the game.
function render(v, n, news) {
  const human = v === current && mine();
  [shown, ply, known] = [v, n, null];
  byId("hinttext").textContent = "";
  draw();
  who = [1, 2].map(side => {
    const select = byId(`player${side}`), text = select.options[select.selectedIndex].text;
    return isHuman(side) ? "" : `${opponents.find(o => o[0] === select.value)?.[1].toLowerCase() || text}, `;
  });
  showSides(game, v);
  study.of(game, v, v !== current || v.over || human || paused);
  // The most important text comes first, because long text is cut.
  const parts = v !== current ? [`${n ? `After move ${n}, ${moves[n - 1]}` : "The first position"}. → leads back to the game.`] :
    [v.over ? ending(v) : human ? `${game.sides[v.turn]} to move.` : paused ? "Paused." : `${game.sides[v.turn]} thinks…`, news, v.news && `${v.news[0].toUpperCase()}${v.news.slice(1)}.`];
  byId("status").textContent = parts.filter(Boolean).join(" ");
  document.body.dataset.phase = v.over ? "over" : "playing";
  byId("facts").textContent = v.facts || "";
  moveTable(byId("moves"), moves.map((move, i) => ({move, side: movers[i]})), {current: n, go: look});
  coach(human);
  byId("undo").disabled = moves.length === 0;
  byId("hint").disabled = !human;
  byId("save").disabled = byId("analyse").disabled = moves.length === 0;
  byId("pause").hidden = !watching() || current.over;
  byId("pause").textContent = paused ? "Continue" : "Pause";
  byId("explore").href = page("explore", {game: game.name, position: v.position});
  clocks();
}

// coach shows advice for the first move to users who have not yet made one in this game.
function coach(human) {
  const met = recall("met", []);
  if (moves.length > 0 && movers.some(isHuman) && !met.includes(game.name)) store("met", [...met, game.name]);
  byId("coach").hidden = !human || moves.length > 1 || given || met.includes(game.name);
  byId("coach").textContent = game.coach;
}

function clocks() {
  const v = current;
  if (!v) return;
  for (const side of [1, 2]) {
    const running = !v.over && !paused && v.turn === side ? performance.now() - since : 0;
    byId(`clock${side}`).textContent = `${who[side - 1]}${((used[side - 1] + running) / 1000).toFixed(who[side - 1] ? 0 : 1)} s`;
  }
}

function chosen(move) {
  if (shown !== current || !mine()) return;
  play(move).catch(error => { byId("status").textContent = error.message; });
}

// undo returns to the last position in which a person is to move, or by one move if
// machines play.
async function undo() {
  halt();
  let side;
  do {
    moves.pop();
    side = movers.pop();
  } while (moves.length > 0 && !watching() && !isHuman(side));
  if (watching()) paused = true;
  current = await view(game.name, {position: first, moves});
  await turn("Undone.");
}

async function hint() {
  const v = current;
  byId("hinttext").textContent = "Thinking…";
  try {
    const d = await ask(v, byId("time").value, "best");
    if (shown !== v) return;
    draw(d.move);
    showBar(game, v, d);
    byId("hinttext").textContent = `Best is ${d.move}: ${sentence(game, v, d)}`;
  } catch (error) {
    byId("hinttext").textContent = error.message;
  }
}

function record() {
  const name = side => opponents.find(o => o[0] === playerOf(side))?.[1] || playerOf(side);
  const names = [1, 2].map(side => !isHuman(side) ? `${name(side)}${watching() ? ` (${side})` : ""}` : isHuman(3 - side) ? game.sides[side] : "You");
  return plainRecord(game.name, first, moves, names, current);
}

const save = () => download(`${game.name}-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.game`, new Blob([record()], {type: "text/plain"}));

start(async () => {
  list = await games();
  const params = new URLSearchParams(location.search), kept = recall("game", null);
  choices(byId("tiles"), list.map(g => [g.name, g.title]), "", name => { useGame(name); start(() => newGame()); });
  choices(byId("difficulty"), opponents, "level3", oppose);
  useGame(params.get("game") || (kept && kept.game));
  byId("player1").value = "human";
  byId("player2").value = "level3";
  const high = matchMedia("(min-height: 30rem)"), fold = () => { byId("setup").open = high.matches; };
  high.addEventListener("change", fold);
  fold();
  for (const side of [1, 2]) {
    byId(`player${side}`).addEventListener("change", () => {
      halt();
      showChoice();
      turn();
    });
  }
  byId("board").addEventListener("change", () => start(() => newGame()));
  byId("again").addEventListener("click", () => start(() => newGame()));
  byId("sound").checked = recall("sound", false);
  byId("sound").addEventListener("change", () => { store("sound", byId("sound").checked); sound(true); });
  byId("undo").addEventListener("click", () => start(undo));
  byId("hint").addEventListener("click", hint);
  byId("save").addEventListener("click", save);
  byId("analyse").addEventListener("click", () => {
    sessionStorage.setItem("endwise.record", record());
    location.href = page("analyse");
  });
  byId("pause").addEventListener("click", () => {
    if (!paused) {
      pause();
      render(current, moves.length);
      return;
    }
    paused = false;
    turn("Continued.");
  });
  arrows(() => look(ply - 1), () => look(ply + 1));
  share(() => game.name, () => page("explore", {game: game.name, position: shown.position}));
  copyAs(() => game, () => ({position: first, moves: moves.slice(0, ply)}));
  setInterval(clocks, 200);
  if (params.get("position")) return newGame(params.get("position"));
  if (kept && kept.game === game.name && kept.moves.length > 0) {
    try {
      await resume(kept);
      return;
    } catch { /* what was kept is of no use any more */ }
  }
  await newGame();
});

// resume continues the game stored in this browser.
async function resume(kept) {
  current = await view(game.name, {position: kept.first, moves: kept.moves});
  ({first, moves, movers} = kept);
  [1, 2].forEach(side => { byId(`player${side}`).value = kept.players[side - 1]; });
  setBoard();
  paused = watching();
  await turn("Continuing the last game.");
}

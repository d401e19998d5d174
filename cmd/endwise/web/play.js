// The play page. The game is stored in its address and in the browser; the server applies the
// rules and chooses moves.
import {Board} from "./board.js";
import {analysis, ask, games, page, view} from "./ask.js";
import {lost, cost, deciding, marked, moveTable, valueAt} from "./moves.js";
import {allEqual, amount, byId, canStep, choices, does, fillSelect, make, mark, moveProved, named, offerSize, pack, pointing, recall, renamed, scoreText, sentence, share, showSides, start, stepping, store, valuesOn} from "./site.js";
import {Why} from "./why.js";
import {showBar, Study} from "./worth.js";

const PAUSE = 350; // milliseconds between a machine's move and the move before it
const opponents = [["level1", "Easy"], ["level3", "Medium"], ["engine", "Hard"], ["human", "A friend"]];
let list, game, board, boardGame, busy = null, paused = false;
// The game: its first position, its moves and their players, and the current position.
let first, given, moves = [], movers = [], current = null;
let resigned = 0; // the side that has resigned
let shown = null, ply = 0; // the shown position: the current one, or the one after ply moves
let known = null; // its evaluation, if values are shown
let taken = 0; // units that the last mover took in one turn
let drawn = 0; // the time at which the current position was drawn
let previous = null; // a game that a new one has replaced
// The analysis of a finished game: its last position (of), moves, margins, the deciding move (worst),
// and whether it changed the winner (turned).
let judged = {};
const playerOf = side => byId(`player${side}`).value;
const isHuman = side => playerOf(side) === "human";
const watching = () => !isHuman(1) && !isHuman(2);
const ended = () => Boolean(resigned) || current.over;
const winner = () => resigned ? 3 - resigned : current.winner;
const mine = () => !ended() && isHuman(current.turn);
const alone = () => isHuman(1) !== isHuman(2);
const nameOf = side => !alone() ? game.sides[side] : isHuman(side) ? "You" : "Endwise";
const tile = player => opponents.find(o => o[0] === player)?.[1];
const levelOf = side => byId(`player${side}`).selectedOptions[0].text;
const players = () => named(game, [nameOf(1), nameOf(2)]);

// toPlayers puts the names of the players into a text with the names of the sides.
const toPlayers = text => renamed(game, players(), text);

const study = new Study(d => {
  known = d;
  bar();
  draw();
});
const why = new Why(() => draw(), toPlayers);

// useGame selects a game in the page's controls.
function useGame(name) {
  game = list.find(g => g.name === name) || list[0];
  mark(byId("tiles"), game.name);
  offerSize(game, {board: game.boards[0]});
  const players = [["human", "a person"], ...[...game.levels, "engine"].map(l => [l, tile(l) || l.replace(/\d/, " $&")])];
  for (const side of [1, 2]) {
    byId(`label${side}`).textContent = game.sides[side];
    fillSelect(byId(`player${side}`), players);
  }
  const me = isHuman(1) || !isHuman(2) ? "1" : "2";
  choices(byId("sidechoice"), [["1", game.sides[1]], ["2", game.sides[2]]], me, oppose);
  byId("ruletext").replaceChildren(make("ul", {}, ...game.rules.map(line => make("li", {}, line))));
}

// oppose sets the players as the tiles say. A game in progress continues.
function oppose() {
  const chosen = id => document.querySelector(`#${id} :checked`)?.value;
  const me = Number(chosen("sidechoice") || 1);
  byId(`player${me}`).value = "human";
  byId(`player${3 - me}`).value = chosen("difficulty") || "level3";
  if (moves.length === 0 || ended()) {
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
  paused = true;
  halt();
}

// setBoard adapts the page to a new game.
function setBoard() {
  if (!board || boardGame !== game) [board, boardGame] = [new Board(byId("place")), game];
  offerSize(game, current);
  byId("size").hidden = byId("board").hidden;
  showChoice();
}

// fold shows the choice of game and opponent until the game begins, if there is room.
const fold = () => { byId("setup").open = moves.length === 0 && matchMedia("(min-height: 30rem)").matches; };

const state = () => ({game: game.name, first, given, moves, movers, resigned, players: [playerOf(1), playerOf(2)]});

// save stores the game in the page's address and, once it has begun, in the browser.
function save() {
  const link = new URLSearchParams({game: game.name, start: first, moves: moves.join(";"), by: movers.join(""), players: state().players.join(), ...(given && {given}), ...(resigned && {resigned})});
  history.replaceState(null, "", `${page("play")}#${link}`);
  if (moves.length > 0) store("games", {...recall("games", {}), [game.name]: ended() ? undefined : state(), last: game.name});
}

// linked returns the game in the page's address, or null.
function linked() {
  const link = new URLSearchParams(location.hash.slice(1)), list = (name, by) => (link.get(name) || "").split(by).filter(Boolean);
  if (!link.has("game")) return null;
  return {game: link.get("game"), first: link.get("start"), given: link.get("given") || undefined, resigned: Number(link.get("resigned")), moves: list("moves", ";"), movers: list("by", "").map(Number), players: list("players", ",")};
}

async function newGame(position) {
  halt();
  const v = await view(game.name, position ? {position} : {board: byId("board").value});
  if (current && moves.length > 0) {
    previous = state();
    history.pushState(null, "", location.href);
  }
  first = v.position;
  given = position;
  [moves, movers, current, resigned, taken, paused] = [[], [], v, 0, 0, false];
  setBoard();
  fold();
  await turn();
}

// resume continues a stored game.
async function resume(kept) {
  halt();
  if (kept.movers.length !== kept.moves.length) throw new Error("it does not say who made each move");
  const v = await view(kept.game, kept.moves.length > 0 ? {position: kept.first, moves: kept.moves} : {position: kept.first});
  useGame(kept.game);
  ({first, given, moves, movers, resigned = 0} = kept);
  [current, taken, previous] = [v, 0, null];
  kept.players.forEach((player, i) => { byId(`player${i + 1}`).value = player; });
  setBoard();
  paused = watching() && !ended();
  fold();
  await turn();
}

// other continues the running game of a kind, or begins one.
async function other(name) {
  const kept = recall("games", {})[name];
  if (kept) {
    try {
      return await resume(kept);
    } catch { /* it can't be read */ }
  }
  useGame(name);
  await newGame();
}

// turn shows the position and lets the player to move continue.
async function turn(news) {
  const v = current;
  if (!ended()) byId("why").open = false;
  render(v, moves.length, news);
  drawn = performance.now();
  save();
  if (ended() || mine() || paused) return;
  const asking = busy = new AbortController();
  try {
    const d = await ask(v, byId("time").value, playerOf(v.turn), {signal: asking.signal});
    const wait = PAUSE - (performance.now() - drawn);
    if (moves.length > 0 && wait > 0) await new Promise(done => setTimeout(done, wait));
    if (busy !== asking) return;
    busy = null;
    await play(d.move);
  } catch (error) {
    if (error.name === "AbortError" || busy !== asking) return;
    busy = null;
    paused = true;
    byId("pause").textContent = "Continue";
    byId("pause").hidden = false;
    byId("status").textContent = error.message;
  }
}

async function play(move) {
  const from = current, side = from.turn;
  const next = await view(game.name, {position: from.position, moves: [move]});
  if (current !== from) return; // undone or restarted in the meantime
  const won = game.unit ? next.score[side - 1] - from.score[side - 1] : 0;
  taken = won + (won > 0 && movers.at(-1) === side ? taken : 0);
  moves.push(next.last);
  movers.push(side);
  current = next;
  if (moves.length === 1) fold();
  await turn(taken > 0 ? `${nameOf(side)} took ${amount(game, taken)}.` : `${nameOf(side)} played ${next.last}.`);
}

// person is the side of the person who plays, or of two the one to move.
const person = () => isHuman(current.turn) ? current.turn : 3 - current.turn;

// resign ends the game if it is pressed twice.
function resign({target}) {
  if (target.textContent === "Resign") {
    target.textContent = "Really resign?";
    return;
  }
  halt();
  resigned = person();
  turn();
}

// ending is the result in words.
function ending({score}) {
  if (resigned) return `${nameOf(resigned)} resigned`;
  if (!winner()) return `A tie, ${scoreText(score)}`;
  return `${nameOf(winner())} won ${scoreText(score)}`;
}

// draw shows the board; hint is a move to point out, by default the verdict's or the better move
// next to a mistake, and sure whether it is proved.
function draw(hint, sure) {
  const wrong = mistake(), best = known && !why.parts && !allEqual(shown, known) ? known.move : undefined;
  board.show(shown, {choose: shown === current && mine() ? chosen : undefined, parts: why.parts, values: known && !why.parts ? valuesOn(game, shown, known) : {},
    arrow: hint ?? wrong?.best ?? best, sure: sure ?? (wrong ? !wrong.likely : Boolean(known && moveProved(known))), wrong: wrong?.move});
}

const isMistake = m => lost(m) || m.likely;

// mistake returns the analysed move after the shown position, if it is a mistake or likely one.
function mistake() {
  const m = judged.of === current && judged.moves?.[ply];
  return m && isMistake(m) ? m : undefined;
}

// judge analyses a finished game and shows the mistake that decided it.
async function judge() {
  const of = current;
  if (!byId("why").open || !ended() || judged.of === of) return;
  judged = {of};
  render(shown, ply);
  try {
    const {analysis: found} = await analysis(record(), "this game", {update: ({done = 0, total = moves.length + 1}) => { if (shown === of) byId("reasons").textContent = `Looking for mistakes: ${done} of ${total} positions`; }});
    if (current !== of) return;
    judged = {of, ...decided(found, winner())};
    const {worst} = judged;
    if (shown === of && worst && !resigned) await look(worst.ply - 1);
    else render(shown, ply);
  } catch (error) {
    if (current !== of) return;
    judged = {};
    byId("reasons").textContent = error.message;
  }
}

// decided returns judged for an analysed game. Without a proved mistake of the loser its likely ones count.
function decided(found, winner) {
  const {moves, turned, likely = []} = found, proved = deciding(found, winner), about = found.decisive || !proved && likely.find(m => m.player !== winner);
  for (const m of [...proved ? [] : likely, about]) if (m) moves[m.ply - 1].likely = m;
  const worst = about ? moves[about.ply - 1] : proved;
  return {moves, worst, margins: found.margins, turned: about ? about.before >= 0 && about.after < 0 : worst?.ply === turned};
}

// told returns what is said about a mistake or the end of the game in place of the position's
// reasons.
function told(v) {
  const last = ended() && v === current, done = judged.of === current && judged.moves, m = mistake() || last && done && judged.worst;
  const left = last && resigned && done ? [gaveUp(v)] : [];
  if (last && !m) return [...left, !done ? "Looking for mistakes…" : `No mistake${winner() ? ` of ${nameOf(3 - winner()).replace("You", "yours")}` : ""} was found.`];
  if (!m) return undefined;
  const {worst, turned} = judged, who = nameOf(m.player), at = last ? `At move ${m.ply} ` : "", more = judged.moves.filter(o => o !== m && o.player === m.player && isMistake(o)), n = more.length;
  return [...left, `${at}${at && who === "You" ? "you" : who} played ${m.move}, which ${cost(game, m)}.${m !== worst || !turned ? "" : m.likely ? " The game may have turned here." : " This was the turning point."}`, ...(m.why || []).filter(r => r.kind !== "unchanged").map(r => r.text),
    ...n ? [{text: `${who === "You" ? "Your" : `${who}'s`} ${n > 1 ? `${n} ` : ""}other ${m.likely ? "possible " : ""}mistake${n > 1 ? "s" : ""}`, more: more.map(t => ({to: `Move ${t.ply}, ${t.move}`, text: results(t), go: () => look(t.ply - 1)}))}] : []];
}

function gaveUp(v) {
  const d = valueAt(game, judged, ply, v);
  return `${ending(v)} at move ${ply + 1}.${d ? ` From there${d.proof === "estimate" ? "" : ", proved"}: ${sentence(players(), v, d)}` : ""}`;
}

// saidAt returns the proved value after n moves in words, if there is one.
function saidAt(n) {
  const d = valueAt(game, judged, n, current);
  return d?.exact && sentence(players(), current, d).replace(/ with best play.*/, "");
}

// results are the proved results before and after a mistake, or its loss.
function results(m) {
  const [before, after] = [saidAt(m.ply - 1), saidAt(m.ply)];
  return before && after ? `: ${before} → ${after}` : ` ${marked(game, m).mark}`;
}

// look shows an earlier position, without playing on from it.
async function look(n) {
  const of = current;
  n = Math.max(0, Math.min(moves.length, n));
  if (n === ply) return;
  if (watching() && !paused && !ended()) pause();
  const v = n === moves.length ? of : await view(game.name, {position: first, moves: moves.slice(0, n)});
  if (current === of) render(v, n);
}

// render shows the position after n moves of the game.
function render(v, n, news) {
  const human = v === current && mine(), name = nameOf(v.turn), over = v === current && ended();
  [shown, ply, known] = [v, n, null];
  byId("hinttext").textContent = "";
  why.of(game, v, ended(), told(v));
  showSides(game, {...v, over}, [nameOf(1), nameOf(2)]);
  for (const side of [1, 2]) {
    byId(`head${side}`).textContent = nameOf(side);
    byId(`clock${side}`).textContent = isHuman(side) ? "" : levelOf(side);
  }
  study.of(players(), v, v !== current || over || human || paused);
  bar();
  // The most important text comes first, because long text is cut.
  const whose = name === "You" ? "Your turn." : human ? `${name} to move.` : paused ? "Paused." : `${name} thinks…`;
  const parts = v !== current ? [`${n ? `After move ${n}, ${moves[n - 1]}` : "The first position"}. ▶| leads back to the game.`] :
    [over ? "" : whose, news, v.news && `${toPlayers(`${v.news[0].toUpperCase()}${v.news.slice(1)}`)}.`];
  byId("status").textContent = parts.filter(Boolean).join(" ");
  document.body.dataset.phase = over ? "over" : "playing";
  byId("facts").textContent = v.over ? "" : v.facts || "";
  byId("movebox").hidden = byId("walk").hidden = moves.length === 0;
  canStep(n > 0, n < moves.length);
  moveTable(byId("moves"), judged.of === current && judged.moves?.map(m => marked(game, m)) || moves.map((move, i) => ({move, side: movers[i]})), {current: n, go: look});
  coach(human);
  for (const id of ["end", "rematch", "analyse"]) byId(id).hidden = !ended();
  byId("endtext").textContent = ended() ? ending(current) : "";
  byId("undo").disabled = moves.length === 0 && !previous;
  byId("hint").hidden = ended();
  byId("hint").disabled = !human;
  byId("resign").hidden = ended() || watching() || moves.length === 0;
  byId("resign").textContent = "Resign";
  byId("pause").hidden = !watching() || ended();
  byId("pause").textContent = paused ? "Continue" : "Pause";
  byId("explore").href = page("explore", {game: game.name, position: v.position});
}

// bar shows the analysed value of the shown position, unless another is known.
function bar() {
  if (!known && judged.of === current && judged.moves && !shown.over) showBar(players(), shown, valueAt(game, judged, ply, shown));
}

// coach shows advice for the first move to users who have not yet made one in this game.
function coach(human) {
  const met = recall("met", []);
  if (moves.length > 0 && movers.some(isHuman) && !met.includes(game.name)) store("met", [...met, game.name]);
  byId("coach").hidden = !human || moves.length > 1 || given || met.includes(game.name);
  byId("coach").textContent = game.coach;
}

function chosen(move) {
  if (shown !== current || !mine()) return;
  play(move).catch(error => { byId("status").textContent = error.message; });
}

// undo goes back to a person's turn, or by one move if machines play; from an empty board to the
// game before it.
async function undo() {
  halt();
  if (moves.length === 0) return resume(previous);
  for (let side = resigned; moves.length > 0 && !side; side = isHuman(movers.pop()) || watching()) moves.pop();
  resigned = 0;
  if (watching()) paused = true;
  current = await view(game.name, {position: first, moves});
  taken = 0;
  await turn("Undone.");
}

async function hint() {
  const v = current;
  byId("hinttext").textContent = "Thinking…";
  try {
    const d = await ask(v, byId("time").value, "best");
    if (shown !== v) return;
    draw(d.move, moveProved(d));
    showBar(players(), v, d);
    byId("hinttext").textContent = `Try ${d.move}. ${sentence(players(), v, d)}${d.exact && !moveProved(d) ? " That this move is best is not proved." : ""}`;
  } catch (error) {
    byId("hinttext").textContent = error.message;
  }
}

// record returns the game in the plain format of analyze.
function record() {
  const level = side => `Endwise (${levelOf(side).toLowerCase()}${watching() ? `, ${side}` : ""})`, name = side => isHuman(side) ? nameOf(side) : level(side);
  return `game: ${game.name}\nstart: ${first}\nplayer_1: ${name(1)}\nplayer_2: ${name(2)}\n` +
    `winner: ${winner()}\nscore: ${current.score.join("-")}\nend: ${current.over ? "played" : "stopped"}\n${resigned ? "fault: resignation\n" : ""}\n${moves.join("\n")}\n`;
}

start(async () => {
  list = await games();
  choices(byId("tiles"), list.map(g => [g.name, g.title]), "", name => start(() => other(name)));
  choices(byId("difficulty"), opponents, "level3", oppose);
  const params = new URLSearchParams(location.search), link = linked(), last = recall("games", {}).last;
  useGame(params.get("game") || link?.game || last);
  byId("player1").value = "human";
  byId("player2").value = "level3";
  for (const side of [1, 2]) {
    byId(`player${side}`).addEventListener("change", () => {
      halt();
      showChoice();
      turn();
    });
  }
  byId("board").addEventListener("change", () => start(() => newGame()));
  byId("again").addEventListener("click", () => start(() => newGame()));
  byId("rematch").addEventListener("click", () => {
    [byId("player1").value, byId("player2").value] = [playerOf(2), playerOf(1)];
    start(() => newGame(given));
  });
  byId("undo").addEventListener("click", () => start(undo));
  byId("hint").addEventListener("click", hint);
  byId("resign").addEventListener("click", resign);
  byId("analyse").addEventListener("click", async () => { location.href = `${page("analyse")}#record=${await pack(record())}`; });
  byId("pause").addEventListener("click", () => {
    if (!paused) {
      pause();
      render(current, moves.length);
      return;
    }
    paused = false;
    turn();
  });
  byId("why").addEventListener("toggle", judge);
  stepping(() => look(0), () => look(ply - 1), () => look(ply + 1), () => look(moves.length));
  pointing(() => board);
  share({game: () => game, shown: () => ({position: first, moves: moves.slice(0, ply)}), record: () => moves.length > 0 ? record() : ""});
  addEventListener("hashchange", () => { if (linked()) location.reload(); }); // not for the link to the board
  if (params.get("position")) return newGame(params.get("position"));
  let wrong = "";
  if (link) {
    try {
      return await resume(link);
    } catch (error) {
      wrong = `The game in the address can't be shown: ${error.message}`;
    }
  }
  await other(game.name);
  if (wrong) byId("status").textContent = wrong;
});

// The practise page: find the only move that keeps the result of a position.
import {Board} from "./board.js";
import {ask, exercise as anExercise, games, page, view} from "./ask.js";
import {byId, choices, complain, losses, make, mark, moveProved, pointing, recall, sentence, share, showSides, sound, start, store, valuesOn} from "./site.js";
import {showBar} from "./worth.js";

// exercise has been solved, shown or tried this many times; asked are the exercises of the
// class that were requested, in the order of their file.
let list, asked = 0, game, level = "easy", board, boardGame, exercise, current, done, tries;

// Minimum length of a win in turns of both sides.
const turns = {easy: 0, medium: 3, hard: 7};

// sizes are the boards of the difficulties, smallest first.
const sizes = () => ({easy: game.boards[game.boards.length - 1], medium: game.boards[game.boards.length >> 1], hard: game.boards[0]});

function useGame(name) {
  game = list.find(g => g.name === name) || list[0];
  mark(byId("tiles"), game.name);
  const from = byId("from"), given = from.querySelector("[value=class]");
  given.hidden = given.disabled = !game.exercises;
  if (game.exercises) from.value = "class";
  else if (from.value === "class") from.value = "made";
  asked = 0;
  tally();
}

const results = () => recall("tally", {})[game.name] || {right: 0, wrong: 0, streak: 0, best: 0};

function tally() {
  const {right, wrong, streak = 0, best = 0} = results();
  byId("tally").textContent = right + wrong === 0 ? "" : `${streak > 1 ? `${streak} in a row! ` : ""}${right} of ${right + wrong} found${best > 1 ? `, best streak ${best}` : ""}.`;
}

// count records the first answer to an exercise.
function count(right) {
  const t = {streak: 0, best: 0, ...results()};
  t[right ? "right" : "wrong"]++;
  t.streak = right ? t.streak + 1 : 0;
  t.best = Math.max(t.best, t.streak);
  store("tally", {...recall("tally", {}), [game.name]: t});
  tally();
}

async function fetchExercise(seed) {
  const from = byId("from").value;
  if (from === "class") return anExercise(game.name, "", from, asked++);
  if (from !== "mine") return anExercise(game.name, sizes()[level], from, seed, turns[level]);
  const mine = recall("exercises", []).filter(e => e.game === game.name);
  if (mine.length === 0) throw new Error("No positions yet: analyse a game on the Analyse page first.");
  const others = mine.filter(e => !exercise || e.position !== exercise.position);
  return others.length === 0 ? mine[0] : others[Math.floor(Math.random() * others.length)];
}

async function next(seed) {
  complain(byId("setup"));
  byId("next").disabled = true;
  byId("difficulty").hidden = byId("from").value !== "made";
  byId("status").textContent = "Looking for a position…";
  try {
    const found = await fetchExercise(seed);
    current = await view(game.name, {position: found.position});
    exercise = found;
  } catch (error) {
    byId("status").textContent = "";
    complain(byId("setup"), error.message);
    return;
  } finally {
    byId("next").disabled = false;
  }
  if (!board || boardGame !== game) [board, boardGame] = [new Board(byId("place")), game];
  done = false;
  tries = 0;
  byId("origin").textContent = byId("from").value === "class" ? `Position ${(asked - 1) % game.exercises + 1} of ${game.exercises}.` : exercise.played ? `From ${exercise.from}.` : "";
  byId("explore").href = page("explore", {game: game.name, position: current.position});
  byId("facts").textContent = current.facts || "";
  retry();
}

// retry shows the position of the exercise without values.
function retry() {
  for (const id of ["answer", "why", "line"]) byId(id).textContent = "";
  byId("explore").hidden = byId("linepart").hidden = true;
  byId("retry").hidden = true;
  byId("show").disabled = false;
  byId("status").textContent = `${game.sides[current.turn]} to move.`;
  byId("task").textContent = `${game.sides[current.turn]}: which is the only move that keeps the result?`;
  board.show(current, {choose: guess});
  showSides(game, current);
  showBar(game, current, null);
}

// say shows whether an answer is right.
function say(text, right) {
  byId("answer").textContent = text;
  byId("answer").className = `verdict answer ${right ? "right" : right === false ? "wrong" : ""}`;
}

// reveal evaluates the position and shows the value of every move.
async function reveal(wrong) {
  done = true;
  byId("show").disabled = true;
  byId("retry").hidden = true;
  const mine = exercise, d = await ask(current, "3s", "all");
  if (exercise !== mine) return null;
  board.show(current, {values: valuesOn(game, current, d), arrow: d.move, sure: moveProved(d), wrong});
  showBar(game, current, d);
  byId("line").replaceChildren(...d.line.flatMap(m => [make("span", {"data-move": m}, m), "  "]));
  byId("explore").hidden = byId("linepart").hidden = false;
  const second = d.moves.find(m => m.move !== d.move), played = exercise.played ? ` In the game ${exercise.played} was played.` : "";
  byId("why").textContent = `${sentence(game, current, d)}${second ? ` The next best move, ${second.move}, ${losses(game, d)[second.move].label}.` : ""}${played}`;
  return d;
}

async function guess(move) {
  if (done) return;
  try {
    const answer = exercise.answer || (await ask(current, "3s", "best")).move, right = move === answer;
    if (tries++ === 0) count(right);
    sound(right);
    if (right) {
      say(`✓ ${move} keeps the result.`, true);
      await reveal();
      byId("next").focus({preventScroll: true});
      return;
    }
    say(`✗ ${move} loses something.`, false);
    byId("why").textContent = "Try again, or look at the answer.";
    byId("retry").hidden = false;
    board.show(current, {choose: guess, wrong: move});
  } catch (error) {
    say(error.message);
  }
}

start(async () => {
  list = await games();
  const params = new URLSearchParams(location.search);
  level = recall("level", "easy");
  choices(byId("tiles"), list.map(g => [g.name, g.title]), "", name => { useGame(name); next(); });
  choices(byId("difficulty"), [["easy", "Easy"], ["medium", "Medium"], ["hard", "Hard"]], level, l => { store("level", level = l); next(); });
  useGame(params.get("game") || (list.find(g => g.exercises) || list[0]).name);
  if (params.get("from")) byId("from").value = params.get("from");
  if (params.get("board")) level = Object.keys(sizes()).find(l => sizes()[l] === params.get("board")) || level;
  mark(byId("difficulty"), level);
  byId("from").addEventListener("change", () => next());
  byId("setup").addEventListener("submit", event => event.preventDefault());
  byId("next").addEventListener("click", () => next());
  byId("retry").addEventListener("click", retry);
  byId("show").addEventListener("click", async () => {
    if (tries++ === 0) count(false);
    const d = await reveal();
    if (d) say(`It is ${d.move}.`);
  });
  pointing(() => board);
  share(() => game.name, () => page("explore", {game: game.name, position: current.position}));
  await next(params.get("seed") || undefined);
});

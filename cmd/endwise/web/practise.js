// The practise page: a position in which one move holds; find it.
import {ask, exercise as anExercise, games, page, view} from "./ask.js";
import {boardFor, boardOptions, byId, complain, fillSelect, losses, make, recall, sentence, sideName, standing, start, store} from "./site.js";

let list, game, board, exercise, current, decision, answered;

function useGame() {
  game = list.find(g => g.name === byId("game").value) || list[0];
  fillSelect(byId("board"), boardOptions([...game.boards].reverse()));
  tally();
}

function tally() {
  const t = recall("tally", {})[game.name] || {right: 0, wrong: 0};
  byId("tally").textContent = t.right + t.wrong === 0 ? "" : `Found so far: ${t.right} of ${t.right + t.wrong}.`;
}

function count(right) {
  const all = recall("tally", {});
  const t = all[game.name] ||= {right: 0, wrong: 0};
  t[right ? "right" : "wrong"]++;
  store("tally", all);
  tally();
}

async function fetchExercise() {
  const from = byId("from").value;
  if (from === "mine") {
    const mine = recall("exercises", []).filter(e => e.game === game.name);
    if (mine.length === 0) throw new Error("No positions yet: analyse a game on the Analyse page first.");
    const others = mine.filter(e => !exercise || e.position !== exercise.position);
    return others.length === 0 ? mine[0] : others[Math.floor(Math.random() * others.length)];
  }
  return anExercise(game.name, byId("board").value, from);
}

async function next() {
  complain(byId("setup"));
  byId("board").disabled = byId("from").value !== "made"; // positions of games are on the games' boards
  byId("status").textContent = "Looking for a position…";
  for (const id of ["answer", "why", "line", "task", "origin"]) byId(id).textContent = "";
  byId("explore").hidden = byId("linepart").hidden = true;
  try {
    exercise = await fetchExercise();
    current = await view(game.name, {position: exercise.position});
  } catch (error) {
    byId("status").textContent = "";
    complain(byId("setup"), error.message);
    return;
  }
  decision = null;
  answered = false;
  board = boardFor(current, byId("place"));
  board.show(current, {choose: guess});
  byId("status").textContent = standing(game, current);
  byId("facts").textContent = current.facts || "";
  byId("task").textContent = `${sideName(game, current.turn)}: which is the one move that holds?`;
  byId("origin").textContent = exercise.played ? `From ${exercise.from}.` : "Made for practice.";
  byId("show").disabled = false;
  byId("explore").href = page("explore", {game: game.name, position: current.position});
}

// reveal looks the position up and shows what every move is worth.
async function reveal() {
  answered = true;
  byId("show").disabled = true;
  const mine = exercise;
  const d = await ask(current, "3s", "all");
  if (exercise !== mine) return null;
  decision = d;
  board.show(current, {values: losses(game, d), arrow: d.move});
  byId("line").replaceChildren(...d.line.map(m => make("span", {}, `${m}  `)));
  byId("explore").hidden = byId("linepart").hidden = false;
  return d;
}

async function guess(move) {
  if (answered) return;
  try {
    const d = await reveal();
    if (!d) return;
    const right = move === d.move;
    count(right);
    const chosen = losses(game, d)[move];
    byId("answer").textContent = right ? `✓ ${move} is the move that holds.` : `✗ ${move} ${chosen ? chosen.label : "does not hold"}. It is ${d.move}.`;
    const next = d.moves.find(m => m.move !== d.move);
    const second = next ? ` The next best move, ${next.move}, ${losses(game, d)[next.move].label}.` : "";
    const played = exercise.played ? ` In the game ${exercise.played} was played.` : "";
    byId("why").textContent = `${sentence(game, current, d)}${second}${played}`;
  } catch (error) {
    byId("answer").textContent = error.message;
  }
}

start(async () => {
  list = await games();
  const params = new URLSearchParams(location.search);
  fillSelect(byId("game"), list.map(g => [g.name, g.title]), params.get("game") || list[0].name);
  if (params.get("from")) byId("from").value = params.get("from");
  useGame();
  const setup = byId("setup");
  byId("game").addEventListener("change", () => { useGame(); next(); });
  for (const id of ["board", "from"]) byId(id).addEventListener("change", next);
  setup.addEventListener("submit", event => {
    event.preventDefault();
    next();
  });
  byId("show").addEventListener("click", async () => {
    const d = await reveal();
    if (!d) return;
    byId("answer").textContent = `It is ${d.move}.`;
    byId("why").textContent = sentence(game, current, d);
  });
  await next();
});

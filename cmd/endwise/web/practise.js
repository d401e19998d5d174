// The practise page: lessons, and positions in which only one move keeps the result. After a
// right move the opponent answers, and the position is played to its end.
import {Board} from "./board.js";
import {ask, games, page, reasons, send, view} from "./ask.js";
import {complain} from "./form.js";
import {steps} from "./line.js";
import {byId, choices, fillSelect, does, ending, losses, make, mark, moveProved, named, pointing, recall, renamed, scoreText, sentence, share, showSides, start, store, valuesOn} from "./site.js";
import {legend} from "./why.js";

const PAUSE = 600; // milliseconds before a move of the opponent

// exercise begins with the position first; tries counts the wrong answers to it, or is −1 after the
// right one or if it was shown. current is the
// shown position and known the promise of its decision. players is the game with "You" in place of
// the side that the user plays. at is the number of the lesson; asked
// are the exercises of the class that were requested, in the order of their file. told marks
// the reasons that are shown, and drawn the options with which the board is. reached is what best play
// reaches, in words.
let list, lessons, asked = 0, at = 0, game, from, level, board, boardGame, exercise, first, players, current, known, done, tries, told, drawn, reached, judging = false;

// anExercise returns a position in which only one move keeps the result. from is "made" for a
// generated one, or "class" for the server's file, of which by selects the mistakes of a team.
// difficulty is "easy", "medium" or "hard". The same seed returns the same exercise.
const anExercise = (game, board, from, seed = Math.floor(Math.random() * 2 ** 32), difficulty = "", by = "") =>
  send(`${game}/exercise`, {board, from, seed, difficulty, by});

// sizes are the boards of the difficulties, smallest first; hard is the usual one.
function sizes() {
  const area = board => board.split("x").reduce((a, b) => a * b), all = game.boards.filter(area).sort((a, b) => area(a) - area(b));
  return {easy: all[0], medium: all[(all.length - 1) >> 1], hard: game.boards[0]};
}

function useGame(name) {
  game = list.find(g => g.name === name) || list[0];
  mark(byId("tiles"), game.name);
  const given = byId("from").querySelector("[value=class]");
  given.disabled = given.parentElement.hidden = !game.exercises;
  if (game.exercises) from = "class";
  else if (from === "class" || from === "day") from = "made";
  else if (from === "mine" && mine().length === 0) from = "lessons";
  asked = 0;
  fillSelect(byId("team"), [["", "all"], ...game.teams || []], "");
  at = Math.max(0, lessons[game.name].findIndex(l => !learned().includes(l.title)));
  tally();
}

// learned are the titles of the solved lessons.
const learned = () => recall("lessons", []);
// mine returns the exercises from the user's analysed games.
const mine = () => recall("exercises", []).filter(e => e.game === game.name);
// results counts the solved puzzles of the game, and of these the ones solved with the first answer:
// right in all, and streak since the last wrong one.
const results = () => ({solved: 0, right: 0, streak: 0, ...recall("tally", {})[game.name]});

function tally() {
  const {solved, right} = results();
  byId("tally").textContent = solved === 0 ? "" : `${solved} solved${right ? `, ${right} at the first try` : ""}.`;
}

// count records an answer, unless the exercise was answered rightly or shown before.
function count(right) {
  if (exercise.title) {
    if (right) store("lessons", [...new Set([...learned(), exercise.title])]);
    course();
  } else if (tries >= 0) {
    const t = results(), first = right && tries === 0;
    t.solved += right;
    t.right += first;
    t.streak = first ? t.streak + 1 : 0;
    tries = right ? -1 : tries + 1;
    if (right && exercise.day) store("day", exercise.day);
    store("tally", {...recall("tally", {}), [game.name]: t});
    tally();
  }
}

// course shows the title of the exercise, and of a lesson its text and the list of the game's lessons.
function course() {
  const {title, text = "", number, of, difficulty} = exercise, solved = learned();
  byId("tally").hidden = Boolean(title);
  const name = title || (number ? `${exercise.class || "Class"}, position ${number} of ${of}` : exercise.played ? exercise.from : from === "day" ? "Puzzle of the day" : "Puzzle");
  byId("title").textContent = name + (difficulty ? ` · ${difficulty}` : "");
  byId("text").textContent = text;
  byId("intro").hidden = !text;
  byId("course").replaceChildren(...(title ? lessons[game.name] : []).map(({title}, i) => {
    const good = solved.includes(title), b = make("button", {type: "button", title, "aria-label": `Lesson ${i + 1}, ${title}${good ? ", solved" : ""}`, ...(i === at && {"aria-current": "step"})}, good ? "✓" : String(i + 1));
    b.addEventListener("click", () => { at = i; next(); });
    return make("li", {}, b);
  }));
}

async function fetchExercise(seed) {
  if (from === "lessons") return lessons[game.name][at];
  if (from === "day") return Object.fromEntries([...new URLSearchParams(location.search)].map(([name, value]) => [name === "puzzle" ? "position" : name, value]));
  if (from === "class") return anExercise(game.name, "", from, asked++, "", byId("team").value);
  if (from !== "mine") return anExercise(game.name, sizes()[level], from, seed, level);
  const others = mine().filter(e => !exercise || e.position !== exercise.position);
  return others.length === 0 ? mine()[0] : others[Math.floor(Math.random() * others.length)];
}

// choose selects the source of the exercises.
function choose(source) {
  store("from", from = source);
  next();
}

// address returns the address of the exercise with a seed. Exercises of the class and from the
// user's games have none of their own.
const address = seed => page("practise", {game: game.name, ...(exercise.title ? {lesson: at + 1} : from === "made" ? {from, level, seed} : from === "day" ? {puzzle: exercise.position, day: exercise.day} : {from})});

// next shows another exercise, by default a new one, and adds it to the history unless it replaces
// the page's address. If the source has none, it shows the first board.
async function next(seed = Math.floor(Math.random() * 2 ** 32), replace = false) {
  const none = from === "mine" && mine().length === 0;
  complain(byId("setup"));
  byId("none").hidden = !none;
  document.body.classList.toggle("none", none);
  byId("next").disabled = true;
  byId("difficulty").hidden = from !== "made";
  byId("teamlabel").hidden = from !== "class" || !game.teams;
  mark(byId("from"), from);
  byId("status").textContent = "Looking for a position…";
  try {
    const found = none ? {} : await fetchExercise(seed);
    first = await view(game.name, none ? {board: game.boards[0]} : {position: found.position});
    exercise = found;
  } catch (error) {
    byId("status").textContent = "";
    complain(byId("setup"), error.message);
    return;
  } finally {
    byId("next").disabled = false;
  }
  if (!board || boardGame !== game) [board, boardGame] = [new Board(byId("place")), game];
  tries = 0;
  history[replace ? "replaceState" : "pushState"](null, "", address(seed));
  course();
  byId("intro").open = true;
  byId("next").textContent = !exercise.title ? "Next" : at + 1 < lessons[game.name].length ? "Next lesson" : "More positions";
  if (!none) return begin();
  clear();
  current = first;
  done = true;
  byId("status").textContent = "";
  showSides(game, first);
  draw(first);
}

// begin shows the first position of the exercise without values.
function begin() {
  clear();
  done = false;
  byId("line").textContent = "";
  byId("explore").hidden = byId("linepart").hidden = true;
  players = named(game, [1, 2].map(side => side === first.turn && "You"));
  byId("task").textContent = exercise.task || (exercise.several ? "Find a move that loses nothing." : "Only one move loses nothing.");
  byId("goal").textContent = reached = "";
  pose(first);
  const mine = known;
  mine.then(d => { if (known === mine && d.exact) aim(d); }, () => {});
}

// clear removes what was said about an answer.
function clear() {
  say("");
  explain([]);
}

// aim states what best play reaches: in the task of a puzzle, and next to the task of a lesson.
function aim(d) {
  const {margin, final} = game.unit ? ending(game, first, d.score) : {margin: d.score};
  const score = final && scoreText(final);
  const verb = margin > 0 ? "win" : margin < 0 ? "lose" : "tie";
  const how = margin === 0 ? "" : score ? `${margin < 0 ? " only" : ""} ${score}` : margin < 0 ? " as late as possible" : d.distance ? ` in ${d.distance === 1 ? "one turn" : `${d.distance} turns of both sides`}` : "";
  reached = margin < 0 && score ? `limits your loss to ${score}` : `${verb}s${how}`;
  if (exercise.task) byId("goal").textContent = `Goal: ${verb}${how}.`;
  else byId("task").textContent = `${exercise.several ? "Find a move that" : "Only one move"} ${margin > 0 && score ? `lets you win ${score}` : reached}.`;
}

// pose shows a position in which a move is to be found, and news.
function pose(v, news = "") {
  current = v;
  known = ask(v, "3s", "all");
  known.catch(() => {}); // reported when it is needed
  byId("explore").href = page("explore", {game: game.name, position: v.position});
  byId("facts").textContent = v.facts || "";
  byId("status").textContent = `${news}Your turn.`;
  if (v !== first) byId("task").textContent = "Play on, or take the next one.";
  showSides(game, v, players.sides.slice(1));
  stage({retry: false, show: true, solved: v !== first});
  draw(v, {choose: guess});
}

// stage enables the buttons for another try and for the answer; solved makes the one for the
// next exercise stand out.
function stage({retry, show, solved = false}) {
  byId("retry").disabled = !retry;
  byId("show").disabled = !show;
  byId("next").classList.toggle("strong", solved);
}

// draw shows a position on the board, and the fold of a lesson.
function draw(v, options = {}) {
  drawn = {v, options: {...exercise.fold && {fold: [exercise.fold]}, ...options}};
  board.show(v, drawn.options);
}

// say shows whether an answer is right, in place of the introduction.
function say(text, right) {
  if (text) byId("intro").open = false;
  byId("answer").textContent = text;
  byId("answer").className = `verdict answer ${right ? "right" : right === false ? "wrong" : ""}`;
}

// explain shows reasons: elements, texts, and those of a promise when it is kept; the texts after the
// first one are folded. The parts of the board that one of them is about are coloured in place of values.
async function explain(texts, more) {
  const mine = told = {};
  const shown = all => {
    const [first, ...rest] = all.filter(r => r && !r.tagName).map(r => make("p", {}, renamed(game, players, r.text ?? r)));
    byId("why").replaceChildren(...all.filter(r => r?.tagName), first || "", rest.length ? make("details", {class: "menu"}, make("summary", {}, "More"), ...rest) : "");
  };
  shown(texts);
  const on = drawn, others = await more;
  if (!others || told !== mine) return;
  shown([...texts, ...others]);
  const parts = others.find(r => r?.parts?.some(p => p.moves))?.parts;
  if (parts && drawn === on) {
    byId("why").querySelector(".entry")?.parentElement.remove();
    byId("why").append(...legend(parts));
    board.show(on.v, {...on.options, values: {}, parts});
  }
}

// facts requests the facts of some kinds about a position, or all about a move played there.
async function facts(v, kinds = [], played) {
  if (!kinds.length && !played) return [];
  const all = await reasons({game: game.name, position: v.position}, "2s", played).catch(() => []);
  return all.filter(r => played || kinds.includes(r.kind));
}

// blame returns what is most wrong with a move: a comparison with a better move, which stays
// unnamed, if there is one.
async function blame(v, d, move, answers) {
  const better = [...answers, ...d.moves.map(m => m.move).filter(m => m !== move && keeps(d, m))];
  const hidden = text => better.reduce((t, m) => t.replaceAll(m, "a better move"), text).replace(/^a/, "A");
  const all = (await facts(v, [], move)).map(r => ({...r, text: hidden(r.text)}));
  return [all.find(r => /a better move/i.test(r.text)) || all[0]];
}

// judged describes a move, whose value a sentence need not call proved.
const judged = (d, move) => losses(game, d)[move].label.replace(", proved", "");

// praise returns the facts behind the right answer to an exercise: those that the lesson names, or
// what the move played in the game, or else the next best one, does worse.
async function praise({why, after, played, rivals}, v, move) {
  if (exercise.title) return [...await facts(v, why), ...(await facts(await view(game.name, {position: v.position, moves: [move]}), after)).map(r => r.text)];
  const d = await known, second = d.moves.find(m => played ? m.move === played : m.score < d.score);
  if (!second) return [];
  const found = (await facts(v, [], second.move)).filter(r => r.kind !== "unchanged");
  return [`${played ? `In the game ${played} was played: it` : `The next best move, ${second.move},`} ${judged(d, second.move)}.`, found.find(r => r.text.includes(move)) || found[0],
    rivals > 0 && `${rivals === 1 ? "One other move looks" : `${rivals} other moves look`} as good if you only consider the reply.`];
}

// key explains the values on the board.
function key(values) {
  const shown = Object.values(values).filter((v, i, all) => v.text && !v.twin && all.findIndex(o => o.text === v.text) === i);
  return make("p", {class: "small"}, ...shown.sort((a, b) => b.value.score - a.value.score).slice(0, 4).map(v => make("span", {class: "entry"}, make("span", {class: `key ${v.kind}`}, v.text), ` ${v.label.replace(", proved", "")}`)));
}

// reveal shows the value of every move.
async function reveal() {
  const v = current, d = await known;
  if (current !== v) return;
  if (v === first) {
    count(false);
    tries = -1;
  }
  done = true;
  byId("status").textContent = "";
  stage({retry: true, show: false, solved: true});
  const values = valuesOn(game, v, d);
  draw(v, {values, arrow: d.move, sure: moveProved(d)});
  follow(v, d.line);
  byId("explore").hidden = byId("linepart").hidden = false;
  const best = d.moves.filter(m => d.exact && m.exact && m.score === d.score).map(m => m.move);
  say(`It is ${best.length > 3 || !best.length ? d.move : best.join(" or ")}.`);
  explain([key(values), v === first && exercise.right || sentence(players, v, d)], v === first && praise(exercise, v, d.move));
}

// follow lists the best line from a position; the position after n of its moves is shown.
function follow(v, line, n = 0) {
  steps("line", line, n, async n => {
    const next = await view(game.name, {position: v.position, moves: line.slice(0, n)});
    if (current !== v || !done) return;
    showSides(game, next, players.sides.slice(1));
    draw(next);
    follow(v, line, n);
  });
}

// keeps reports whether a move keeps the value of a decision.
const keeps = (d, move) => d.moves.some(m => m.move === move && m.score >= d.score && (m.exact || m.proof === "lower"));

async function guess(move) {
  const v = current, opening = v === first;
  if (done || judging) return;
  judging = true;
  try {
    const answers = opening && (exercise.answers || exercise.answer && !exercise.several && [exercise.answer]);
    const right = answers ? answers.includes(move) : keeps(await known, move);
    if (current !== v) return;
    const fresh = opening && tries === 0;
    if (opening) count(right);
    if (!right) {
      say(`✗ ${move} loses something.`, false);
      explain([]);
      stage({retry: true, show: true});
      draw(v, {choose: guess, wrong: move});
      const d = await known;
      if (current !== v) return;
      say(`✗ ${move} ${keeps(d, move) ? `wins in ${d.moves.find(m => m.move === move).distance} turns, not in ${d.distance}` : judged(d, move)}.`, false);
      explain([], blame(v, d, move, answers || []));
      return;
    }
    const {streak} = results();
    say(`✓ ${move} ${!opening ? "loses nothing" : exercise.shortest ? "wins in the fewest turns" : reached || "loses nothing"}.${!fresh || exercise.title ? "" : streak > 1 ? ` ${streak} in a row!` : " At the first try!"}`, true);
    draw(v);
    explain([opening && exercise.right], opening && !exercise.title && praise(exercise, v, move));
    await play(v, move);
  } catch (error) {
    say(error.message);
  } finally {
    judging = false;
  }
}

// play shows the position after a move and lets the opponent answer.
async function play(v, move) {
  let next = await view(game.name, {position: v.position, moves: [move]}), news = "";
  while (current === v && !next.over && next.turn !== first.turn) {
    current = v = next;
    stage({retry: false, show: false});
    byId("status").textContent = `${news}${game.sides[v.turn]} thinks…`;
    draw(v);
    showSides(game, v, players.sides.slice(1));
    const [d] = await Promise.all([ask(v, "1s", "engine"), new Promise(wait => setTimeout(wait, PAUSE))]);
    news = `${game.sides[v.turn]} played ${d.move}. `;
    next = await view(game.name, {position: v.position, moves: [d.move]});
  }
  if (current !== v) return; // another exercise
  if (next.over) finish(next);
  else pose(next, news);
}

// finish shows the end of the exercise.
function finish(v) {
  current = v;
  done = true;
  stage({retry: true, show: false, solved: true});
  byId("facts").textContent = "";
  byId("status").textContent = "Played to the end.";
  byId("task").textContent = "Solved. Take the next one.";
  byId("goal").textContent = "";
  say(`✓ ${v.winner ? does(players.sides[v.winner], "wins") : "A tie,"} ${scoreText(v.score)}, the best result.`, true);
  draw(v);
  showSides(game, v, players.sides.slice(1));
  byId("next").focus({preventScroll: true});
}

// fromAddress shows the exercise that the page's address names.
async function fromAddress() {
  const params = new URLSearchParams(location.search);
  useGame(params.get("game") || (list.find(g => g.exercises) || list[0]).name);
  from = params.get("from") || (params.has("puzzle") ? "day" : params.has("seed") || params.has("board") ? "made" : params.has("lesson") ? "lessons" : from);
  if (params.has("lesson")) at = Math.max(0, Math.min(lessons[game.name].length, params.get("lesson")) - 1) || 0;
  if (params.get("board")) level = Object.keys(sizes()).find(l => sizes()[l] === params.get("board")) || level;
  if (params.get("level") in sizes()) level = params.get("level");
  mark(byId("difficulty"), level);
  await next(params.get("seed") || undefined, true);
}

start(async () => {
  [list, {default: lessons}] = await Promise.all([games(), import("./lessons.js")]);
  level = recall("level", "easy");
  from = recall("from", "lessons");
  choices(byId("tiles"), list.map(g => [g.name, g.title]), "", name => { useGame(name); next(); });
  choices(byId("from"), [["lessons", "Lessons"], ["made", "Puzzles"], ["mine", "My games"], ["class", "Class"]], "", choose);
  choices(byId("difficulty"), [["easy", "Easy"], ["medium", "Medium"], ["hard", "Hard"]], level, l => { store("level", level = l); next(); });
  byId("team").addEventListener("change", () => { asked = 0; next(); });
  byId("setup").addEventListener("submit", event => event.preventDefault());
  byId("next").addEventListener("click", () => {
    if (from === "day" || from === "lessons" && ++at === lessons[game.name].length) from = "made";
    next();
  });
  byId("retry").addEventListener("click", () => {
    if (done) return begin();
    clear();
    pose(current);
  });
  byId("show").addEventListener("click", () => reveal().catch(error => say(error.message)));
  pointing(() => board);
  share({game: () => game, link: () => exercise.title || from === "made" || from === "day" ? location.href : page("explore", {game: game.name, position: current.position})});
  addEventListener("popstate", () => start(fromAddress));
  await fromAddress();
});

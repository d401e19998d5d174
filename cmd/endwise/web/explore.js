// The explore page: a position, the moves that led to it, and the values of its moves with
// their sources. The position and the moves are in the page's address.
import {Board} from "./board.js";
import {games, page, view} from "./ask.js";
import {Editor} from "./editor.js";
import {complain, ready} from "./form.js";
import {steps} from "./line.js";
import {allEqual, byId, canStep, fillSelect, losses, make, moveProved, offerSize, origin, pointing, refill, share, showSides, start, stepping, valueText, valuesOn} from "./site.js";
import {Why} from "./why.js";
import {Study} from "./worth.js";

const SHOWN = 6; // number of moves of the best line that are listed
let list, game, board, boardGame, root, decision = null;
let line = []; // the best line from the position
// The game that contains the position: its start, its moves, and the number of those before
// the position.
let played = {start: "", moves: [], at: 0};

const address = ({start, moves, at}) => page("explore", {game: game.name, position: start, ...(moves.length && {moves: moves.join(";")}), ...(at < moves.length && {at})});

const study = new Study(d => {
  decision = d;
  line = d.line || [];
  why.of(game, root);
  render();
}, () => why.clear());

const why = new Why(() => root && render());

const editor = new Editor(() => board, v => show(v, true), () => { study.stop(); byId("status").textContent = ""; }, () => { if (root) show(root, false); });

function useGame(name) {
  game = list.find(g => g.name === name) || list[0];
  byId("game").value = game.name;
  offerSize(game, {board: game.boards[0]});
  byId("position-label").textContent = `Position: ${game.positions}`;
  [byId("some").textContent, byId("much").textContent] = game.unit ? [`−1 ${game.unit}`, "−2 or more"] : ["−½", "−1 or more"];
  byId("loss").textContent = `Loss${game.unit && `, ${game.units}`}`;
  byId("double").textContent = game.unit ? `The opponent gets a lost ${game.unit}: the value falls by 2.` : "−½: a win becomes a tie, or a tie a loss. ≈−1: about a piece.";
  byId("examples").replaceChildren(...game.examples.map(([name, text = game.example]) => {
    const b = make("button", {type: "button"}, name);
    b.addEventListener("click", () => start(() => example(name, text, true)));
    return b;
  }));
}

// example shows one of the game's examples, with its name.
async function example(name, text, push) {
  const v = await view(game.name, {position: text});
  await show(Object.assign(v, {example: name}), push);
}

// show makes a view the page's position; push adds it to the history and scrolls to the board.
// known is the game that contains the position, if it is not the one that was read, and ahead its
// best line as far as it is known.
async function show(v, push, known, ahead = []) {
  if (!board || boardGame !== game) [board, boardGame] = [new Board(byId("place")), game];
  root = v;
  played = known || {start: v.start || v.position, moves: v.played || [], at: v.played?.length || 0};
  decision = null;
  line = ahead;
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
  why.of(game, v);
  document.body.classList.toggle("ended", v.over);
  await study.of(game, v, true, ahead);
}

// kindOf names the set of equivalent moves that a move {move, proof} is listed with.
const kindOf = ({move, proof}) => (!root.alike || proof === "estimate") && root.twins?.[move] || move;

function render() {
  const v = root;
  byId("status").textContent = v.over ? "The game is over." : `${game.sides[v.turn]} to move.${v.example ? ` Example: ${v.example}.` : ""}`;
  byId("facts").textContent = v.facts || "";
  const parts = why.parts, equal = decision && allEqual(v, decision);
  const marks = [["estimate", "Dashed, ≈: estimate."], ["lower", "≥: at least."], ["upper", "≤: at most."]];
  byId("marks").textContent = marks.filter(([proof]) => decision?.moves.some(m => m.proof === proof)).map(([, text]) => text).join(" ");
  byId("legend").hidden = Boolean(parts);
  byId("keys").hidden = equal;
  byId("faint").hidden = !equal && !Object.keys(v.twins || {}).length;
  byId("faint").textContent = equal ? "No colour: no move is known to be better." : `Faint: ${root.alike ? "estimated equal" : "equal"} to its mirror image.`;
  // The values of moves would cover the parts.
  board.show(v, {choose: move => go([move]), parts, values: decision && !parts ? valuesOn(game, v, decision) : {}, arrow: decision && !equal ? line[0] : undefined, sure: decision && moveProved(decision)});
  canStep(played.at > 0, inGame() || line.length > 0);
  byId("last").disabled = !inGame() && line.length < 2;
  byId("source").title = decision?.note || "";
  byId("step").textContent = played.at > 0 ? `move ${played.at}` : "";
  if (decision) byId("linename").textContent = moveProved(decision) ? "Best line" : "Expected line";
  steps("line", line.slice(0, SHOWN), 0, n => go(line.slice(0, n)), line.length > SHOWN || decision && !moveProved(decision));
  byId("gamepart").hidden = played.moves.length === 0;
  byId("linepart").hidden = line.length === 0;
  steps("played", played.moves, played.at, visit);
  table();
}

// The marks ≥ and ≤ of the value show the direction of a bound.
const shortProof = {exact: "proved", lower: "in part", upper: "in part", estimate: "estimate"};

// table lists the moves, the best ones first, without equivalent ones.
function table() {
  const d = decision;
  if (!d) return byId("moves").replaceChildren();
  const values = losses(game, d), seen = new Set(), body = byId("moves"), equal = allEqual(root, d);
  const rank = m => (m.move === d.move) + /best/.test(values[m.move].kind);
  refill(body, d.moves.toSorted((a, b) => rank(b) - rank(a)).filter(m => !seen.has(kindOf(m)) && seen.add(kindOf(m))).map(m => {
    const n = root.moves.filter(move => kindOf({...m, move}) === kindOf(m)).length, b = make("button", {type: "button", "data-move": m.move}, m.move);
    b.addEventListener("click", () => go([m.move]));
    const about = game.unit && m.estimate !== undefined && (m.proof === "lower" ? m.estimate >= m.score : m.estimate <= m.score) ? ` ${valueText(game, m.estimate, "estimate")}` : "";
    return make("tr", {}, make("td", {}, b, n > 1 ? ` ×${n}` : ""), make("td", {}, valueText(game, m.score, m.proof) + (m.distance ? ` in ${m.distance}` : "") + about),
      make("td", {}, values[m.move].givesUp || equal && "equal" || ""), make("td", {title: origin(m)}, shortProof[m.proof]));
  }));
  byId("more").textContent = `${body.childElementCount - 6} other moves`;
}

// visit explores the position after n moves of the game.
const visit = n => explore({...played, at: n});

// inGame reports whether moves of the game follow the position.
const inGame = () => played.at < played.moves.length;

// on plays the next move of the game, or after its end the first one of the best line.
const on = () => inGame() ? visit(played.at + 1) : line.length > 0 && go(line.slice(0, 1));

// go plays moves on the position and explores the result.
function go(more) {
  const moves = [...shownMoves(), ...more], follows = more.every((move, i) => move === line[i]);
  return explore({start: played.start, moves, at: moves.length}, follows ? line.slice(more.length) : []);
}

// shownMoves returns the moves to the position.
const shownMoves = () => played.moves.slice(0, played.at);

// explore shows the position of a game; a step made before the answer begins from there.
async function explore(known, ahead = []) {
  const before = [played, line];
  [played, line] = [known, ahead];
  study.stop();
  try {
    const v = await view(game.name, {position: known.start, moves: shownMoves()});
    if (played === known) await show(v, true, known, ahead);
  } catch (error) {
    if (played !== known) return;
    [played, line] = before;
    byId("status").textContent = error.message;
  }
}

async function open(text, push, moves = [], at = moves.length) {
  try {
    const v = await view(game.name, {position: text, moves: moves.slice(0, at)});
    await show(v, push, moves.length ? {start: text, moves, at: Math.min(at, moves.length)} : undefined);
  } catch (error) {
    complain(byId("position"), error.message.replace(/^(Move \d+): move /, "$1, ").replace(/[^.]$/, "$&.").replace(/^.*[Uu]nknown notation: (.)(.*)$/s, (_, first, rest) => `This is not a position of ${game.title}: enter ${game.positions}. ${first.toUpperCase()}${rest}`));
    for (const {name, title} of root ? list : []) {
      if (await view(name, {position: text}).catch(() => null)) byId("position-error").replaceChildren(`This is a position of ${title}. `, make("a", {href: page("explore", {game: name, position: text})}, "Open it there"));
    }
  }
}

async function fromAddress() {
  const params = new URLSearchParams(location.search);
  useGame(params.get("game"));
  const position = params.get("position");
  const first = async board => show(await view(game.name, {board}), false);
  if (!position && !params.has("board")) return example(game.examples[0][0], game.example, false);
  if (!position) {
    return first(params.get("board")).catch(async error => {
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
  byId("game").addEventListener("change", () => { useGame(byId("game").value); start(() => example(game.examples[0][0], game.example, true)); });
  byId("empty").addEventListener("click", empty);
  byId("more").addEventListener("click", () => byId("moves").classList.add("all"));
  byId("board").addEventListener("change", empty);
  byId("open").addEventListener("submit", event => {
    event.preventDefault();
    const text = byId("position").value;
    if (text.trim()) open(text, true);
    else complain(byId("position"), "Paste a position first.");
  });
  ready(byId("open"));
  stepping(() => visit(0), () => played.at > 0 && visit(played.at - 1), on, () => inGame() ? visit(played.moves.length) : go(line));
  pointing(() => board);
  share({game: () => game, link: () => address(played), shown: () => ({position: played.start, moves: shownMoves()})});
  addEventListener("popstate", () => start(fromAddress));
  await fromAddress();
});

// The first page: the games, each with a board on which a recorded game is replayed, and the
// puzzle of the day. After it is loaded it sends no requests.
import {Board} from "./board.js";
import {games, page, send} from "./ask.js";
import {byId, make, recall, start} from "./site.js";

const PAUSE = 1300; // milliseconds between moves
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

const draw = (board, shapes, {width, height, shown}) => board.show({picture: {width, height, shapes: shown.map(i => shapes[i])}, moves: []});

// recorded returns the end of a game of each kind, by name: {shapes, frames, puzzles}, where a frame
// is a picture with the numbers of its shapes, and a puzzle has {position, turn} too.
const recorded = () => send("recorded");

// replay shows the positions of a recorded game, over and over.
function replay({shapes, frames}, place) {
  const board = new Board(place);
  let n = 0;
  const show = () => draw(board, shapes, frames[n++ % frames.length]);
  show();
  if (!still) setInterval(() => { if (!document.hidden) show(); }, PAUSE);
}

// puzzle shows the puzzle of the day, the same for all visitors. Its game is another one each day.
function puzzle(list, replays) {
  const day = Math.floor((Date.now() - new Date().getTimezoneOffset() * 6e4) / 864e5), g = list[day % list.length], {shapes, puzzles} = replays[g.name], p = puzzles[Math.floor(day / list.length) % puzzles.length];
  const solved = recall("day") === String(day);
  byId("puzzledate").textContent = `${new Date().toLocaleDateString("en-GB", {weekday: "long", day: "numeric", month: "long"})} · ${g.title}`;
  byId("puzzlename").textContent = solved ? "✓ Puzzle of the day: solved" : "Puzzle of the day";
  byId("puzzletask").textContent = `${g.sides[p.turn]} to move: only one move wins${g.unit ? " by the most" : ""}.`;
  byId("puzzlelink").textContent = solved ? "Look again" : "Solve it";
  byId("puzzlelink").href = page("practise", {game: g.name, puzzle: p.position, day});
  byId("puzzle").classList.toggle("solved", solved);
  byId("puzzle").hidden = false;
  draw(new Board(byId("puzzleboard")), shapes, p);
}

start(async () => {
  const [list, replays] = await Promise.all([games(), recorded()]);
  for (const g of list) {
    const place = make("div", {class: "mini"});
    byId("games").append(make("section", {class: "card"}, place, make("h2", {}, g.title), make("p", {}, g.short),
      make("div", {class: "row"}, make("a", {class: "button strong", href: page("play", {game: g.name}), "aria-label": `Play now: ${g.title}`}, "Play now"),
        make("a", {href: page("explore", {game: g.name}), "aria-label": `Explore ${g.title}`}, "Explore"),
        make("a", {href: page("practise", {game: g.name}), "aria-label": `Practise ${g.title}`}, "Practise"))));
    replay(replays[g.name], place);
  }
  puzzle(list, replays);
});

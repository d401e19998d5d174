// The first page: the games, each with a board on which a recorded game is replayed, and the
// puzzle of the day. After it is loaded it sends no requests.
import {Board} from "./board.js";
import {games, page, recorded} from "./ask.js";
import {byId, make, start} from "./site.js";

const PAUSE = 1300; // milliseconds between moves
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

// replay shows the positions of a recorded game, over and over.
function replay({shapes, frames}, place) {
  const board = new Board(place);
  let n = 0;
  const show = () => {
    const {width, height, shown} = frames[n++ % frames.length];
    board.show({picture: {width, height, shapes: shown.map(i => shapes[i])}, moves: []});
  };
  show();
  if (!still) setInterval(() => { if (!document.hidden) show(); }, PAUSE);
}

// puzzle links to the position of the day, the same for all visitors.
function puzzle(list) {
  const now = new Date(), seed = now.getFullYear() * 10000 + (now.getMonth() + 1) * 100 + now.getDate();
  const scored = list.filter(g => g.unit), g = scored[seed % scored.length];
  byId("puzzletask").textContent = `${g.title}: only one move wins by the most. Which?`;
  byId("puzzlelink").href = page("practise", {game: g.name, level: "easy", seed, from: "made"});
  byId("puzzle").hidden = false;
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
  puzzle(list);
});

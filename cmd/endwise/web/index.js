// The first page: the games, each with a board on which two levels play, and the puzzle of
// the day.
import {Board} from "./board.js";
import {ask, exercise, games, page, view} from "./ask.js";
import {byId, make, start} from "./site.js";

const PAUSE = 1300, LONGEST = 24, SHOWN = 60; // milliseconds between moves; moves requested; moves shown
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const wait = ms => new Promise(done => setTimeout(done, ms));

const looked = async () => {
  while (document.hidden) await new Promise(done => document.addEventListener("visibilitychange", done, {once: true}));
};

// live plays a game on a card's board while the page is visible, and then replays it.
async function live(g, place) {
  const views = [await view(g.name, {position: g.taste})], board = new Board(place);
  board.show(views[0]);
  for (let n = 1; !still && n < SHOWN; n++) {
    await wait(PAUSE);
    await looked();
    const v = views.at(-1);
    if (n === views.length && n <= LONGEST && !v.over) views.push(await view(g.name, {position: v.position, moves: [(await ask(v, "300ms", "level3")).move]}));
    board.show(views[n % views.length]);
  }
}

// puzzle shows the position of the day, the same for all users of a server.
async function puzzle(list) {
  const now = new Date(), seed = now.getFullYear() * 10000 + now.getMonth() * 100 + now.getDate();
  const scored = list.filter(g => g.unit), g = scored[seed % scored.length], board = g.boards[g.boards.length - 1];
  const e = await exercise(g.name, board, "made", seed), v = await view(g.name, {position: e.position});
  byId("puzzle").hidden = false;
  new Board(byId("puzzleboard")).show(v);
  byId("puzzletask").textContent = `${g.title}, ${g.sides[v.turn]} to move. Only one move keeps the result. Which?`;
  byId("puzzlelink").href = page("practise", {game: g.name, board, seed, from: "made"});
}

start(async () => {
  const list = await games();
  byId("games").append(...list.map(g => {
    const place = make("div", {class: "mini"});
    live(g, place).catch(() => { /* a board that stands still is good enough */ });
    return make("section", {class: "card"}, place, make("h2", {}, g.title), make("p", {}, g.short),
      make("div", {class: "row"}, make("a", {class: "button strong", href: page("play", {game: g.name}), "aria-label": `Play now: ${g.title}`}, "Play now"),
        make("a", {href: page("explore", {game: g.name}), "aria-label": `Explore ${g.title}`}, "Explore"),
        make("a", {href: page("practise", {game: g.name}), "aria-label": `Practise ${g.title}`}, "Practise")));
  }));
  await puzzle(list).catch(() => { /* no puzzle today */ });
});

// The first page: the games, each with a board on which two levels play, and the
// puzzle of the day.
import {ask, exercise, games, page, view} from "./ask.js";
import {rules} from "./rules.js";
import {boardFor, byId, make, sideName, start} from "./site.js";

const PAUSE = 1300, LONGEST = 60; // between two moves, in milliseconds; moves that a board shows
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const wait = ms => new Promise(done => setTimeout(done, ms));

// live plays games on a card's board, while the page is looked at.
async function live(g, place) {
  const text = rules[g.name]?.taste, begin = () => view(g.name, text ? {position: text} : {board: g.boards[0]});
  let v = await begin();
  const board = boardFor(v, place);
  board.show(v);
  for (let n = 0; !still && n < LONGEST; n++) {
    await wait(PAUSE);
    while (document.hidden) await wait(PAUSE);
    v = v.over ? await begin() : await view(g.name, {position: v.position, moves: [(await ask(v, "300ms", "level3")).move]});
    board.show(v);
  }
}

// puzzle shows the position of the day, the same for all who ask the same server.
async function puzzle(list) {
  const now = new Date(), seed = now.getFullYear() * 10000 + now.getMonth() * 100 + now.getDate();
  const scored = list.filter(g => g.unit), g = scored[seed % scored.length] || list[0], board = g.boards[g.boards.length - 1];
  const e = await exercise(g.name, board, "made", seed), v = await view(g.name, {position: e.position});
  byId("puzzle").hidden = false;
  boardFor(v, byId("puzzleboard")).show(v);
  byId("puzzletask").textContent = `${g.title}, ${sideName(g, v.turn)} to move. One move holds, every other one gives something up. Which?`;
  byId("puzzlelink").href = page("practise", {game: g.name, board, seed});
}

start(async () => {
  const list = await games();
  byId("games").append(...list.map(g => {
    const place = make("div", {class: "mini"});
    live(g, place).catch(() => { /* a board that stands still is good enough */ });
    return make("section", {class: "card"}, place, make("h2", {}, g.title), make("p", {}, rules[g.name]?.short || ""),
      make("div", {class: "row"}, make("a", {class: "button strong", href: page("play", {game: g.name}), "aria-label": `Play now: ${g.title}`}, "Play now"),
        make("a", {href: page("explore", {game: g.name}), "aria-label": `Explore ${g.title}`}, "Explore"),
        make("a", {href: page("practise", {game: g.name}), "aria-label": `Practise ${g.title}`}, "Practise")));
  }));
  await puzzle(list).catch(() => { /* no puzzle today */ });
});

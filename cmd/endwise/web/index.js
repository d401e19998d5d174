// The first page: the games and where they can be played and looked into.
import {games, page} from "./ask.js";
import {byId, make, start} from "./site.js";

start(async () => {
  for (const g of await games()) {
    byId("games").append(make("section", {class: "card"},
      make("h2", {}, g.title),
      make("p", {class: "small"}, `Boards ${g.boards.join(", ") || "of one size"}`),
      make("a", {href: page("play", {game: g.name})}, "Play"), " · ",
      make("a", {href: page("explore", {game: g.name})}, "Explore"), " · ",
      make("a", {href: page("practise", {game: g.name})}, "Practise")));
  }
});

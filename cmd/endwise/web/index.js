// The first page: the games and where they can be played and looked into.
import {byId, games, make, start} from "./site.js";

start(async () => {
  for (const g of await games()) {
    byId("games").append(make("section", {class: "card"},
      make("h2", {}, g.title),
      make("p", {class: "small"}, `Boards ${g.boards.join(", ") || "of one size"}`),
      make("a", {href: `/play?game=${g.name}`}, "Play"), " · ",
      make("a", {href: `/explore?game=${g.name}`}, "Explore"), " · ",
      make("a", {href: `/practise?game=${g.name}`}, "Practise")));
  }
});

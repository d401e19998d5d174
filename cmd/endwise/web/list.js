// The board of any game that has no picture: the drawing for a terminal, and a
// button for every move.
import {make} from "./make.js";

export class ListBoard {
  constructor(container) {
    this.container = container;
  }

  // show draws a view of the server; see Board.show in board.js.
  show(view, {choose, values = {}, arrow, wrong} = {}) {
    const list = make("div", {class: "row", role: "group", "aria-label": "Moves to choose from"});
    for (const move of view.moves) {
      const value = values[move];
      const b = make("button", {type: "button", class: `choice ${value ? value.kind : ""} ${move === arrow ? "arrow" : ""} ${move === wrong ? "wrong" : ""}`, "data-move": move}, move);
      if (value) b.append(make("span", {class: "small"}, ` ${value.text}`));
      if (value) b.setAttribute("aria-label", `${move}, ${value.label}`);
      if (choose) b.addEventListener("click", () => choose(move));
      else b.disabled = true;
      list.append(b);
    }
    this.container.replaceChildren(make("div", {class: "list"}, make("pre", {class: "drawing"}, view.text), list));
  }
}

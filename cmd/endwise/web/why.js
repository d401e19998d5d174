// The menu "Why": the reasons for the value of the page's position.
import {reasons} from "./ask.js";
import {byId, make} from "./site.js";

// legend names the parts that a board shows in colours, if there are any.
export function legend(parts = []) {
  const pairs = parts.some(p => p.kind === "pair");
  const texts = parts.map(({kind, size, nimber}) => kind === "move" ? "the move" : kind === "pair" ? "" : kind + (size ? ` of ${size}` : nimber === undefined ? "" : `, nimber ${nimber}`));
  const spans = texts.map((text, i) => text && make("span", {class: text === "the move" ? "movepart" : `part${i % 4}`}, text)).filter(Boolean);
  if (pairs) spans.push("A segment and its image have the same colour, as may other pairs; the thin line is the fold.");
  return spans.length ? [make("p", {class: "parts"}, ...spans)] : [];
}

export class Why {
  // changed is called when other reasons are shown, and words with each text, to put the names of
  // the players into it.
  constructor(changed, words = text => text) {
    Object.assign(this, {changed, words, because: [], asked: null}); // asked is the current request
    byId("why").addEventListener("toggle", () => this.view && this.explain());
  }

  // of begins with a position; the menu is hidden if look is false. told are texts to show in
  // place of the position's reasons, or {text, more} with a folded list of buttons {to, go} and their texts.
  of(game, view, look = !view.over, told) {
    const same = this.view === view && JSON.stringify(this.told) === JSON.stringify(told);
    Object.assign(this, {game, view, told});
    byId("why").hidden = !look;
    if (!same) this.explain();
  }

  // clear removes the reasons until of is called again.
  clear() {
    this.view = this.asked = null;
    this.show([]);
  }

  // parts returns the parts of the first reason that has some to colour on the board.
  get parts() {
    return this.because.find(r => r.parts?.some(p => p.moves))?.parts;
  }

  // explain requests the reasons if the menu is open.
  async explain() {
    const mine = this.asked = byId("why").open && !byId("why").hidden ? {} : null;
    if (!mine) return this.show([]);
    if (this.told) return this.show(this.told.map(t => t.more ? t : {text: t}));
    this.show([{text: "Looking…"}]);
    const found = await reasons({game: this.game.name, position: this.view.position}, "2s").catch(error => [{text: error.message}]);
    if (this.asked === mine) this.show(found);
  }

  show(because) {
    this.because = because;
    const open = byId("reasons").querySelector("[open]") && {open: ""};
    byId("reasons").replaceChildren(...because.map(({text, more}) => !more ? make("p", {}, this.words(text)) :
      make("details", {class: "menu", ...open}, make("summary", {}, text), ...more.map(m => make("p", {}, Object.assign(make("button", {type: "button", class: "plain"}, m.to), {onclick: m.go}), m.text)))), ...legend(this.parts));
    this.changed();
  }
}

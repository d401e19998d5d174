// Sets up a position by hand: lines and pieces are toggled on the board without a search;
// turn and score are fields next to it. The server checks the result by the rules.
//
// Each game exports setup, which works on a state {turn, score, drawn or cells, …}: read
// parses the game's notation, press changes the state, text writes it; scored means that
// there are fields for the score, timed that there are fields for turns and phase.
import {view} from "./ask.js";
import {byId, complain, make, showSides} from "./site.js";
import {showBar} from "./worth.js";

export class Editor {
  // board returns the page's board; done is called with the position set up; begin and end
  // are called when setting up begins and when it is cancelled.
  constructor(board, done, begin, end) {
    Object.assign(this, {board, done, begin, end, on: false});
    this.button = make("button", {type: "button", class: "strong"}, "Change this board");
    this.button.addEventListener("click", () => this.toggle(!this.on));
    this.fields = make("div", {class: "fields"});
    byId("edit").append(make("div", {class: "row"}, this.button), this.fields);
  }

  // show sets the page's position.
  show(game, v) {
    Object.assign(this, {game, view: v});
    if (this.on) this.toggle(false, true);
  }

  toggle(on, quiet) {
    this.on = on;
    document.body.classList.toggle("editing", on);
    this.button.textContent = on ? "Done" : "Change this board";
    if (!on) {
      this.fields.replaceChildren();
      if (quiet) return;
      if (this.valid) this.done(this.valid); else this.end();
      return;
    }
    this.begin();
    const kind = this.game.setup, v = this.view;
    this.state = {turn: v.turn, score: [...v.score], ...kind.read(v)};
    this.valid = v;
    const field = (label, input, put) => {
      input.addEventListener("change", () => { put(input.value); this.check(); });
      return make("label", {}, label, " ", input);
    };
    const number = (value, most) => Object.assign(make("input", {type: "number", min: 0, max: most, size: 4}), {value});
    const fields = [];
    if (kind.timed) {
      fields.push(field("Turns", number(this.state.turns, 999), n => { this.state.turns = n; }));
      const phase = make("select", {}, make("option", {}, "placing"), make("option", {}, "moving"));
      phase.value = this.state.phase;
      fields.push(field("Phase", phase, p => { this.state.phase = p; }));
    } else {
      const turn = make("select", {}, ...[1, 2].map(n => make("option", {value: n}, this.game.sides[n])));
      turn.value = v.turn;
      fields.push(field("To move", turn, n => { this.state.turn = Number(n); }));
    }
    if (kind.scored) for (const i of [0, 1]) fields.push(field(`Score of ${this.game.sides[i + 1]}`, number(v.score[i], 200), n => { this.state.score[i] = Number(n); }));
    this.fields.replaceChildren(...fields);
    this.draw(v);
  }

  draw(v) {
    this.shown = v;
    showSides(this.game, v);
    showBar(this.game, v, null);
    this.board().show(v, {edit: shape => {
      this.game.setup.press(this.state, shape, this.shown);
      this.check();
    }});
  }

  // check requests whether the rules allow the position. A position that they do not allow
  // is drawn if its shapes are determined.
  async check() {
    const text = this.game.setup.text(this.state);
    byId("position").value = text;
    try {
      const v = await view(this.game.name, {position: text});
      if (!this.on || text !== byId("position").value) return;
      complain(byId("position"));
      this.valid = v;
      this.state.owners = this.game.setup.read(v).owners;
      this.draw(v);
    } catch (error) {
      complain(byId("position"), error.message);
      this.valid = null;
      const {drawn} = this.state, copy = {...this.shown, picture: {...this.shown.picture, shapes: [...this.shown.picture.shapes]}};
      if (!drawn) return;
      let i = 0;
      copy.picture.shapes = copy.picture.shapes.map(s => s.kind === "line" ? {...s, look: drawn[i++] ? "drawn" : "open"} : s);
      this.draw(copy);
    }
  }
}

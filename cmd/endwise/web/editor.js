// Sets up a position by hand: lines and pieces are toggled on the board, with no
// search; turn and score stand beside it. The server says whether the rules allow
// what was set up.
import {view} from "./ask.js";
import {byId, complain, make, showSides, sideName} from "./site.js";
import {showBar} from "./worth.js";

const isDrawn = s => s.look === "drawn" || s.look === "last";
const lines = v => v.picture.shapes.filter(s => s.kind === "line");

// The fields that a game's notation has, what a press changes, and the text. state
// is {turn, score, drawn or cells, …}.
const kinds = {
  circuitwars: {
    read: v => ({drawn: lines(v).map(isDrawn), size: v.board, owners: v.position.split(":")[4] || ""}),
    press: (state, s, v) => { const i = lines(v).indexOf(s); state.drawn[i] = !state.drawn[i]; state.owners = ""; },
    text: s => {
      let hex = "";
      for (let i = 0; i < s.drawn.length; i += 4) hex += [8, 4, 2, 1].reduce((n, bit, k) => n + (s.drawn[i + k] ? bit : 0), 0).toString(16);
      return `${s.size}:${hex}:${s.score.join("-")}:${s.turn}${s.owners && `:${s.owners}`}`;
    },
    scored: true,
  },
  dotsandboxes: {
    read: v => ({drawn: lines(v).map(isDrawn), size: v.board, owners: v.position.split(" o")[1] || ""}),
    press: (state, s, v) => { const i = lines(v).indexOf(s); state.drawn[i] = !state.drawn[i]; state.owners = ""; },
    text: s => {
      const [rows, cols] = s.size.split("x").map(Number), bits = s.drawn.map(d => d ? "1" : "0").join("");
      const cut = (from, n, width) => Array.from({length: n}, (_, r) => bits.slice(from + r * width, from + (r + 1) * width)).join("/");
      return `${s.size} h${cut(0, rows + 1, cols)} v${cut((rows + 1) * cols, rows, cols + 1)} ${s.score.join("-")} ${s.turn}${s.owners && ` o${s.owners}`}`;
    },
    scored: true,
  },
  watchyourback: {
    read: v => { const [rows, phase, turns] = v.position.split(":"); return {cells: [...rows], phase, turns}; },
    press: (state, s) => {
      const [x, y] = s.name.match(/\((\d),(\d)\)/).slice(1).map(Number), i = 9 * y + x, order = "-O@";
      if (order.includes(state.cells[i])) state.cells[i] = order[(order.indexOf(state.cells[i]) + 1) % 3];
    },
    text: s => `${s.cells.join("")}:${s.phase}:${s.turns}`,
    timed: true,
  },
  kayles: {
    read: v => { const [size, pins] = v.position.split(":"); return {size, cells: [...pins]}; },
    press: (state, s) => {
      if (s.move && /^\d+$/.test(s.move)) pin(state, Number(s.move));
    },
    text: s => `${s.size}:${s.cells.join("")}:${s.turn}`,
  },
};

// pin lets the pin of a number stand or fall.
function pin(state, n) {
  let at = 0;
  state.cells = state.cells.map(c => c === "-" || ++at !== n ? c : c === "I" ? "." : "I");
}

export class Editor {
  // board gives the page's board, done takes the view that was set up, begin and
  // end are called when setting up begins and when it is given up.
  constructor(board, done, begin, end) {
    Object.assign(this, {board, done, begin, end, on: false});
    this.button = make("button", {type: "button", class: "strong"}, "Change this board");
    this.button.addEventListener("click", () => this.toggle(!this.on));
    this.fields = make("div", {class: "fields"});
    byId("edit").append(make("div", {class: "row"}, this.button), this.fields);
  }

  // show takes the page's position.
  show(game, v) {
    Object.assign(this, {game, view: v});
    this.button.hidden = !kinds[game.name] || !v.picture;
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
    const kind = kinds[this.game.name], v = this.view;
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
      const turn = make("select", {}, ...[1, 2].map(n => make("option", {value: n}, sideName(this.game, n))));
      turn.value = v.turn;
      fields.push(field("To move", turn, n => { this.state.turn = Number(n); }));
    }
    if (kind.scored) for (const i of [0, 1]) fields.push(field(`Score of ${sideName(this.game, i + 1)}`, number(v.score[i], 200), n => { this.state.score[i] = Number(n); }));
    this.fields.replaceChildren(...fields);
    this.draw(v);
  }

  draw(v) {
    this.shown = v;
    showSides(this.game, v);
    showBar(this.game, v, null);
    this.board().show(v, {edit: shape => {
      kinds[this.game.name].press(this.state, shape, this.shown);
      this.check();
    }});
  }

  // check asks whether the rules allow what is set up; what they don't is drawn
  // all the same where the shapes tell how.
  async check() {
    const text = kinds[this.game.name].text(this.state);
    byId("position").value = text;
    try {
      const v = await view(this.game.name, {position: text});
      if (!this.on || text !== byId("position").value) return;
      complain(byId("position"));
      this.valid = v;
      this.state.owners = kinds[this.game.name].read(v).owners;
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

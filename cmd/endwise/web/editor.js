// Sets up a position by hand: lines and pieces are toggled on the board without a search.
// The server checks the result by the rules.
//
// Each game exports setup, which works on a state {turn, …}: read returns the state of a
// view, press changes it and returns the reason if a piece is refused, text writes it in the game's notation with what follows from it,
// and draw returns the shapes of a view with the state's lines or pieces. fields returns
// what does not follow from the board: lists of label, value, options [value, text] or the
// maximum of a number, and a function that changes the state. hint is a sentence. missing, if
// there is one, says what an unfinished position needs.
import {view} from "./ask.js";
import {complain} from "./form.js";
import {byId, choices, make, offerSize, showSides} from "./site.js";
import {showBar} from "./worth.js";

export class Editor {
  // board returns the page's board; done is called with the position set up; begin and end
  // are called when the menu "editor" is opened and when it is closed without a result.
  constructor(board, done, begin, end) {
    Object.assign(this, {board, done, begin, end, on: false, menu: byId("editor")});
    this.menu.addEventListener("toggle", () => {
      if (this.menu.open && this.view && !this.on) this.open();
      else if (!this.menu.open && this.on) this.close(this.end);
    });
    this.button = make("button", {type: "button", class: "strong"}, "Done");
    this.button.addEventListener("click", () => {
      const {value, form} = byId("position");
      if (value !== this.text) form.requestSubmit(); // the text was changed
      else this.close(() => this.done(this.valid));
    });
    const [cancel, clear] = ["Cancel", "Clear"].map(text => make("button", {type: "button"}, text));
    this.back = make("button", {type: "button"}, "Undo");
    this.back.addEventListener("click", () => {
      this.state = this.past.pop();
      this.ask();
      this.check();
    });
    cancel.addEventListener("click", () => this.close(this.end));
    this.size = make("select", {"aria-label": "Board"});
    const empty = async () => this.edit(await view(this.game.name, {board: this.size.value}));
    clear.addEventListener("click", () => {
      this.keep();
      empty();
    });
    this.size.addEventListener("change", () => {
      this.past = [];
      empty();
    });
    this.reason = make("p", {role: "status"});
    this.fields = make("div");
    this.hint = make("p", {class: "small"});
    byId("edit").prepend(make("div", {class: "state"}, make("div", {class: "row tools"}, this.button, this.back, clear, cancel, this.size), this.reason), this.hint, this.fields);
  }

  // show sets the page's position.
  show(game, v) {
    Object.assign(this, {game, view: v});
    if (this.on) this.close();
  }

  // close ends setting up.
  close(then = () => {}) {
    this.on = this.menu.open = false;
    document.body.classList.remove("editing");
    then();
  }

  open() {
    this.on = true;
    this.past = []; // the states before the changes, for Undo
    document.body.classList.add("editing");
    this.begin();
    byId("place").scrollIntoView({block: "nearest"});
    this.hint.textContent = this.game.setup.hint;
    offerSize(this.game, this.view, this.size);
    this.edit(this.view);
  }

  keep() {
    this.past.push(structuredClone(this.state));
  }

  // edit continues with a position.
  edit(v) {
    this.state = {turn: v.turn, ...this.game.setup.read(v)};
    this.text = byId("position").value;
    this.ask();
    this.accept(v);
  }

  // accept draws a position that the rules allow; one that needs more can't be the result. note
  // or the side to move is shown otherwise.
  accept(v, note = "") {
    const missing = this.game.setup.missing?.(this.state);
    this.valid = v;
    this.draw({...v, over: v.over && !missing}, !missing);
    this.tell(missing, note, v.over ? "The game is over." : `${this.game.sides[v.turn]} to move.`);
  }

  tell(wrong, note, state) {
    byId("edit").ariaBusy = "false";
    this.button.disabled = Boolean(wrong);
    this.back.disabled = this.past.length === 0;
    this.reason.textContent = wrong || note || state;
    this.reason.classList.toggle("error", Boolean(wrong || note));
  }

  // ask offers the fields.
  ask() {
    const {name} = document.activeElement;
    this.fields.replaceChildren(...this.game.setup.fields(this.state, this.game).map(([label, value, options, put]) => {
      const change = value => {
        this.keep();
        put(value);
        this.ask();
        this.check();
      };
      if (Array.isArray(options)) {
        const tiles = make("fieldset", {class: "seg", id: `edit ${label}`}, make("legend", {}, label));
        choices(tiles, options, value, change);
        return tiles;
      }
      const input = make("input", {type: "number", min: 0, max: options, value});
      input.addEventListener("change", () => change(input.value));
      return make("label", {class: "row"}, label, input);
    }));
    if (name) this.fields.querySelector(`[name="${name}"]:checked`)?.focus();
  }

  draw(v, possible = true) {
    this.shown = v;
    showSides(this.game, possible ? v : {...v, score: ["–", "–"]});
    showBar(this.game, possible ? v : {...v, score: [0, 0]}, null);
    this.board().show(v, {edit: shape => {
      this.keep();
      const refused = this.game.setup.press(this.state, shape, this.shown);
      if (refused) this.past.pop();
      this.ask();
      this.check(refused);
    }});
  }

  // check requests whether the rules allow the position. One that they do not allow is drawn
  // too, and can't be the result. note is shown if the position is allowed.
  async check(note = "") {
    const text = this.text = byId("position").value = this.game.setup.text(this.state);
    complain(byId("position"));
    this.button.disabled = true;
    byId("edit").ariaBusy = "true";
    try {
      const v = await view(this.game.name, {position: text});
      if (!this.on || text !== byId("position").value) return;
      this.accept(v, note);
    } catch (error) {
      if (!this.on || text !== byId("position").value) return;
      const {picture} = this.shown;
      this.draw({...this.shown, picture: {...picture, shapes: this.game.setup.draw(this.state, picture.shapes)}}, false);
      this.tell(error.message);
    }
  }
}

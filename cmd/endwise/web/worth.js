// The value of the page's position: the bar next to the board, and in the panel the way
// from an estimate over a bound to a proof, updated live.
import {ask} from "./ask.js";
import {advantage, allEqual, byId, does, ending, make, moveProved, origin, scoreText, sentence, signed} from "./site.js";

// Requests about a position, one after the other, until all is proved: the values of all
// moves, or only the best one, which is proved sooner.
const LOOK = [["300ms", "all"], ["2s", "best"], ["3s", "all"]];
const PROVE = [...Array(5).fill(["10s", "best"]), ["10s", "all"]];
const parts = ["won1", "due1", "open", "due2", "won2"];

// showBar draws the bar next to the board, and in it what it shows.
export function showBar(game, view, d) {
  const bar = byId("bar"), o = outlook(game, view, d);
  if (bar.childElementCount === 0) bar.append(...parts.map(p => make("span", {class: p})), make("b", {"aria-hidden": "true"}));
  [o.won[0], o.due[0], o.open, o.due[1], o.won[1]].forEach((share, i) => {
    bar.children[i].style.flexGrow = share;
    bar.children[i].classList.toggle("guess", Boolean(o.guess));
  });
  bar.lastChild.textContent = o.text;
  bar.lastChild.className = o.lead === 2 ? "two" : "";
  bar.classList.toggle("empty", !d && !view.over && view.score.every(n => n === 0 || !game.unit)); // nothing to show
  const words = d ? sentence(game, view, d) : view.over ? "The game is over" : "No value yet";
  bar.setAttribute("aria-label", words);
  bar.title = words;
}

// outlook divides the bar between the sides, in shares of the total: won already, expected
// by the evaluation, and open between bounds. text is the winner with the lead at the end, lead
// the number of that side.
function outlook(game, view, d) {
  const sign = view.turn === 1 ? 1 : -1, out = {won: [0, 0], due: [0, 0], open: 1, guess: d && d.proof === "estimate", text: !view.over ? "score so far" : view.winner ? `${game.sides[view.winner]} won` : view.winner === 0 ? "tie" : "final score", lead: view.over && view.winner || 0};
  const bounds = (low, high) => { // share of the rest for the first player
    out.due = [low, 1 - high];
    out.open = high - low;
  };
  if (view.over && !game.unit) {
    bounds(...[[0.5, 0.5], [1, 1], [0, 0]][view.winner]);
    return out;
  }
  if (!game.unit) {
    if (!d) return out;
    out.lead = d.score === 0 ? 0 : sign * d.score > 0 ? 1 : 2;
    if (d.proof === "estimate") {
      const share = 1 / (1 + Math.exp(-sign * d.score / (view.too_early ? 600 : 150))), ahead = advantage(d.score);
      bounds(share, share);
      out.text = ahead ? `${game.sides[out.lead]} ${ahead}` : "about even";
    } else {
      const p = (1 + sign * d.score) / 2, up = d.proof === "exact" ? 0 : d.proof === "lower" ? sign : -sign;
      bounds(up < 0 ? 0 : p, up > 0 ? 1 : p);
      out.text = out.lead ? does(game.sides[out.lead], "wins") : up ? "" : "tie";
    }
    return out;
  }
  const {left, final} = ending(game, view, 0);
  if (!final) return out;
  const all = left + view.score[0] + view.score[1] || 1;
  out.won = view.score.map(n => n / all);
  if (d && left > 0) {
    const first = score => Math.max(0, Math.min(1, (left + sign * score) / 2 / left));
    const at = first(d.score), up = {exact: 0, estimate: 0, lower: sign, upper: -sign}[d.proof];
    bounds(up < 0 ? 0 : at, up > 0 ? 1 : at);
    const margin = view.score[0] - view.score[1] + sign * d.score;
    const even = d.proof === "estimate" && Math.abs(margin) <= 1;
    out.lead = even || margin * (up || margin) <= 0 ? 0 : margin > 0 ? 1 : 2;
    out.text = even ? "about even" : out.lead ? `${game.sides[out.lead]} ${up ? "≥" : d.proof === "estimate" ? "≈" : ""}+${Math.abs(margin)}` : up ? "" : "tie";
  }
  out.due = out.due.map(n => n * left / all);
  out.open *= left / all;
  return out;
}

// asGood says which move, or how many, besides equivalent ones have the value or estimate of the best.
function asGood(view, d) {
  const kind = move => view.twins?.[move] || move, equal = d.moves.filter(m => m.score === d.score && m.proof === d.proof && m.distance === d.distance && !m.stale);
  const others = /exact|estimate/.test(d.proof) ? [...new Set(equal.map(m => kind(m.move)).filter(k => k !== kind(d.move)))] : [];
  return others.length === 0 ? "" : `; ${others.length === 1 ? `${others[0]} is` : `${others.length} others are`} ${d.exact ? "as good" : "estimated equal"}`;
}

// sum says how the value of a position and the score so far give the result at the end, which
// the bar shows.
function sum(game, view, d) {
  const about = {exact: "", lower: "at least ", upper: "at most ", estimate: "about "}[d.proof], me = view.turn - 1, lead = view.score[me] - view.score[1 - me];
  return `${game.sides[view.turn]}: ${about}${signed(d.score)} from here${lead ? `, ${signed(lead)} so far, so ${about}${signed(lead + d.score)} at the end` : ""}.`;
}

// Study evaluates a position and shows the value. heard is called with each answer, and
// with null when the surrounding menu is opened or closed; failed is called if a request fails.
export class Study {
  constructor(heard, failed = () => {}) {
    Object.assign(this, {heard, failed, running: null, decision: null, menu: byId("worth")});
    byId("prove").addEventListener("click", () => this.trouble && !this.tried ? this.ask(LOOK) : this.prove());
    this.menu?.addEventListener("toggle", () => {
      if (!this.view) return;
      this.of(this.game, this.view, this.look, this.line);
      this.heard(null);
    });
  }

  // of begins with a position. In a menu it waits until the menu is open; if look is false
  // it sends no request. Of equally good moves the first one of line is named.
  of(game, view, look = true, line = []) {
    Object.assign(this, {game, view, look, line, decision: null, tried: false, trouble: ""});
    this.stop();
    this.show();
    return look && !view.over && (!this.menu || this.menu.open) ? this.ask(LOOK) : null;
  }

  prove() {
    this.tried = true;
    return this.ask(PROVE);
  }

  stop() {
    if (this.running) this.running.abort();
    this.running = null;
  }

  async ask(questions) {
    this.stop();
    const mine = this.running = new AbortController(), view = this.view;
    this.trouble = "";
    const hear = d => {
      if (this.running !== mine) return;
      const before = this.decision && this.decision.moves || [], heard = new Set(d.moves.map(m => m.move));
      // Estimates of an earlier, shorter search are not compared with those of this one.
      const moves = [...d.moves, ...before.filter(m => !heard.has(m.move)).map(m => ({...m, stale: m.proof === "estimate"}))];
      if (this.decision?.move === d.move && this.decision.score === d.score && this.decision.line?.length > d.line?.length) d.line = this.decision.line;
      const follows = moves.some(m => m.move === this.line[0] && m.score === d.score && m.proof === d.proof && !m.stale && m.distance === d.distance);
      this.decision = {...d, moves, ...(follows && {move: this.line[0], line: this.line})};
      this.show();
      this.heard(this.decision);
    };
    try {
      for (const [time, how] of questions) {
        const d = this.decision;
        if (d && moveProved(d) && (how === "best" || d.moves.length === view.moves.length && d.moves.every(m => m.proof === "exact"))) continue;
        this.show();
        hear(await ask(view, time, how, {signal: mine.signal, update: hear}));
        if (this.running !== mine) return;
      }
    } catch (error) {
      if (error.name === "AbortError" || this.running !== mine) return;
      this.trouble = error.message;
      this.failed();
    }
    if (this.running !== mine) return;
    this.running = null;
    this.show();
  }

  show() {
    const {game, view, decision: d} = this, busy = Boolean(this.running);
    showBar(game, view, d);
    const reached = !d ? -1 : moveProved(d) ? 2 : d.proof === "estimate" ? 0 : 1;
    byId("proof").textContent = ["Estimated", "Proved in part", "✓ Proved"][reached] || "";
    byId("proof").className = `${reached === 2 ? "sure" : ""} ${busy ? "busy" : ""}`;
    const early = reached < 2 && view.too_early;
    byId("prove").hidden = !this.trouble && (view.over || reached === 2 || Boolean(early));
    byId("prove").textContent = this.trouble ? "Retry" : "Prove it";
    byId("prove").title = this.trouble ? "" : "Search for a minute";
    byId("prove").disabled = busy || !this.look;
    byId("would").textContent = this.trouble ? (d ? this.trouble : "") : view.over || !this.look || reached === 2 ? "" :
      busy ? (this.tried ? "Working on a proof…" : "Looking…") : early || `${reached < 1 ? "Not proved" : d.exact ? "The result is proved, the best move is not" : "This limit is proved, the exact result is not"}${this.tried ? " in a minute: try a few moves on." : ": a minute may do it."}`;
    if (view.over) {
      byId("verdict").textContent = `The game is over: ${view.winner ? does(game.sides[view.winner], "won") : "a tie"}${game.unit ? ` ${scoreText(view.score)}` : ""}.`;
      byId("source").textContent = "";
    } else if (!d) {
      byId("verdict").textContent = this.trouble || (this.look ? "Looking it up…" : "Shown again at your turn.");
      byId("source").textContent = "";
    } else {
      byId("verdict").textContent = `${sentence(game, view, d)} ${allEqual(view, d) ? `All moves are equal${d.exact ? "" : " as far as is proved"}.` : `${moveProved(d) ? "Best is" : d.proof === "estimate" ? "Estimated best:" : "Perhaps best:"} ${d.move}${asGood(view, d)}.`}`;
      byId("source").textContent = `${origin(d).replace(/^\w+ /, "")}.${game.unit ? ` ${sum(game, view, d)}` : ""}`;
    }
  }
}

// Dots and Boxes between agents and people. The page runs the game; agents are websocket
// servers to which it connects. The built-in levels and Endwise are such agents too, on
// this page's host below /agent/.
import {Board} from "./board.js";
import {range, segmentPicture} from "./segments.js";
import {ready} from "./form.js";
import {moveTable} from "./moves.js";
import {byId, pointing, share, show} from "./site.js";
import {showBar} from "./worth.js";

// LATE is the grace after the limit before an agent loses; PATIENCE is the timeout of a
// connection.
const LATE = 300, PATIENCE = 10000;

// Game implements the rules, independent of the page.
class Game {
  constructor(rows, cols) {
    Object.assign(this, {rows, cols, score: [0, 0], turn: 1, last: null, moves: []});
    this.h = range(rows + 1).map(() => range(cols).map(() => false));
    this.v = range(rows).map(() => range(cols + 1).map(() => false));
    this.owner = range(rows).map(() => range(cols).map(() => 0));
  }
  lines(orientation) { return {h: this.h, v: this.v}[orientation]; }
  legal(orientation, r, c) {
    const lines = this.lines(orientation);
    return Boolean(lines && Number.isInteger(r) && Number.isInteger(c) && lines[r] && lines[r][c] === false);
  }
  get over() { return this.score[0] + this.score[1] === this.rows * this.cols; }
  get winner() { return Math.sign(this.score[0] - this.score[1]) === 1 ? 1 : this.score[0] === this.score[1] ? 0 : 2; }
  draw(orientation, r, c) {
    this.lines(orientation)[r][c] = true;
    this.last = {orientation, r, c};
    this.moves.push({move: `${orientation}${r},${c}`, side: this.turn});
    const beside = orientation === "h" ? [[r - 1, c], [r, c]] : [[r, c - 1], [r, c]];
    let taken = 0;
    for (const [y, x] of beside) {
      if (y < 0 || x < 0 || y >= this.rows || x >= this.cols) continue;
      if (this.h[y][x] && this.h[y + 1][x] && this.v[y][x] && this.v[y][x + 1]) {
        this.owner[y][x] = this.turn;
        taken++;
      }
    }
    this.score[this.turn - 1] += taken;
    if (!taken) this.turn = 3 - this.turn;
  }
  picture() {
    const state = (o, r, c) => !this.lines(o)[r][c] ? "open" :
      this.last && this.last.orientation === o && this.last.r === r && this.last.c === c ? "last" : "drawn";
    return segmentPicture({
      owner: this.owner, name: (o, r, c) => `${o}${r},${c}`,
      horizontal: this.h.map((row, r) => row.map((_, c) => state("h", r, c))),
      vertical: this.v.map((row, r) => row.map((_, c) => state("v", r, c))),
    });
  }
}

// Agent is one player of one game behind a websocket. It calls answer with each action, and
// lost at most once, with a reason.
class Agent {
  constructor(address, answer, lost) {
    this.asked = false;
    this.fail = reason => {
      if (this.closed) return;
      this.close();
      lost(reason);
    };
    try {
      // A browser accepts other addresses too, such as those of pages.
      if (!/^wss?:\/\/[^/\s]/i.test(address)) throw new SyntaxError();
      this.socket = new WebSocket(address);
      this.socket.binaryType = "arraybuffer";
    } catch {
      setTimeout(() => this.fail(`${address || "nothing"} is no websocket address; one looks like ws://127.0.0.1:8089`));
      return;
    }
    this.timer = setTimeout(() => this.fail(`no agent answers at ${address}`), PATIENCE);
    let opened = false;
    this.ready = new Promise(resolve => {
      this.socket.onopen = () => {
        opened = true;
        clearTimeout(this.timer);
        resolve();
      };
    });
    this.socket.onclose = () => this.fail(opened ? "the connection closed" : `no agent answers at ${address}`);
    this.socket.onmessage = event => {
      let m;
      try {
        m = JSON.parse(typeof event.data === "string" ? event.data.replace(/^\uFEFF/, "") : new TextDecoder().decode(event.data));
      } catch {
        m = null;
      }
      if (!m || m.type !== "action") return;
      if (!this.asked) return this.fail("moved out of turn");
      this.asked = false;
      clearTimeout(this.timer);
      answer(m);
    };
  }
  send(m) {
    if (!this.closed && this.socket && this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(m));
  }
  // ask records that the agent is to move; the request itself follows.
  ask(limit) {
    this.asked = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fail(`no line within ${limit} s`), limit * 1000 + LATE);
  }
  close() {
    this.closed = true;
    clearTimeout(this.timer);
    if (this.socket) this.socket.close(1000);
  }
}

const board = new Board(byId("place"));
byId("kind2").value = "endwise";

// showBoard draws the game; if a person is to move, free lines can be chosen.
function showBoard(g, human) {
  const picture = g.picture(), drawn = m => humanDraws(m[0], ...m.slice(1).split(",").map(Number));
  const moves = human ? picture.shapes.filter(s => s.look === "open").map(s => s.move) : [];
  board.show({picture, moves, position: g.moves.length}, {choose: human ? drawn : undefined});
}
let match = null; // {id, game, players: [null | Agent, …], names, limit, connecting, over}

// field reads a number, or throws an error that names the valid range.
function field(id, low, high) {
  const input = byId(id), n = input.valueAsNumber;
  if (n >= low && n <= high) return n;
  throw new RangeError(`${input.labels[0].firstChild.textContent.trim()}: want a number from ${low} to ${high}`);
}

function address(player) {
  const kind = byId(`kind${player}`).value;
  if (kind === "human") return null;
  if (kind === "address") return byId(`address${player}`).value.trim();
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/agent/${kind}`;
}

async function newGame() {
  let rows, cols, limit;
  try {
    rows = Math.round(field("rows", 1, 9));
    cols = Math.round(field("cols", 1, 9));
    limit = field("limit", 0.1, 600);
  } catch (wrong) {
    show("status", wrong.message);
    return;
  }
  if (match) {
    match.over = true;
    for (const p of match.players) if (p) p.close();
  }
  const id = Array.from(crypto.getRandomValues(new Uint8Array(16)), b => b.toString(16).padStart(2, "0")).join("");
  const m = match = {id, game: new Game(rows, cols), players: [null, null], limit, over: false, connecting: true, names: []};
  for (const player of [1, 2]) {
    const select = byId(`kind${player}`), at = address(player);
    m.names.push(select.value === "address" ? at : select.options[select.selectedIndex].textContent);
    if (at === null) continue;
    m.players[player - 1] = new Agent(at,
      a => match === m && agentDraws(m, player, a), reason => match === m && forfeit(m, player, reason));
  }
  render("Connecting…");
  for (const p of m.players) if (p) await p.ready;
  if (match !== m || m.over) return;
  m.connecting = false;
  // The start message requests the first move of player 1.
  for (const player of [2, 1]) {
    const p = m.players[player - 1];
    if (!p) continue;
    if (player === 1) p.ask(limit);
    p.send({type: "start", player, timelimit: limit, grid: [rows, cols], game: id});
  }
  render();
}

function agentDraws(m, player, action) {
  // Agents send numbers as 3, "3" or " 3.0".
  const [r, c] = Array.isArray(action.location) ? action.location.map(v => String(v).trim() ? Number(v) : NaN) : [];
  const orientation = String(action.orientation).trim().toLowerCase();
  if (!m.game.legal(orientation, r, c)) {
    return forfeit(m, player, `illegal line ${String(action.orientation)}${String(action.location)}`.slice(0, 80));
  }
  draw(m, orientation, r, c);
}

function humanDraws(orientation, r, c) {
  const m = match;
  if (!m || m.over || m.connecting || m.players[m.game.turn - 1] || !m.game.legal(orientation, r, c)) return;
  draw(m, orientation, r, c);
}

// draw plays a line and informs both agents, including the mover; after the last line it
// sends the end of the game.
function draw(m, orientation, r, c) {
  const player = m.game.turn;
  m.game.draw(orientation, r, c);
  const over = m.game.over, next = over ? 0 : m.game.turn;
  const told = {type: over ? "end" : "action", game: m.id, player, nextplayer: next,
    score: m.game.score, location: [r, c], orientation};
  if (over) told.winner = m.game.winner;
  m.over = over;
  if (next && m.players[next - 1]) m.players[next - 1].ask(m.limit);
  for (const p of m.players) if (p) p.send(told);
  if (over) for (const p of m.players) if (p) p.close();
  render();
}

function forfeit(m, player, reason) {
  if (m.over) return;
  m.over = true;
  const text = `Player ${player} (${m.names[player - 1]}) lost at move ${m.game.moves.length + 1}: ${reason}`;
  for (const p of m.players) {
    if (!p) continue;
    p.send({type: "end", game: m.id, nextplayer: 0, score: m.game.score, winner: 3 - player, reason: text});
    p.close();
  }
  render(text);
}

function render(text) {
  const m = match, g = m.game;
  const human = !m.over && !m.connecting && !m.players[g.turn - 1];
  if (!text) {
    if (!m.over) text = human ? `Player ${g.turn}, your turn` : `Player ${g.turn} (${m.names[g.turn - 1]}) is thinking…`;
    else if (g.winner) text = `Player ${g.winner} (${m.names[g.winner - 1]}) won ${Math.max(...g.score)} to ${Math.min(...g.score)}`;
    else text = `A tie, ${g.score[0]} boxes each`;
  }
  show("status", text);
  document.body.dataset.phase = m.over ? "over" : "playing";
  for (const player of [1, 2]) {
    show(`name${player}`, m.names[player - 1]);
    show(`score${player}`, String(g.score[player - 1]));
    byId(`side${player}`).classList.toggle("moves", !m.over && g.turn === player);
    show(`clock${player}`, !m.over && g.turn === player ? "to move" : "");
  }
  moveTable(byId("moves"), g.moves);
  showBar({unit: "box", sides: ["", ...m.names]}, {board: `${g.rows}x${g.cols}`, turn: g.turn, score: g.score, over: g.over}, null);
  show("last", g.last ? `Last line ${g.last.orientation}${g.last.r},${g.last.c}` : "No line yet");
  showBoard(g, human);
}

for (const player of [1, 2]) {
  const select = byId(`kind${player}`);
  select.addEventListener("change", () => { byId(`at${player}`).hidden = select.value !== "address"; });
}
byId("start").addEventListener("click", newGame);
pointing(() => board);
share({game: () => ({name: "dotsandboxes"})});
showBoard(new Game(5, 5), false);
ready(byId("start").parentElement);

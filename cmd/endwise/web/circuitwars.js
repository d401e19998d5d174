// The live page of the Circuit Wars server: it requests /status every 0.2 s and shows the
// game; after each move it requests the teams and the moves.
import {Board, element} from "./board.js";
import {range, segmentPicture} from "./segments.js";
import {moveTable} from "./moves.js";
import {byId, pointing, share, show} from "./site.js";
import {showBar} from "./worth.js";

const INTERVAL = 200, PATIENCE = 2000;
const TOP = 1, RIGHT = 2, BOTTOM = 4, LEFT = 8, OWNER1 = 16, OWNER2 = 32;
const board = new Board(byId("place"));

// picture converts the bits of the cells to a picture. Borders inside a captured area are
// not set: a segment next to an owned square that is not drawn is gone.
function picture(status) {
  const cells = status.board, rows = cells.length, cols = cells[0].length;
  const cell = (x, y) => y >= 0 && y < rows && x >= 0 && x < cols ? cells[y][x] : 0;
  const state = (x1, y1, bit1, x2, y2, bit2) => {
    const a = cell(x1, y1), b = cell(x2, y2);
    if (a & bit1 || b & bit2) return "drawn";
    return (a | b) & (OWNER1 | OWNER2) ? "gone" : "open";
  };
  const p = {
    horizontal: range(rows + 1).map(y => range(cols).map(x => state(x, y, TOP, x, y - 1, BOTTOM))),
    vertical: range(rows).map(y => range(cols + 1).map(x => state(x, y, LEFT, x - 1, y, RIGHT))),
    owner: cells.map(row => row.map(c => c & OWNER1 ? 1 : c & OWNER2 ? 2 : 0)),
  };
  const [x, y, border] = String(status.last_move).split(",");
  const [lines, r, c] = {
    top: [p.horizontal, +y, +x], bottom: [p.horizontal, +y + 1, +x],
    left: [p.vertical, +y, +x], right: [p.vertical, +y, +x + 1],
  }[border] || [];
  if (lines && lines[r] && lines[r][c] === "drawn") lines[r][c] = "last";
  // The names of the rules: the first of the two squares next to a segment.
  const name = (o, r, c) => o === "h" ? r ? `${c},${r - 1},bottom` : `${c},0,top` : c ? `${c - 1},${r},right` : `0,${r},left`;
  return segmentPicture({...p, name, dots: false});
}

function render(status) {
  const code = status.status_code, turn = code === 201 ? 1 : code === 202 ? 2 : 0;
  show("status", status.status.replace(/Player ([12])/g, (_, side) => byId(`name${side}`).textContent));
  document.body.dataset.phase = code < 200 ? "waiting" : code < 300 ? "playing" : "over";
  // After a forfeit the winner has all squares, whatever the status shows.
  const all = status.board.length * status.board[0].length;
  const score = [1, 2].map(side => code < 400 ? status[`score_${side}`] : side === code % 100 ? 0 : all);
  document.title = code < 300 ? "Circuit Wars" : `${score.join("-")} Circuit Wars`;
  for (const player of [1, 2]) {
    show(`score${player}`, String(score[player - 1]));
    byId(`side${player}`).classList.toggle("moves", player === turn);
    const running = player === turn && status.time_left > 0;
    show(`clock${player}`, running ? `${(status.time_left / 1000).toFixed(1)} s` : player === turn ? "to move" : "");
  }
  show("last", status.last_move ? `Last move ${status.last_move}` : "No move yet");
  board.show({picture: picture(status), moves: []});
  showBar({unit: "square", sides: ["", byId("name1").textContent, byId("name2").textContent]}, {board: `${status.board.length}x${status.board[0].length}`, turn: turn || 1, score, over: code >= 300}, null);
}

// tell shows the teams, the moves and the course of the score.
function tell({teams, moves}) {
  [1, 2].forEach(side => {
    show(`name${side}`, teams[side - 1] || `Player ${side}`);
    show(`head${side}`, teams[side - 1] || `Player ${side}`);
  });
  moveTable(byId("moves"), moves.map(({player, move}) => ({side: player, move})));
  const top = Math.max(1, ...moves.flatMap(m => m.score)), last = Math.max(1, moves.length);
  const x = n => 40 + 590 * n / last, y = n => 145 - 130 * n / top;
  const line = i => `M${x(0)} ${y(0)}${moves.map((m, n) => `H${x(n + 1)}V${y(m.score[i])}`).join("")}`;
  const parts = [["path", {class: "grid", d: `M40 ${y(0)}H630M40 ${y(top)}H630`}], ["text", {class: "axis", x: 34, y: y(top)}, top], ["text", {class: "axis", x: 34, y: y(0)}, 0],
    ["path", {class: "score1", d: line(0)}], ["path", {class: "score2", d: line(1)}]];
  byId("scores").toggleAttribute("hidden", moves.length === 0);
  byId("scores").replaceChildren();
  for (const [name, attributes, text = ""] of parts) element(name, attributes, byId("scores")).textContent = text;
}

// asks returns the JSON at one of the server's paths.
async function asks(path) {
  const response = await fetch(path, {cache: "no-store", signal: AbortSignal.timeout(PATIENCE)});
  return JSON.parse(await response.text());
}

let answered = Date.now(), told = "";

async function poll() {
  try {
    const status = await asks("status"), now = `${status.status_code} ${status.last_move}`;
    render(status);
    if (now !== told) tell(await asks("web/game"));
    told = now;
    answered = Date.now();
  } catch {
    // Shown below if it persists.
  }
  byId("trouble").hidden = Date.now() - answered < PATIENCE;
  setTimeout(poll, INTERVAL);
}

byId("projector").addEventListener("click", () => {
  document.body.classList.add("projector");
  document.documentElement.requestFullscreen?.().catch(() => { /* a large window will do */ });
});
addEventListener("keydown", event => { if (event.key === "Escape") document.body.classList.remove("projector"); });
document.addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) document.body.classList.remove("projector"); });

pointing(() => board);
share({game: () => ({name: "circuitwars"})});
poll();

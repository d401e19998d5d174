// The live page of the Circuit Wars server: asks /status every 0.2 s and
// shows it.
import {Board} from "./board.js";
import {segmentPicture} from "./segments.js";

const INTERVAL = 200, PATIENCE = 2000;
const TOP = 1, RIGHT = 2, BOTTOM = 4, LEFT = 8, OWNER1 = 16, OWNER2 = 32;
const byId = id => document.getElementById(id);
const board = new Board(byId("board"));

function show(id, text) {
  const e = byId(id);
  if (e.textContent !== text) e.textContent = text;
}

// picture makes a picture of the cells' bits. Inside a captured
// area no borders are set: a segment beside an owned square that is not drawn
// is gone.
function picture(status) {
  const cells = status.board, rows = cells.length, cols = cells[0].length;
  const cell = (x, y) => y >= 0 && y < rows && x >= 0 && x < cols ? cells[y][x] : 0;
  const state = (x1, y1, bit1, x2, y2, bit2) => {
    const a = cell(x1, y1), b = cell(x2, y2);
    if (a & bit1 || b & bit2) return "drawn";
    return (a | b) & (OWNER1 | OWNER2) ? "gone" : "open";
  };
  const range = n => Array.from({length: n}, (_, i) => i);
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
  return segmentPicture(p);
}

function render(status) {
  const code = status.status_code, turn = code === 201 ? 1 : code === 202 ? 2 : 0;
  show("status", status.status);
  document.body.dataset.phase = code < 200 ? "waiting" : code < 300 ? "playing" : "over";
  document.title = code < 300 ? "Circuit Wars" : `${status.score_1}-${status.score_2} Circuit Wars`;
  for (const player of [1, 2]) {
    show(`score${player}`, String(status[`score_${player}`]));
    byId(`player${player}`).classList.toggle("moves", player === turn);
    const running = player === turn && status.time_left > 0;
    show(`clock${player}`, running ? `${(status.time_left / 1000).toFixed(1)} s` : player === turn ? "to move" : "");
  }
  show("last", status.last_move ? `Last move ${status.last_move}` : "No move yet");
  board.show({picture: picture(status), moves: []});
}

let answered = Date.now();

async function poll() {
  try {
    const response = await fetch("/status", {cache: "no-store", signal: AbortSignal.timeout(PATIENCE)});
    render(JSON.parse(await response.text()));
    answered = Date.now();
  } catch {
    // Shown below once it lasts.
  }
  byId("trouble").hidden = Date.now() - answered < PATIENCE;
  setTimeout(poll, INTERVAL);
}

poll();

// The picture of a board of squares and segments as engine/grid draws it, for the live
// pages, which only have the game's messages:
//
// horizontal: rows+1 lists of cols looks of segments: open, drawn, last, gone;
// vertical: rows lists of cols+1; owner: rows lists of cols players, 0 for none;
// name: a function that returns the move of a segment, given "h" or "v", row and column;
// dots: whether the dots are numbered, instead of the squares.
const LEFT = 0.6, TOP = 0.55, RIGHT = 0.4, BOTTOM = 0.15, SIGN = 0.27;

// range returns the numbers from 0 to n-1.
export const range = n => [...Array(n).keys()];

export function segmentPicture({horizontal, vertical, owner, name = () => "", dots = true}) {
  const rows = vertical.length, cols = horizontal[0].length, shapes = [], signs = [];
  const more = dots ? 1 : 0, distance = dots ? 0 : 0.5;
  for (const x of range(cols + more)) shapes.push({kind: "label", x: LEFT + x + distance, y: 0.22, text: String(x)});
  for (const y of range(rows + more)) shapes.push({kind: "label", x: 0.12, y: TOP + y + distance, text: String(y)});
  const cell = (look, x, y, x2, y2) => ({kind: "cell", look, x, y, x2, y2});
  owner.forEach((line, r) => line.forEach((player, c) => {
    const x = LEFT + c, y = TOP + r, mx = x + 0.5, my = y + 0.5;
    shapes.push(cell(player ? `owned${player}` : "ground", x, y, x + 1, y + 1));
    if (!player) return;
    signs.push(player === 1 ? {kind: "circle", look: "sign1", x: mx, y: my, r: SIGN} : cell("sign2", mx - SIGN, my - SIGN, mx + SIGN, my + SIGN),
      {kind: "label", look: "sign", x: mx, y: my, text: String(player)});
  }));
  const lines = (orientation, looks, dx, dy) => looks.forEach((line, r) => line.forEach((look, c) => {
    const x = LEFT + c, y = TOP + r;
    const [where, row, col] = dx ? r === rows ? ["below", r - 1, c] : ["above", r, c] : c === cols ? ["right of", r, c - 1] : ["left of", r, c];
    shapes.push({kind: "line", look, x, y, x2: x + dx, y2: y + dy, move: name(orientation, r, c),
      name: dots ? `line ${dx ? "right" : "down"} from the dot in row ${r}, column ${c}` : `line ${where} the square in row ${row}, column ${col}`});
  }));
  lines("h", horizontal, 1, 0);
  lines("v", vertical, 0, 1);
  for (const r of range(rows + 1)) for (const c of range(cols + 1)) shapes.push({kind: "circle", look: "dot", x: LEFT + c, y: TOP + r, r: 0.08});
  return {width: LEFT + cols + RIGHT, height: TOP + rows + BOTTOM, shapes: [...shapes, ...signs]};
}

// lines returns the segments of a view in the order of the notation.
export const lines = v => v.picture.shapes.filter(s => s.kind === "line");
export const isDrawn = s => s.look === "drawn" || s.look === "last";

// segmentSetup is the setup of a game of segments for editor.js, on a state {size, drawn,
// owner}. write returns the notation; areas returns for each square the number of its
// closed area, or -1; turn returns the side to move, if it follows from the lines.
export function segmentSetup({hint, owners, write, areas, turn = () => 0}) {
  const settle = (s, by) => {
    const area = areas(s), of = new Map();
    s.owner.forEach((player, i) => { if (player) of.set(area[i], player); });
    s.owner = area.map(a => a < 0 ? 0 : of.get(a) || by);
    s.turn = turn(s) || s.turn;
  };
  return {
    hint,
    read: v => {
      const s = {drawn: lines(v).map(isDrawn), size: v.board, turn: v.turn}, known = owners(v);
      s.owner = areas(s).map((a, i) => a < 0 ? 0 : Number(known[i]) || 1);
      return s;
    },
    press: (s, shape, v) => {
      if (shape.kind === "cell") {
        const area = areas(s), at = v.picture.shapes.filter(isSquare).indexOf(shape);
        s.owner = s.owner.map((player, i) => area[i] === area[at] ? 3 - player : player);
        return;
      }
      const i = lines(v).indexOf(shape), by = s.turn;
      s.drawn[i] = !s.drawn[i];
      settle(s, by);
    },
    text: s => write(s, [1, 2].map(player => s.owner.filter(o => o === player).length).join("-")),
    draw: (s, shapes) => {
      let i = 0;
      return shapes.map(shape => shape.kind === "line" ? {...shape, look: s.drawn[i++] ? "drawn" : "open"} : shape);
    },
    fields: (s, game) => turn(s) ? [] : [["To move", s.turn, [1, 2].map(n => [n, game.sides[n]]), n => { s.turn = n; }]],
  };
}

const isSquare = s => s.kind === "cell" && /^(ground|owned)/.test(s.look);

// around returns the sides of a square, each with whether it is drawn and the square after
// it, undefined outside the board.
export function around({drawn, size}, square) {
  const [rows, cols] = size.split("x").map(Number), r = Math.floor(square / cols), c = square % cols;
  const v = (rows + 1) * cols + r * (cols + 1) + c, at = (y, x) => y >= 0 && x >= 0 && y < rows && x < cols ? y * cols + x : undefined;
  return [[drawn[square], at(r - 1, c)], [drawn[square + cols], at(r + 1, c)], [drawn[v], at(r, c - 1)], [drawn[v + 1], at(r, c + 1)]];
}

// squares returns the numbers of a board's squares.
export const squares = ({size}) => range(size.split("x").reduce((a, b) => a * b));

// Watch Your Back for the pages; game-*.js of the other games have the same exports.

export const short = "Trap an enemy piece between two of yours and it dies. The board shrinks twice, so there is nowhere to hide.";
export const rules = [
  "First White and Black place twelve pieces each in turn, on free squares except corners: White in rows 0 to 5, Black in rows 2 to 7.",
  "Then a turn moves one piece one square along its row or column, or jumps over one piece of either colour to the free square after it. Corners cannot be entered or jumped. A player without a move loses the turn.",
  "A piece dies between two enemies, or an enemy and a corner, in its row or column: first those next to the piece that was placed or moved, then that piece.",
  "After 128 and 192 turns of moving the outer ring vanishes with its pieces. A piece on a new corner dies, and the new corners kill like the old ones.",
  "After the placing, a player with fewer than two pieces loses; if both have fewer, it is a tie. On the last board it is also a tie after 100 turns in which no piece dies, or if neither side can move.",
];
export const coordinates = "Squares: (column, row).";
export const coach = "Place a piece on a free square of your six rows, not on a corner. An enemy piece between two of yours dies.";
export const examples = [["Two threats"], ["Placing", "X------X/--------/--O-----/----@---/---O----/--------/--------/X------X:placing:3"], ["Before a shrink", "X-O----X/--O-----/---@----/--O-@---/--------/---@-O--/-@------/X------X:moving:126"], ["Small board", "......../......../..X--X../..O@-@../..-O--../..X-OX../......../........:moving:196"]];

// How a position is set up by hand: see editor.js. While pieces are placed, the number of
// turns and the side to move follow from the pieces, and each side has its zone.
// With the turns of the moving phase the board shrinks.
const count = (s, piece) => s.cells.filter(c => c === piece).length;
const placed = s => Math.max(2 * count(s, "O") - 1, 2 * count(s, "@"), 0);
const outside = (s, piece, row) => s.phase === "placing" && (piece === "O" && row > 5 || piece === "@" && row < 2);
const shrink = s => {
  const stage = s.phase === "placing" || s.turns < 128 ? 0 : s.turns < 192 ? 1 : 2, edge = [stage, 7 - stage];
  s.cells = s.cells.map((c, i) => {
    const x = i % 9, y = Math.floor(i / 9);
    if (x === 8) return c;
    if (Math.min(x, y, 7 - x, 7 - y) < stage) return ".";
    return edge.includes(x) && edge.includes(y) ? "X" : c === "." || c === "X" ? "-" : c;
  });
};
const turnTo = (s, turns) => {
  s.turns = turns;
  shrink(s);
};
export const setup = {
  hint: "Press a square to put a piece there, a piece to take it away. While pieces are placed, their numbers decide the turn; missing ones count as captured.",
  read: v => { const [rows, phase, turns, ...rest] = v.position.split(":"); return {cells: [...rows], piece: "O", phase, turns: Number(turns), rest: rest.filter(r => r === "strict")}; },
  press: (s, shape) => {
    const [x, y] = shape.name.match(/\((\d),(\d)\)/).slice(1).map(Number), i = 9 * y + x;
    if (!"-O@".includes(s.cells[i])) return "";
    const wanted = s.cells[i] === s.piece ? "-" : s.piece, refused = outside(s, wanted, y);
    if (!refused) s.cells[i] = wanted;
    if (s.phase === "placing") s.turn = placed(s) % 2 + 1;
    return refused ? wanted === "O" ? "White places in rows 0 to 5 only." : "Black places in rows 2 to 7 only." : "";
  },
  missing: s => {
    const few = ["White", "Black"].filter((_, i) => s.phase === "moving" && count(s, "O@"[i]) < 2);
    return few.length > 0 && `${few.join(" and ")} ${few.length > 1 ? "need" : "needs"} at least two pieces${few.length > 1 ? " each" : ""}.`;
  },
  text: s => [s.cells.join(""), s.phase, s.phase === "moving" ? s.turns : placed(s), ...s.rest].join(":"),
  draw: (s, shapes) => {
    const out = shapes.filter(e => e.look === "field" || e.look === "ring" || e.look === "corner" || e.look === "barred" || e.kind === "label");
    for (const {name, x, y, x2, y2} of out.filter(e => e.kind === "cell")) {
      const [col, row] = name.match(/\((\d),(\d)\)/).slice(1).map(Number), piece = s.cells[9 * row + col], mx = (x + x2) / 2, my = (y + y2) / 2;
      if (piece === "O") out.push({kind: "circle", look: "piece1", x: mx, y: my, r: 0.34});
      if (piece === "@") out.push({kind: "cell", look: "piece2", x: mx - 0.3, y: my - 0.3, x2: mx + 0.3, y2: my + 0.3});
    }
    return out;
  },
  fields: (s, game) => [
    ["Piece", s.piece, [["O", "white"], ["@", "black"]], piece => { s.piece = piece; }],
    ["Phase", s.phase, [["placing", "placing"], ["moving", "moving"]], phase => {
      s.phase = phase;
      if (phase === "placing") s.turn = placed(s) % 2 + 1;
      turnTo(s, s.turn - 1);
    }],
    ...s.phase === "moving" ? [
      ["To move", s.turns % 2 + 1, [1, 2].map(n => [n, game.sides[n]]), n => turnTo(s, s.turns - s.turns % 2 + n - 1)],
      ["Turns moved", s.turns, 999, n => turnTo(s, Number(n))],
    ] : [],
  ],
};

// Dots and Boxes for the pages; game-*.js of the other games have the same exports.
import {around, range, segmentSetup, squares} from "./segments.js";

export const short = "Draw one line a turn. The fourth side of a box wins it and gives you another turn; most boxes win.";
export const rules = [
  "Players take turns to draw one line between two neighbouring dots.",
  "The player who draws the fourth side of a box owns it and draws again.",
  "The game ends when all lines are drawn; more boxes win.",
];
export const coordinates = "Lines: h (across) or v (down), row, column.";
export const coach = "Draw any line. The third side of a box is a present: the other side takes it.";
export const starts = {swedish: "border drawn", icelandic: "left and bottom drawn"};
export const examples = [["Double-deal"], ["Early", "4x4 h1,1 v2,2"], ["A chain", "3x3 h0,0 h1,0 h0,1 h1,1 v2,1 v2,2 h3,0"], ["Two chains", "2x4 h1111/1111/1111 v00000/00000 0-0 1"]];

// How a position is set up by hand: see editor.js.
export const setup = segmentSetup({
  hint: "Press a line to draw it or take it away, a completed box to change its owner.",
  owners: v => (v.position.split(" o")[1] || "").replaceAll("/", ""),
  areas: s => squares(s).map(box => around(s, box).every(([drawn]) => drawn) ? box : -1),
  write: (s, score) => {
    const [rows, cols] = s.size.split("x").map(Number);
    const cut = (marks, n, width) => range(n).map(r => marks.slice(r * width, (r + 1) * width).join("")).join("/");
    const bits = s.drawn.map(Number), owners = s.owner.some(Boolean) ? ` o${cut(s.owner.map(o => o || "."), rows, cols)}` : "";
    return `${s.size} h${cut(bits, rows + 1, cols)} v${cut(bits.slice((rows + 1) * cols), rows, cols + 1)} ${score} ${s.turn}${owners}`;
  },
});

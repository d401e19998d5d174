// Circuit Wars for the pages; game-*.js of the other games have the same exports.
import {around, segmentSetup, squares} from "./segments.js";

export const short = "Draw one segment a turn. The player who closes an area wins every square in it; most squares win.";
export const rules = [
  "Players take turns to draw one segment of the grid, the border included.",
  "A segment that closes an area captures all free squares in it; nothing more is drawn there. There is no extra turn.",
  "The game ends when every square is captured; more squares win.",
];
export const coordinates = "Moves: column, row, side.";
export const coach = "Draw any segment. Watch out: the player who closes an area takes every square in it.";
// Positions for Explore: the first one, of which this is the name, comes with the game.
export const examples = [["An area to close"], ["Early", "4x4 1,1,right 2,2,top"], ["Scattered segments", "4x4 0,0,right 1,1,bottom 2,2,left 0,2,bottom 3,0,top 2,1,right 1,3,left 3,3,top"], ["Half-way", "3x3 0,0,top 0,0,left 0,0,right 1,0,top 1,0,right 2,0,top 2,1,left 2,1,bottom 0,2,top 0,2,left"]];

// How a position is set up by hand: see editor.js.
export const setup = segmentSetup({
  hint: "Press a segment to draw it or take it away, a captured square to change its owner. The side to move follows from the number of segments.",
  owners: v => v.position.split(":")[4] || "",
  turn: s => s.drawn.filter(Boolean).length % 2 + 1,
  areas: s => {
    const area = squares(s).map(() => undefined);
    for (const from of squares(s)) {
      if (area[from] !== undefined) continue;
      const found = [from];
      let open = false;
      for (const square of found) {
        for (const [drawn, next] of around(s, square)) {
          if (!drawn && next === undefined) open = true;
          if (!drawn && next !== undefined && !found.includes(next)) found.push(next);
        }
      }
      for (const square of found) area[square] = open ? -1 : from;
    }
    return area;
  },
  write: (s, score) => {
    let hex = "";
    for (let i = 0; i < s.drawn.length; i += 4) hex += [8, 4, 2, 1].reduce((n, bit, k) => n + (s.drawn[i + k] ? bit : 0), 0).toString(16);
    return `${s.size}:${hex}:${score}:${s.turn}:${s.owner.map(o => o || ".").join("")}`;
  },
});

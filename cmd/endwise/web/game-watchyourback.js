// Watch Your Back for the pages; game-*.js of the other games have the same exports.

export const short = "Trap an enemy piece between two of yours and it dies. The board shrinks twice, so there is nowhere to hide.";
export const rules = [
  "White and Black place twelve pieces each in turn, White in the upper six rows, Black in the lower six.",
  "Then a turn moves one piece to a free square next to it, or over one piece to the free square after it.",
  "A piece between two enemies, or an enemy and a corner, in a row or column dies. What you just moved kills first.",
  "After 128 and 192 turns the outer ring vanishes with everything on it. A player with at least two pieces wins when the other has fewer.",
];
export const coach = "Place a white piece on any free square. Two pieces around an enemy kill it.";
export const examples = [["Placing", "X------X/--------/--O-----/----@---/---O----/--------/--------/X------X:placing:3"], ["Before a shrink", "X-O----X/--O-----/---@----/--O-@---/--------/---@-O--/-@------/X------X:moving:126"], ["Small board", "......../......../..X--X../..O@-@../..-O--../..X-OX../......../........:moving:196"], ["Last turns", "......../......../..XO-X../..@-@-../..--O-../..X-OX../......../........:moving:200"]];

// How a position is set up by hand: see editor.js.
export const setup = {
  read: v => { const [rows, phase, turns] = v.position.split(":"); return {cells: [...rows], phase, turns}; },
  press: (state, s) => {
    const [x, y] = s.name.match(/\((\d),(\d)\)/).slice(1).map(Number), i = 9 * y + x, order = "-O@";
    if (order.includes(state.cells[i])) state.cells[i] = order[(order.indexOf(state.cells[i]) + 1) % 3];
  },
  text: s => `${s.cells.join("")}:${s.phase}:${s.turns}`,
  timed: true,
};

// What the pages say of the games that they know: two sentences for whoever has
// never seen one, the rules, what a first move is told, and an early position
// that is worth looking at. A game that is not here is played without.
export const rules = {
  circuitwars: {
    short: "Draw one line a turn. Whoever closes a fence wins every square inside it; most squares win.",
    full: [
      "Players take turns to draw one segment of the grid, the border included.",
      "A segment that closes off an area captures all squares in it that nobody has. There is no extra turn.",
      "The game ends when every square is captured; more squares win.",
    ],
    coach: "Draw any line. Watch out: whoever closes a fence takes everything inside.",
    taste: "4x4 0,0,right 1,1,bottom 2,2,left 0,2,bottom 3,0,top 2,1,right 1,3,left 3,3,top",
    examples: [["Early", "4x4 1,1,right 2,2,top"], ["A fence to close", "3x3 0,0,top 0,0,left 1,0,top 1,0,right 0,1,left 0,1,bottom"], ["Many small areas", "4x4 0,0,right 1,1,bottom 2,2,left 0,2,bottom 3,0,top 2,1,right 1,3,left 3,3,top"], ["Nearly over", "3x3 0,0,top 0,0,left 0,0,right 1,0,top 1,0,right 2,0,top 2,1,left 2,1,bottom 0,2,top 0,2,left"]],
  },
  watchyourback: {
    short: "Trap an enemy piece between two of yours and it dies. The board shrinks twice, so there is nowhere to hide.",
    full: [
      "White and Black place twelve pieces each in turn, White in the upper six rows, Black in the lower six.",
      "Then a turn moves one piece to a free square beside it, or over one piece to the free square behind.",
      "A piece between two enemies, or an enemy and a corner, in a row or column dies. What you just moved kills first.",
      "After 128 and 192 turns the outer ring vanishes with all that stands on it. Whoever has at least two pieces left when the other has fewer wins.",
    ],
    coach: "Place a white piece on any free square. Two pieces around an enemy kill it.",
    taste: "X-O----X/--O-----/---@----/--O-@---/--------/---@-O--/-@------/X------X:moving:126",
    examples: [["Placing", "X------X/--------/--O-----/----@---/---O----/--------/--------/X------X:placing:3"], ["Before a shrink", "X-O----X/--O-----/---@----/--O-@---/--------/---@-O--/-@------/X------X:moving:126"], ["Small board", "......../......../..X--X../..O@-@../..-O--../..X-OX../......../........:moving:196"], ["Last turns", "......../......../..XO-X../..@-@-../..--O-../..X-OX../......../........:moving:200"]],
  },
  dotsandboxes: {
    short: "Draw one line a turn. The fourth side of a box wins it and gives you another turn; most boxes win.",
    full: [
      "Players take turns to draw one line between two neighbouring dots.",
      "Whoever draws the fourth side of a box owns it and draws again at once.",
      "The game ends when all lines are drawn; more boxes win.",
    ],
    coach: "Draw any line. The third side of a box is a present: the other side takes it.",
    taste: "3x3 h0,1 v1,2 h3,1 v0,0 h1,0 v2,1",
    examples: [["Early", "4x4 h1,1 v2,2"], ["A chain", "3x3 h0,0 h1,0 h0,1 h1,1 v2,1 v2,2 h3,0"], ["Two chains", "3x3 h1,0 h1,1 h1,2 h2,0 h2,1 h2,2 v0,0 v2,3"], ["Double cross", "2x3 h0,0 h1,0 h0,1 h1,1 h2,2 v0,3 v1,3"]],
  },
  kayles: {
    short: "Knock down one pin or two that stand side by side. Whoever knocks down the last one wins.",
    full: ["Pins stand in rows.", "A turn knocks down one pin, or two neighbours with no gap between.", "Whoever knocks down the last pin wins."],
    coach: "Press a pin, or the small circle between two of them for both.",
    taste: "5-7 3",
    examples: [["One row", "12"], ["Two rows", "5-7 3"], ["Three rows", "5-7-3"], ["A few pins", "3-4 2"]],
  },
};

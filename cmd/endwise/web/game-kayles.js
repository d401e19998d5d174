// What the pages know of Kayles; game-*.js of the other games say the same of them.

export const short = "Knock down one pin or two that stand side by side. Whoever knocks down the last one wins.";
export const rules = ["Pins stand in rows.", "A turn knocks down one pin, or two neighbours with no gap between.", "Whoever knocks down the last pin wins."];
export const coach = "Press the pin, or the two, that you knock down. Who takes the last wins.";
export const taste = "5-7 3";
export const examples = [["One row", "12"], ["Two rows", "5-7 3"], ["Three rows", "5-7-3"], ["A few pins", "3-4 2"]];

// How a position is set up by hand: see editor.js.
export const setup = {
  read: v => { const [size, pins] = v.position.split(":"); return {size, cells: [...pins]}; },
  press: (state, s) => {
    if (s.move && /^\d+$/.test(s.move)) pin(state, Number(s.move));
  },
  text: s => `${s.size}:${s.cells.join("")}:${s.turn}`,
};

// pin lets the pin of a number stand or fall.
function pin(state, n) {
  let at = 0;
  state.cells = state.cells.map(c => c === "-" || ++at !== n ? c : c === "I" ? "." : "I");
}

// The requests of the pages, all in one way. A page does not know who answers: with a
// server, http.js sends the requests there; on the static site, local.js passes them to the
// program in the browser.
const {send: pass} = await import(document.documentElement.dataset.suffix ? "./local.js" : "./http.js");

// send passes a request on. Its errors begin with a capital, except for moves and names, and without the
// action that failed.
export const send = (...request) => pass(...request).catch(error => {
  if (error.name !== "Error") throw error;
  throw new Error(error.message.replace(/^parse position: /, "").replace(/^[a-z]+(?=[ :])/, word => word[0].toUpperCase() + word.slice(1)));
});

// A request takes {signal, update}: signal aborts it, and update is called with
// intermediate results. It rejects with an Error that contains one sentence for the user,
// or with an AbortError.

// ask evaluates a position {game, position} within a time ("500ms") and returns the
// decision, with the keys of `query --json`. update is called with earlier, weaker
// decisions. how is "best" for the best move, "all" for the values of all moves, "engine"
// or "level1" to "level4" for the move that one of these plays.
export const ask = ({game, position}, time, how, options) => how === "best" || how === "all"
  ? send(`${game}/lookup`, {time, moves: how, updates: true}, position, options)
  : send(`${game}/choose`, {time, player: how}, position, options);

// reasons explains the value of a position {game, position}, or what a move played there
// loses: a list of {kind, text, parts}, as in `query --why --json`.
export const reasons = async ({game, position}, time, played = "") => (await send(`${game}/why`, {time, played}, position)).why;

// games lists the games with their boards, levels and words, and with the exports of each
// game's script (game-*.js). If the page's address names another game, as only a static site
// allows, an address without a page is opened.
export const games = async () => {
  const list = await send("games"), wanted = new URLSearchParams(location.search).get("game");
  if (wanted && !list.some(g => g.name === wanted)) location.replace("unknown");
  return Promise.all(list.map(async g => ({...g, ...await import(`./game-${g.name}.js`)})));
};

// view describes a position, by default a board's first one, as the pages draw it, after
// the moves.
export const view = (game, {position, board, moves = []}) => board !== undefined
  ? send(`${game}/view`, {board, moves: moves.join(";")})
  : send(`${game}/view`, {moves: moves.join(";")}, position);

// analysis analyses a game record and returns {analysis, result, plot, exercises}; update is
// called with the same without values first, and then with {done, total}. The tab keeps the last
// result, so that all pages show the same one.
export async function analysis(record, name, options) {
  const kept = JSON.parse(sessionStorage.getItem("analysed") || "{}");
  if (kept.record === record) return kept.result;
  const width = Math.round(innerWidth > innerHeight ? 1.08 * innerHeight - 230 : innerWidth); // of the plot: see analyse.css
  const result = await send("analysis", {name, width: String(width)}, record, options);
  try { sessionStorage.setItem("analysed", JSON.stringify({record, result})); } catch { /* full */ }
  return result;
}

// page returns the address of one of the pages.
export const page = (name, params = {}) => {
  const query = new URLSearchParams(params).toString();
  return `${name}${document.documentElement.dataset.suffix || ""}${query && `?${query}`}`;
};

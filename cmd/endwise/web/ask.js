// What the pages ask, and the one way in which they ask it. A page knows neither
// rules nor values; send brings a question to whoever does: a server (http.js), or
// on the static site the program in this browser (local.js).
const {send} = await import(document.documentElement.dataset.suffix ? "./local.js" : "./http.js");

// A question takes {signal, update}: signal ends it early, and update hears what
// is known meanwhile. All of them reject with an Error that is one sentence for
// the visitor, or with an AbortError.

// ask decides a position {game, position} within a time ("500ms") and gives the
// Decision, the keys of `query --json`; update hears earlier, weaker ones. how is
// "best" for the best move, "all" for the values of all moves, "engine" or
// "level1" to "level4" for the move that one of these plays.
export const ask = ({game, position}, time, how, options) => how === "best" || how === "all"
  ? send(`${game}/lookup`, {time, moves: how, updates: true}, position, options)
  : send(`${game}/choose`, {time, player: how}, position, options);

// games lists the games with their boards, levels and words, and what the script of
// each one (game-*.js) says of it.
export const games = async () => Promise.all((await send("games")).map(async g => ({...g, ...await import(`./game-${g.name}.js`)})));

// view describes a position, or a board's first one, as the pages draw it, after
// the moves.
export const view = (game, {position, board, moves = []}) => board !== undefined
  ? send(`${game}/view`, {board, moves: moves.join(";")})
  : send(`${game}/view`, {moves: moves.join(";")}, position);

// written gives a game as text in a notation: view's start and moves.
export const written = async (game, notation, {position, moves = []}) => (await send(`${game}/view`, {notation, moves: moves.join(";")}, position)).text;

// exercise gives a position with one move that holds: from is "made", or "class"
// for the server's file. A win takes at least so many turns, where games tell that.
// The same seed gives the same one.
export const exercise = (game, board, from, seed = Math.floor(Math.random() * 2 ** 32), turns = 0) =>
  send(`${game}/exercise`, {board, from, seed, turns});

// analysis judges a game record and gives {analysis, result, plot, exercises}; update
// hears {done, total}.
export const analysis = (record, name, options) => send("analysis", {name}, record, options);

// page is the address of one of the pages.
export const page = (name, params = {}) => {
  const query = new URLSearchParams(params).toString();
  return `${name}${document.documentElement.dataset.suffix || ""}${query && `?${query}`}`;
};

// The games of a report: the buttons, the moves, the mistakes and the graph step a board.
const unpack = text => new Response(new Blob([Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();

// plyOf returns the number of a mistake's move, with which its ID ends.
const plyOf = mistake => +mistake.id.match(/^m\d+-(\d+)$/)?.[1];

const viewers = new Map();

// viewer returns a function that shows the position of a game after n moves.
function viewer(game) {
  if (!viewers.has(game)) viewers.set(game, view(game));
  return viewers.get(game);
}

async function view(game) {
  const find = name => game.querySelector(name), all = name => [...game.querySelectorAll(name)];
  const {viewBox, frames} = JSON.parse(await unpack(game.dataset.film));
  const board = find(".seat .board"), said = find(".said"), moves = all(".played li"), mistakes = all(".mistakelist li"), plot = find(".plot"), link = find(".analyse"), record = link.href;
  const [first, back, on, last, next] = all(".stepper button");
  let at = 0;
  const buttons = moves.map((li, i) => {
    const b = document.createElement("button");
    b.append(...li.childNodes);
    b.addEventListener("click", () => go(mistakeAt(i) ? i : i + 1));
    li.append(b);
    return b;
  });
  const mistakeAt = n => mistakes.find(m => plyOf(m) === n + 1);
  const go = n => {
    at = Math.max(0, Math.min(moves.length, n));
    const mistake = mistakeAt(at), i = mistakes.indexOf(mistake), following = mistakes.findIndex(m => plyOf(m) > at + 1);
    board.innerHTML = frames[at].map(n => `<use href="#s${n}"/>`).join(""); // only numbers
    said.textContent = mistake ? `Mistake ${i + 1} of ${mistakes.length}. ${mistake.textContent}` : at === 0 ? "The first position." : `After move ${at}, ${moves[at - 1].textContent}.`;
    board.setAttribute("aria-label", `Board. ${said.textContent}`);
    first.disabled = back.disabled = at === 0;
    on.disabled = last.disabled = at === moves.length;
    next.hidden = mistakes.length === 0;
    next.textContent = `Next mistake (${(following < 0 ? 0 : following) + 1} of ${mistakes.length})`;
    next.onclick = () => go(plyOf(mistakes[Math.max(following, 0)]) - 1);
    const current = buttons[mistake ? at : at - 1];
    for (const b of buttons) b.toggleAttribute("aria-current", b === current);
    for (const m of mistakes) m.classList.toggle("shown", m === mistake);
    const {left, right} = plot.dataset, x = +left + (right - left) * at / moves.length;
    plot.querySelector(".cursor").setAttribute("d", `M${x} 0V${plot.viewBox.baseVal.height}`);
    link.href = `${record}&ply=${at}`;
  };
  board.setAttribute("viewBox", viewBox);
  first.addEventListener("click", () => go(0));
  back.addEventListener("click", () => go(at - 1));
  on.addEventListener("click", () => go(at + 1));
  last.addEventListener("click", () => go(moves.length));
  game.addEventListener("keydown", event => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("textarea")) return;
    event.preventDefault();
    go(at + step);
  });
  plot.addEventListener("click", event => {
    const box = plot.getBoundingClientRect(), {left, right} = plot.dataset;
    go(Math.round(((event.clientX - box.left) / box.width * plot.viewBox.baseVal.width - left) / (right - left) * moves.length));
  });
  const copy = find(".copy"), text = find("textarea");
  copy.addEventListener("click", async () => {
    text.value = await unpack(record.split("record=")[1]);
    try {
      await navigator.clipboard.writeText(text.value);
      copy.textContent = "Copied";
    } catch { // no clipboard: to be copied by hand
      text.hidden = false;
      text.select();
    }
  });
  for (const e of [find(".seat"), copy]) e.hidden = false;
  find(".listed").open = innerWidth > 700;
  go(+game.dataset.at);
  return go;
}

// show opens the game or mistake with an address on this page, if there is one.
async function show(hash) {
  const target = document.getElementById(decodeURIComponent(hash.slice(1))), game = target?.closest(".game");
  if (!game) return;
  for (let e = target; e = e.parentElement?.closest("details");) e.open = true;
  const go = await viewer(game);
  if (target !== game) go(plyOf(target) - 1);
  game.querySelector(".seat").scrollIntoView({block: "nearest"});
}

addEventListener("click", event => {
  const link = event.target.closest('a[href^="#"]');
  if (!link) return;
  event.preventDefault();
  history.replaceState(null, "", link.hash);
  show(link.hash);
});
addEventListener("hashchange", () => show(location.hash));
addEventListener("toggle", ({target}) => {
  const game = target.open && target.querySelector(":scope > .game");
  if (game) viewer(game);
}, true);
for (const game of document.querySelectorAll("main > .game")) viewer(game);
const button = document.querySelector(".print");
button.hidden = false;
button.addEventListener("click", () => print());
show(location.hash);

// The menu "Share", loaded when it is used: a link, a picture of the board, and the game as text or
// as a file.
import {send} from "./ask.js";
import {element} from "./board.js";
import {byId, fillSelect, make} from "./site.js";

// written returns a game as text in a notation; start and moves are as in view.
const written = async (game, notation, {position, moves = []}) => (await send(`${game}/view`, {notation, moves: moves.join(";")}, position)).text;

const painted = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "visibility", "font-size", "font-weight", "font-family", "text-anchor", "dominant-baseline"];

// open fills the menu. game returns the game of the page and link an address; shown, if given,
// returns the shown {position, moves}, and record the game as text, "" before its first move.
export function open({game, link = () => location.href, shown, record}) {
  const on = (id, press) => { byId(id).onclick = press; };
  on("copy", () => copyLink(byId("copy"), link));
  on("png", () => savePicture(game().name));
  if (shown) copyAs(byId("copyas"), game, shown);
  byId("copyas").hidden = !shown;
  byId("save").hidden = !record?.();
  on("save", () => download(`${game().name}-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.game`, new Blob([record()], {type: "text/plain"})));
}

// boardPicture returns the board on the page as a self-contained SVG file.
function boardPicture() {
  const svg = document.querySelector("#place .board"), copy = svg.cloneNode(true);
  const of = e => [e, ...e.querySelectorAll("*")], copies = of(copy);
  of(svg).forEach((e, i) => {
    const style = getComputedStyle(e);
    for (const name of [...copies[i].attributes].map(a => a.name)) if (/^(class|role|tabindex|aria-|data-|path)/.test(name)) copies[i].removeAttribute(name);
    for (const name of painted) copies[i].setAttribute(name, style.getPropertyValue(name));
  });
  const {width, height} = svg.viewBox.baseVal;
  copy.prepend(element("rect", {width, height, fill: getComputedStyle(document.body).backgroundColor}));
  copy.setAttribute("xmlns", svg.namespaceURI);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return {text: new XMLSerializer().serializeToString(copy), width, height};
}

// savePicture offers the board as a PNG, 1200 pixels wide.
async function savePicture(name) {
  const {text, width, height} = boardPicture(), image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = make("canvas", {width: 1200, height: Math.round(1200 * height / width)});
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  download(`${name}.png`, await new Promise(done => canvas.toBlob(done)));
}

// download offers a file to the user.
function download(name, blob) {
  const url = URL.createObjectURL(blob);
  make("a", {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// copyLink copies the address that link returns.
export async function copyLink(button, link) {
  const text = button.dataset.text ||= button.textContent, address = new URL(await link(), location).href;
  try {
    await navigator.clipboard.writeText(address);
    button.textContent = "Link copied";
  } catch {
    prompt("The address:", address); // no clipboard access: to be copied by hand
  }
  setTimeout(() => { button.textContent = text; }, 1500);
}

// copyAs fills the select with the notations of the game and copies what is shown in the chosen one.
function copyAs(select, game, shown) {
  const head = text => fillSelect(select, [["", text], ...game().notations]);
  head("Copy as …");
  select.onchange = async () => {
    let text;
    try {
      text = await written(game().name, select.value, shown());
      await navigator.clipboard.writeText(text);
      head("Copied");
    } catch (error) {
      if (text) prompt("To be copied:", text); // no clipboard
      else byId("status").textContent = error.message;
      head("Copy as …");
    }
  };
}

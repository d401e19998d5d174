// The analyse page: sends a game record to the server and shows what it found.
// The positions with one move that holds are kept for the practise page.
import {analysis, page} from "./ask.js";
import {byId, complain, make, recall, start, store} from "./site.js";

const maxKept = 200; // exercises that this browser keeps
let running = null;

async function analyse(text, name) {
  if (running) running.abort();
  const mine = running = new AbortController();
  complain(byId("record"));
  byId("progress").hidden = byId("stop").hidden = false;
  byId("progress").removeAttribute("value");
  byId("status").textContent = "Working from the end of the game backwards…";
  let message = "";
  try {
    show(await analysis(text, name, {signal: mine.signal, update: ({done, total}) => {
      byId("progress").max = total;
      byId("progress").value = done;
      if (done % 10 === 0) byId("status").textContent = `${done} of ${total} positions`;
    }}));
    message = "Done.";
  } catch (error) {
    if (error.name === "AbortError") message = "Stopped.";
    else complain(byId("record"), error.message);
  }
  if (running !== mine) return;
  running = null;
  byId("progress").hidden = byId("stop").hidden = true;
  byId("status").textContent = message;
}

function show(result) {
  // The server's own markup, escaped by its templates.
  byId("result").replaceChildren(...new DOMParser().parseFromString(result.html, "text/html").body.childNodes);
  byId("result").scrollIntoView({block: "start"});
  const found = result.exercises || [];
  byId("practise").hidden = found.length === 0;
  if (found.length === 0) return;
  const kept = recall("exercises", []).filter(e => !found.some(f => f.position === e.position));
  store("exercises", [...found, ...kept].slice(0, maxKept));
  byId("practise").replaceChildren(make("a", {href: page("practise", {from: "mine", game: found[0].game})},
    `Practise ${found.length === 1 ? "the position" : `the ${found.length} positions`} of this game in which one move held`));
}

async function take(file) {
  if (file.size > 1 << 20) {
    complain(byId("record"), `${file.name}: longer than 1 MB, which no game record is`);
    return;
  }
  try {
    byId("record").value = await file.text();
  } catch {
    complain(byId("record"), `${file.name}: can't be read`);
    return;
  }
  await analyse(byId("record").value, file.name);
}

start(async () => {
  const drop = byId("drop");
  byId("form").addEventListener("submit", event => {
    event.preventDefault();
    analyse(byId("record").value, "the pasted game");
  });
  byId("stop").addEventListener("click", () => { if (running) running.abort(); });
  byId("file").addEventListener("change", () => { if (byId("file").files[0]) take(byId("file").files[0]); });
  for (const type of ["dragover", "dragleave", "drop"]) {
    addEventListener(type, event => {
      event.preventDefault();
      drop.classList.toggle("over", type === "dragover");
      if (type === "drop" && event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
    });
  }
  const handed = sessionStorage.getItem("endwise.record");
  if (handed) {
    sessionStorage.removeItem("endwise.record");
    byId("record").value = handed;
    await analyse(handed, "the game just played");
  }
});

// send passes a request to the program of the static site, which runs in workers of the
// browser.
const most = Math.max(2, Math.min(4, (navigator.hardwareConcurrency || 2) - 1));
const workers = [], waiting = [];
let views; // first positions, available before the program is loaded

// say shows the state of loading until the first answer.
function say(text) {
  let place = document.getElementById("doing");
  if (!place) {
    place = document.createElement("p");
    place.id = "doing";
    place.className = "small";
    place.setAttribute("role", "status");
    Object.assign(place.style, {position: "fixed", right: "12px", bottom: "0"}); // does not move other elements
    document.body.append(place);
  }
  place.textContent = text;
  place.hidden = !text;
}

// load fetches and compiles the program, a gzip file, and shows the progress.
async function load() {
  const response = await fetch("web/program.bin");
  if (!response.ok) throw new Error("The program is missing: this site is incomplete.");
  const size = Number(response.headers.get("Content-Length"));
  let done = 0;
  const counted = new TransformStream({transform(chunk, out) {
    done += chunk.length;
    say(`Loading the solvers${size ? `: ${Math.floor(100 * done / size)} %` : "…"}`);
    out.enqueue(chunk);
  }});
  const unzipped = response.body.pipeThrough(counted).pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(unzipped, {headers: {"Content-Type": "application/wasm"}}))
    .catch(() => { throw new Error("The program is damaged: this site is incomplete."); });
}

// program returns a promise of the compiled program.
let loaded;
function program() {
  if (!loaded) {
    loaded = load().finally(() => say(""));
    loaded.catch(() => {});
  }
  return loaded;
}

// prepare loads, after the first board is drawn, what the page needs next, and then
// everything for use without a network.
let prepared = false;
async function prepare() {
  if (prepared) return;
  prepared = true;
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  if (document.body.dataset.page !== "index") await program().catch(() => {});
  navigator.serviceWorker?.register("sw.js").catch(() => {}); // otherwise it works online only
}

// hire starts a worker; question is its current request, or null.
async function hire() {
  const w = {worker: new Worker("web/worker.js"), question: null};
  workers.push(w);
  w.worker.onmessage = ({data: {kind, value}}) => {
    const {resolve, reject, update} = w.question;
    if (kind === "update") return update(value);
    w.question = null;
    if (kind === "error") reject(new Error(value));
    else resolve(value);
    next();
  };
  w.worker.onerror = event => {
    event.preventDefault();
    if (w.question) w.question.reject(new Error("The program in this browser has failed. Please try again."));
    dismiss(w);
  };
  try {
    w.worker.postMessage({module: await program()});
  } catch (error) {
    if (w.question) w.question.reject(error);
    dismiss(w);
  }
}

// dismiss ends a worker, once. This is the only way to stop a search.
function dismiss(w) {
  const at = workers.indexOf(w);
  if (at < 0) return;
  w.worker.terminate();
  workers.splice(at, 1);
  next();
}

// next passes the waiting requests to workers.
async function next() {
  if (waiting.length === 0) return;
  let w = workers.find(w => !w.question);
  if (!w && workers.length < most) {
    hire();
    w = workers.at(-1);
  }
  if (!w) return;
  w.question = waiting.shift();
  await program().catch(() => {});
  const {what, params, body} = w.question || {};
  if (what) w.worker.postMessage({what, params, body});
}

export async function send(what, params = {}, body, {signal, update = () => {}} = {}) {
  if (what === "recorded") prepare();
  if (what === "games" || what === "recorded") return (await fetch(`${what}.json`)).json();
  if (what.endsWith("/view") && !params.moves && !params.notation) {
    const known = await (views ||= fetch("views.json").then(answer => answer.json()));
    const view = known[`${what.slice(0, -5)} ${body ?? params.board}`];
    if (view) {
      prepare();
      return view;
    }
  }
  prepare();
  if (signal) signal.throwIfAborted();
  const named = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
  return new Promise((resolve, reject) => {
    const question = {what, params: named, body, resolve, reject, update};
    waiting.push(question);
    if (signal) {
      signal.addEventListener("abort", () => {
        const at = waiting.indexOf(question), w = workers.find(w => w.question === question);
        if (at >= 0) waiting.splice(at, 1);
        if (w) dismiss(w);
        reject(signal.reason);
      });
    }
    next();
  });
}

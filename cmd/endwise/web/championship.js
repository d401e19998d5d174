// Updates the page of a championship in place. If the tables do not fit in a window that does not
// scroll, it shows them in turn, but not under the pointer.
const INTERVAL = 1000, TURN = 8000;
let page = 0, turned = Date.now();

function fit() {
  const tables = document.querySelector(".tables"), sections = [...tables.children], height = tables.clientHeight;
  for (const s of sections) {
    s.hidden = false;
    s.style.fontSize = "";
  }
  delete tables.dataset.page;
  if (tables.scrollHeight <= height) return;
  const pages = [];
  let top = -Infinity;
  for (const s of sections) {
    if (s.offsetHeight > height) s.style.fontSize = `${Math.max(50, Math.floor(100 * height / s.offsetHeight))}%`;
    if (s.offsetTop + s.offsetHeight - top > height) {
      top = s.offsetTop;
      pages.push([]);
    }
    pages.at(-1).push(s);
  }
  if (Date.now() - turned >= TURN && !tables.matches(":hover")) {
    page++;
    turned = Date.now();
  }
  page %= pages.length;
  for (const s of sections) s.hidden = !pages[page].includes(s);
  tables.dataset.page = `${page + 1} of ${pages.length}`;
}

const shown = [];

async function update() {
  try {
    const response = await fetch(location.href), now = new DOMParser().parseFromString(await response.text(), "text/html");
    const next = now.querySelectorAll("[data-part]");
    document.querySelectorAll("[data-part]").forEach((part, i) => {
      if (shown[i] === next[i].outerHTML) return;
      shown[i] = next[i].outerHTML;
      const open = part.querySelector("details")?.open;
      part.replaceChildren(...next[i].childNodes); // the position of boards that scroll stays
      if (open) part.querySelector("details").open = true;
    });
  } catch { /* the server does not answer; it may answer later */ }
  fit();
  setTimeout(update, INTERVAL);
}

addEventListener("resize", fit);
update();

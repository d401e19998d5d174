// Updates the page of a championship in place, so that it keeps its scroll position.
const INTERVAL = 1000;

async function update() {
  try {
    const response = await fetch(location.href), now = new DOMParser().parseFromString(await response.text(), "text/html");
    const next = now.querySelectorAll("[data-part]");
    document.querySelectorAll("[data-part]").forEach((part, i) => { if (!part.isEqualNode(next[i])) part.replaceWith(next[i]); });
  } catch { /* the server does not answer; it may answer later */ }
  setTimeout(update, INTERVAL);
}

setTimeout(update, INTERVAL);

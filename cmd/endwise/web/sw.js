// The service worker of the static site stores all files, so that the site works without a
// network. The name of the cache changes with the content of any file.
const files = /*FILES*/[], prefix = `endwise ${registration.scope} `, name = prefix + "/*DIGEST*/";

addEventListener("install", event => {
  event.waitUntil(caches.open(name).then(cache => cache.addAll(files.map(f => new Request(f, {cache: "no-cache"})))).then(() => skipWaiting()));
});

addEventListener("activate", event => {
  event.waitUntil((async () => {
    for (const old of await caches.keys()) if (old.startsWith(prefix) && old !== name) await caches.delete(old);
    await clients.claim();
  })());
});

addEventListener("fetch", event => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(registration.scope)) return;
  event.respondWith(answer(event.request));
});

// answer answers with the stored file, else from the network. An unknown page is our own.
async function answer(request) {
  const cache = await caches.open(name), kept = await cache.match(request, {ignoreSearch: true});
  if (kept) return kept;
  if (request.mode !== "navigate") return fetch(request);
  const found = await fetch(request).catch(() => null);
  if (found && found.status !== 404) return found;
  const page = await (await cache.match("404.html")).text(), root = new URL(registration.scope).pathname;
  return new Response(page.replaceAll('="/', `="${root}`), {status: 404, headers: {"Content-Type": "text/html; charset=utf-8"}});
}

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
  event.respondWith(caches.open(name).then(cache => cache.match(event.request, {ignoreSearch: true})).then(kept => kept || fetch(event.request)));
});

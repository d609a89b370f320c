// The service worker: after the first visit the site works without a network.
//
// The build replaces the two constants. A new version of the site has another name and so another cache; what is in
// the cache of this version never changes, so it is taken from there first.

declare const SITE_VERSION: string;
declare const SITE_FILES: string[];

/** What a service worker has and a page does not, as far as it is used here. */
interface ServiceWorkerScope {
  registration: { scope: string };
  clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", act: (event: { waitUntil(done: Promise<void>): void }) => void): void;
  addEventListener(type: "fetch", act: (event: { request: Request; respondWith(answer: Promise<Response>): void }) => void): void;
}

const worker = self as unknown as ServiceWorkerScope;
const CACHE = `cslrun-${SITE_VERSION}`;

/** The part of the site's files that the playground needs; pages of the book are kept when they are read. */
async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll(SITE_FILES.map((file) => new Request(new URL(file, worker.registration.scope), { cache: "reload" })));
  await worker.skipWaiting();
}

async function activate(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name.startsWith("cslrun-") && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request, { ignoreSearch: true });
  if (known !== undefined) return known;
  const response = await fetch(request);
  if (response.ok && response.type === "basic") await cache.put(request, response.clone());
  return response;
}

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(activate()));
worker.addEventListener("fetch", (event) => {
  const isOurs = event.request.method === "GET" && event.request.url.startsWith(worker.registration.scope);
  if (isOurs) event.respondWith(answer(event.request));
});

// How much waits for the person, in the navigation.
import { announce, fetchPage } from './live.js';
import { refresh } from './refresh.js';

let timer, expiry, latest = 0;
const badge = () => document.getElementById('inbox-count');

// startInbox reads the count again when the first of what waits expires.
export function startInbox() {
  clearTimeout(expiry);
  const seconds = Number(badge()?.dataset.seconds);
  if (seconds) expiry = setTimeout(() => { inboxEvent('review.expired'); refresh('review.expired'); }, seconds * 1000);
}

// inboxEvent reads the count again after an event that may have changed it.
export function inboxEvent(name) {
  if (!/^(review\.|resync|closed)/.test(name)) return;
  clearTimeout(timer);
  timer = setTimeout(read, 300);
}

async function read() {
  const own = ++latest;
  const { page } = await fetchPage('/inbox/count');
  if (own !== latest) return; // it may be from before what is being read now
  for (const id of ['inbox-count', 'admin-count']) {
    const [mine, fresh] = [document.getElementById(id), page?.getElementById(id)];
    if (!mine || !fresh) continue;
    if (Number(fresh.dataset.count) > Number(mine.dataset.count)) announce(fresh.textContent);
    for (const copy of document.querySelectorAll(`[data-copy="${id}"]`)) {
      copy.replaceChildren(...fresh.cloneNode(true).childNodes);
      copy.hidden = fresh.hidden;
    }
    mine.replaceWith(document.adoptNode(fresh));
  }
  startInbox();
}

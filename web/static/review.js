// How much waits for a decision, in the navigation.
import { announce, fetchPage } from './live.js';
import { refresh } from './refresh.js';

let timer, expiry, latest = 0;
const badge = () => document.getElementById('review-count');

// startReview reads the count again when the first of what waits expires.
export function startReview() {
  clearTimeout(expiry);
  const seconds = Number(badge()?.dataset.seconds);
  if (seconds) expiry = setTimeout(() => { reviewEvent('review.expired'); refresh('review.expired'); }, seconds * 1000);
}

// reviewEvent reads the count again after an event that may have changed it.
export function reviewEvent(name) {
  if (!/^(review\.|resync|closed)/.test(name)) return;
  clearTimeout(timer);
  timer = setTimeout(read, 300);
}

async function read() {
  const own = ++latest;
  const { page } = await fetchPage('/review/count');
  if (own !== latest) return; // it may be from before what is being read now
  const [mine, fresh] = [badge(), page?.getElementById('review-count')];
  if (!mine || !fresh) return;
  if (Number(fresh.dataset.count) > Number(mine.dataset.count)) announce(fresh.textContent);
  for (const copy of document.querySelectorAll('[data-copy="review-count"]')) {
    copy.replaceChildren(...fresh.cloneNode(true).childNodes);
    copy.hidden = fresh.hidden;
  }
  mine.replaceWith(document.adoptNode(fresh));
  startReview();
}

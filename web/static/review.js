// How much waits for a decision, in the navigation.
import { announce, fetchPage } from './live.js';

let timer;

// reviewEvent reads the count again after an event that may have changed it.
export function reviewEvent(name) {
  if (!/^(review\.|resync|closed)/.test(name)) return;
  clearTimeout(timer);
  timer = setTimeout(read, 300);
}

async function read() {
  const { page } = await fetchPage('/review/count');
  const [mine, fresh] = [document.getElementById('review-count'), page?.getElementById('review-count')];
  if (!mine || !fresh) return;
  if (Number(fresh.dataset.count) > Number(mine.dataset.count)) announce(fresh.textContent);
  mine.replaceWith(document.adoptNode(fresh));
}

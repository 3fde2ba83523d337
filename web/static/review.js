// How much waits for a decision, in the navigation, and the parts of a page that
// show it.
import { announce, fetchPage, sameMarkup } from './live.js';
import { localise } from './times.js';

let timer;

// reviewEvent reads again what an event may have changed.
export function reviewEvent(name) {
  if (!/^(review|match|story|resync|closed)/.test(name)) return;
  clearTimeout(timer);
  timer = setTimeout(refresh, 300);
}

async function refresh() {
  const live = document.querySelector('[data-live]');
  const { status, page } = await fetchPage(live ? location.pathname : '/review/count');
  if (status === 401) return location.reload();
  if (!page) return status === 0 || status >= 500 ? (timer = setTimeout(refresh, 3000 + Math.random() * 2000)) : undefined;
  takeCount(page);
  if (live) takeLive(live, page.querySelector('[data-live]'));
}

function takeCount(page) {
  const [mine, fresh] = [document.getElementById('review-count'), page.getElementById('review-count')];
  if (!mine || !fresh) return;
  if (Number(fresh.dataset.count) > Number(mine.dataset.count)) announce(`${fresh.textContent}`);
  mine.replaceWith(document.adoptNode(fresh));
}

// takeLive takes over a part of the page, and keeps the focus and what is open.
function takeLive(mine, fresh) {
  if (!fresh || sameMarkup(mine, fresh)) return;
  const focused = mine.contains(document.activeElement) ? document.activeElement.closest('[id]')?.id : null;
  const open = [...mine.querySelectorAll('details')].map(d => d.open);
  localise(fresh);
  mine.replaceChildren(...document.adoptNode(fresh).childNodes);
  mine.querySelectorAll('details').forEach((d, i) => { d.open = open[i] ?? false; });
  if (focused) document.getElementById(focused)?.focus();
}

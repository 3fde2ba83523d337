// The number of unread messages, in the navigation and in the title.
import { fetchPage } from './live.js';

const title = document.title;

// capped is a count for a badge, 99+ at most.
export const capped = n => n > 99 ? '99+' : String(n);

export const unread = () => Number(document.getElementById('unread')?.dataset.count ?? 0);

export function showUnread(count) {
  const badge = document.getElementById('unread');
  if (!badge) return;
  badge.dataset.count = count;
  badge.firstElementChild.textContent = capped(count);
  badge.hidden = !count;
  document.title = count ? `(${capped(count)}) ${title}` : title;
}

// takeUnread takes over the count of a page or fragment, with the time of the newest
// message that it knows.
export function takeUnread(page) {
  const [badge, fresh] = [document.getElementById('unread'), page.getElementById('unread')];
  if (!badge || !fresh) return;
  badge.dataset.at = fresh.dataset.at;
  showUnread(Number(fresh.dataset.count));
}

// countMessage counts a message that was sent at a moment, unless it is counted.
export function countMessage({ at, unread: counts }) {
  const badge = document.getElementById('unread');
  if (!badge || at <= badge.dataset.at) return;
  badge.dataset.at = at;
  if (counts) showUnread(unread() + 1);
}

// fetchUnread reads the count from the server; the answer to an earlier request
// does not count any more. When the session has ended, the page is loaded again,
// which leads to the sign-in page.
let latest = 0;
export async function fetchUnread() {
  const own = ++latest;
  const { status, page } = await fetchPage('/chat/updates');
  if (status === 401) return location.reload();
  if (status === 409 || own !== latest) return; // another account is signed in
  if (page) takeUnread(page);
  else setTimeout(() => own === latest && fetchUnread(), 5000 + Math.random() * 5000);
}

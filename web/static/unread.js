// The number of unread messages, in the navigation and in the title.
import { send } from './call.js';

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

// fetchUnread reads the count from the server; the answer to an earlier request
// does not count any more. When the session has ended, the page is loaded again,
// which leads to the sign-in page.
let latest = 0;
export async function fetchUnread() {
  const own = ++latest;
  const response = await send('/api/chat/unread-total').catch(() => null);
  if (response?.status === 401) return location.reload();
  if (response?.status === 409) return; // another account is signed in
  const body = response?.ok && await response.json().catch(() => null);
  if (own !== latest) return;
  if (body) showUnread(body.unreadTotal);
  else setTimeout(() => own === latest && fetchUnread(), 5000 + Math.random() * 5000);
}

// The column of conversations: the newest first.
import { localise } from './times.js';
import { fetchUnread, capped, showUnread, takeUnread, unread } from './unread.js';

const list = () => document.getElementById('conversations');
const rowOf = id => list()?.querySelector(`li[data-conversation="${CSS.escape(id)}"]`);

// keepFocus runs change and gives the focus back to the row that had it.
function keepFocus(change) {
  const focused = list()?.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  change();
  if (focused) list()?.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

// putRows takes over rows from the server, in their places.
export function putRows(rows) {
  keepFocus(() => {
    for (const li of rows) {
      const old = rowOf(li.dataset.conversation);
      if (!old && !('first' in (list()?.dataset ?? {}))) continue; // it is not on this part of the column
      old?.remove();
      localise(li);
      insert(listForRows(), document.adoptNode(li));
    }
  });
}

const insert = (ul, row) => ul.insertBefore(row, [...ul.children].find(other => other.dataset.at < row.dataset.at) ?? null);

// putMessage shows a message that was sent, or has changed, in the row of its
// conversation. It returns false if the row has to be read.
export function putMessage({ created, conversationId, at, preview, from, unread: counts, mentioned }) {
  const row = rowOf(conversationId);
  const count = Number(row?.dataset.unread);
  if (!row || !created && count) return false; // what is unread may have changed
  if (created ? row.dataset.at >= at : row.dataset.at !== at) return true;
  row.querySelector('.conversation-preview').textContent = from && 'group' in row.dataset ? `${from}: ${preview}` : preview;
  if (!created) return true;
  const time = row.querySelector('time');
  time.dateTime = row.dataset.at = at;
  time.removeAttribute('title');
  localise(row);
  if (counts) setUnread(row, count + 1, mentioned || !row.querySelector('.at').hidden);
  keepFocus(() => { row.remove(); insert(list(), row); });
  return true;
}

// listForRows returns the list, made in place of the note that there is none.
function listForRows() {
  const there = list();
  if (there.matches('ul')) return there;
  const ul = document.createElement('ul');
  ul.id = there.id;
  ul.dataset.first = '';
  there.replaceWith(ul);
  return ul;
}

export function removeRow(id) {
  const row = rowOf(id);
  if (!row) return;
  showUnread(Math.max(0, unread() - Number(row.dataset.unread)));
  row.remove();
}

// showRead shows how many messages of a conversation are unread now.
export function showRead(id, count, mentioned = false) {
  const row = rowOf(id);
  if (!row) return fetchUnread();
  showUnread(Math.max(0, unread() - Number(row.dataset.unread) + count));
  setUnread(row, count, mentioned);
}

function setUnread(row, count, mentioned) {
  row.dataset.unread = count;
  row.firstElementChild.classList.toggle('conversation-unread', count > 0);
  const badge = row.querySelector('.badge');
  row.querySelector('.at').hidden = !mentioned;
  badge.hidden = !count;
  badge.firstElementChild.textContent = capped(count);
}

// replaceColumn takes over the column and the unread count of a whole page.
export function replaceColumn(page) {
  const fresh = page.getElementById('conversations');
  if (list() && fresh) keepFocus(() => { localise(fresh); list().replaceWith(document.adoptNode(fresh)); });
  takeUnread(page);
}

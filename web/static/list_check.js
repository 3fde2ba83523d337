// The boxes of items that can be checked off. A box shows at once what it will be.
// Until the server has it, that is kept in the browser, and sent again.
import { say } from './call.js';
import { announce } from './live.js';
import { changes } from './outbox.js';

const unsent = new Set();  // items for which there was no connection
const fresh = new Map();   // items that the server has, and whether they are done, until the list is read again
let list, refresh;

export function start(id, read) {
  [list, refresh] = [id, read];
  document.getElementById('items').addEventListener('click', e => {
    const box = e.target.closest('button.check-off');
    if (!box) return;
    e.preventDefault();
    const entry = { list, id: box.closest('.item').id.slice(5), done: box.getAttribute('aria-pressed') !== 'true' };
    show(entry.id, entry.done);
    changes.add(entry);
  });
  changes.listen((entry, state, body) => { if (entry.list === list && !entry.items) told(entry, state, body); });
  for (const entry of changes.entries(list)) if (!entry.items && entry.failed) told(entry, 'failed');
  settle();
}

// settle shows the boxes again as they will be, after the list was read.
export function settle() {
  for (const [id, done] of fresh) show(id, done);
  for (const { id, done, items } of changes.entries(list)) if (!items) show(id, done);
}

function show(id, done) {
  const row = document.getElementById('item-' + id), box = row?.querySelector('button.check-off');
  if (!box) return;
  row.classList.toggle('done', done);
  row.classList.toggle('unsent', unsent.has(id));
  box.setAttribute('aria-pressed', done);
  box.value = done ? 'no' : 'yes';
  box.title = unsent.has(id) ? 'Not saved yet' : done ? 'Done' : 'Check off';
  if (unsent.has(id)) box.setAttribute('aria-description', 'Not saved yet');
  else box.removeAttribute('aria-description');
}

async function told({ id, done, failed }, state, body) {
  if (state === 'sending') return;
  if (state === 'waiting') {
    if (!unsent.size) say(body === 401 ? 'You are signed out. Sign in, and it is saved.' : 'Not saved yet: there is no connection. It is saved later.');
    unsent.add(id);
    return show(id, done);
  }
  unsent.delete(id);
  if (state === 'gone') return refresh();
  if (state === 'failed') {
    changes.remove({ list, id });
    show(id, !done);
    return say(body === 404 ? 'This item is no longer on the list.' : failed);
  }
  fresh.set(id, done);
  settle();
  await refresh();
  if (fresh.get(id) === done) fresh.delete(id);
  announce(document.getElementById('done').textContent);
}

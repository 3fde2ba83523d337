// The boxes of items that can be checked off. A box shows at once what it will be;
// if the server refuses it, it shows again what it was.
import { call, say } from './call.js';
import { announce } from './live.js';

const wanted = new Map(); // ids of rows that are being changed, and whether they are to be done
let list, refresh, sending = Promise.resolve();

export function start(id, read) {
  [list, refresh] = [id, read];
  document.getElementById('items').addEventListener('click', e => {
    const box = e.target.closest('button.check-off');
    if (!box) return;
    e.preventDefault();
    toggle(box.closest('.item').id, box.getAttribute('aria-pressed') !== 'true');
  });
}

// settle shows the boxes again that are being changed, after the list was read.
export function settle() {
  for (const [id, done] of wanted) show(id, done);
}

function show(id, done) {
  const row = document.getElementById(id), box = row?.querySelector('button.check-off');
  if (!box) return;
  row.classList.toggle('done', done);
  box.setAttribute('aria-pressed', done);
  box.value = done ? 'no' : 'yes';
  box.title = done ? 'Done' : 'Check off';
}

// toggle sends a change after those before it.
function toggle(id, done) {
  wanted.set(id, done);
  show(id, done);
  sending = sending.then(async () => {
    if (wanted.get(id) !== done) return; // it was changed again meanwhile
    const { status, body } = await call('PATCH', `/api/lists/${list}/items/${id.slice(5)}`, { checked: done });
    if (status !== 200) {
      if (wanted.get(id) === done) {
        wanted.delete(id);
        show(id, !done);
      }
      return say(body?.error ?? 'It was not changed: there is no connection.');
    }
    await refresh();
    if (wanted.get(id) === done) wanted.delete(id);
    announce(document.getElementById('done').textContent);
  });
}

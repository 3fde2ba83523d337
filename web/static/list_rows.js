// The rows of a list for those who edit it: a menu of actions, editing in place,
// reordering by pointer and by keyboard, and deleting with a time to undo.
import { call, say } from './call.js';
import { announce } from './live.js';

const undo = 10000; // how long a deletion can be undone, in ms
const patience = 15000; // for the response to a move or an edit, in ms

let list, page, menu, row; // page is {refresh, hold}; row is the one whose menu is open
let moving = Promise.resolve();
let erasing; // the timer that deletes them
const deleted = new Set(); // ids of rows that are being deleted

export function start(id, of) {
  [list, page, menu] = [id, of, document.getElementById('item-menu')];
  const items = document.getElementById('items');
  if (!menu?.showPopover) return; // an old browser: the page works as without scripts
  items.classList.add('live');
  items.addEventListener('click', e => { if (e.target.closest('.more')) open(e.target.closest('.more')); });
  items.addEventListener('keydown', keyed);
  items.addEventListener('pointerdown', e => { if (e.button === 0 && e.target.closest('.grip')) drag(e, e.target.closest('.item')); });
  menu.addEventListener('click', e => { if (e.target.closest('button[data-act]')) act(e.target.dataset.act); });
  menu.addEventListener('toggle', e => { // the focus cannot go back to a button that was replaced
    const lost = document.activeElement === document.body || menu.contains(document.activeElement);
    if (e.newState === 'closed' && !row.isConnected && lost) document.getElementById(row.id)?.querySelector('.more')?.focus();
  });
  menu.querySelector('form').addEventListener('submit', e => { e.preventDefault(); act('position', e.target.querySelector('input').value); });
  addEventListener('pagehide', () => { for (const id of deleted) erase(id, { keepalive: true }); });
}

// settle hides the rows again that are being deleted, after the list was read.
export function settle() {
  for (const id of deleted) document.getElementById(id)?.setAttribute('hidden', '');
}

const address = li => `/api/lists/${list}/items/${li.id.slice(5)}`;
const total = () => parseInt(document.getElementById('count').textContent, 10);
const brief = li => li.querySelector('.text').textContent.slice(0, 40);

function open(button) {
  row = button.closest('.item');
  menu.setAttribute('aria-label', 'Actions: ' + brief(row));
  const alone = total() < 2;
  for (const el of menu.querySelectorAll('[data-act="top"], [data-act="bottom"], form')) el.hidden = alone;
  menu.querySelector('input').setAttribute('value', row.value);
  menu.querySelector('form').reset();
  menu.showPopover();
  const at = button.getBoundingClientRect();
  const below = at.bottom + menu.offsetHeight + 8 < innerHeight;
  menu.style.top = (below ? at.bottom + 4 : Math.max(8, at.top - menu.offsetHeight - 4)) + 'px';
  menu.style.left = Math.max(8, Math.min(at.right, innerWidth - 8) - menu.offsetWidth) + 'px';
  menu.querySelector('button').focus();
}

function act(name, value) {
  menu.hidePopover();
  row = document.getElementById(row.id) ?? row; // it may have been read again meanwhile
  if (name === 'edit') edit(row);
  else if (name === 'delete') remove(row);
  else move(row.id, { top: 1, bottom: total(), position: Number(value) }[name], '.more');
}

// move moves an item to a position, after the moves before it, and gives the
// focus to one of the row's buttons unless it is elsewhere by then. Before the list is read again it calls
// answered, if given.
function move(id, position, focus, answered) {
  moving = moving.then(async () => {
    const li = document.getElementById(id);
    const to = typeof position === 'function' ? position(li?.value ?? 1) : position;
    if (!li || to < 1) return answered?.();
    const { status, body } = await call('PATCH', address(li), { position: to - 1 }, { signal: AbortSignal.timeout(patience) });
    answered?.();
    if (status !== 200 && !(typeof position === 'function' && status === 400)) say(body?.error ?? 'It was not moved: there is no connection.');
    await page.refresh();
    const now = document.getElementById(id);
    if (document.activeElement === document.body) now?.querySelector(focus)?.focus();
    if (status === 200) announce(now ? `Moved to position ${now.value}` : 'Moved to another page');
  });
}

// The arrow keys move the item of a grip that has the focus.
function keyed(e) {
  const li = e.target.closest('.grip')?.closest('.item');
  const to = { ArrowUp: n => n - 1, ArrowDown: n => n + 1, Home: () => 1, End: total }[e.key];
  if (!li || !to) return;
  e.preventDefault();
  move(li.id, to, '.grip');
}

function drag(e, li) {
  e.preventDefault();
  const grip = e.target.closest('.grip'), rows = li.parentElement, before = li.nextSibling;
  const first = rows.firstElementChild.value, was = li.value;
  const middle = el => { const r = el.getBoundingClientRect(); return r.top + r.height / 2; };
  const over = ({ clientY }) => {
    const [up, down] = [li.previousElementSibling, li.nextElementSibling];
    // Its neighbours move: an element that moves loses the pointer.
    if (up && clientY < middle(up)) li.after(up);
    else if (down && clientY > middle(down)) li.before(down);
    if (clientY < 80) scrollBy(0, -12);
    else if (clientY > innerHeight - 80) scrollBy(0, 12);
  };
  const end = (back) => {
    grip.removeEventListener('pointermove', over);
    document.removeEventListener('keydown', escape);
    li.classList.remove('dragged');
    const to = first + [...rows.children].indexOf(li);
    if (back) rows.insertBefore(li, before);
    // Until the server has moved it, the list would be read as it was before.
    if (!back && to !== was) move(li.id, to, '.grip', () => page.hold(false));
    else page.hold(false);
  };
  const escape = ({ key }) => { if (key === 'Escape') end(true); };
  page.hold(true);
  li.classList.add('dragged');
  grip.setPointerCapture(e.pointerId);
  grip.addEventListener('pointermove', over);
  grip.addEventListener('pointerup', () => { if (li.classList.contains('dragged')) end(false); }, { once: true });
  grip.addEventListener('pointercancel', () => { if (li.classList.contains('dragged')) end(true); }, { once: true });
  document.addEventListener('keydown', escape);
}

// edit puts a form in the place of a row. What was changed by others meanwhile is
// not overwritten without a question.
async function edit({ id }) {
  const { status, body } = await call('GET', address({ id }));
  const li = document.getElementById(id);
  if (!li) return;
  if (status !== 200) return say(body?.error ?? 'It cannot be edited now: there is no connection.');
  let version = body.item.updated_at;
  li.append(document.getElementById('item-edit').content.cloneNode(true));
  li.classList.add('editing');
  const form = li.querySelector('form'), { content, link } = form.elements, note = form.querySelector('.note');
  [content.value, link.value] = [body.item.content, body.item.source_url ?? ''];
  const close = async () => {
    form.remove();
    li.classList.remove('editing');
    await page.refresh();
    document.getElementById(li.id)?.querySelector('.more')?.focus();
  };
  let saving = Promise.resolve(), refused = 0;
  const refuse = text => { refused++; note.hidden = false; note.textContent = text; content.focus(); };
  // save leaves the form open when more was typed meanwhile.
  const save = async () => {
    const sent = { content: content.value.trim(), link: link.value.trim() };
    const { status, body } = await call('PATCH', address(li), sent, { headers: { 'If-Match': `"${version}"` }, signal: AbortSignal.timeout(patience) });
    if (!form.isConnected) return;
    if (status === 200) {
      version = body?.item.updated_at;
      note.hidden = true;
      return content.value.trim() === sent.content && link.value.trim() === sent.link && close();
    }
    if (status !== 412) return refuse(body?.error ?? 'It was not saved: there is no connection. Try again.');
    const now = await call('GET', address(li));
    if (now.status === 200) version = now.body.item.updated_at;
    refuse(`Somebody changed this meanwhile to: “${now.body?.item?.content ?? '…'}”. Save again to replace it with yours.`);
  };
  form.addEventListener('submit', e => {
    e.preventDefault();
    const seen = refused; // who saves before a refusal is seen does not answer it
    saving = saving.then(() => form.isConnected && seen === refused && save());
  });
  form.addEventListener('keydown', e => {
    if (e.key === 'Escape') { e.stopPropagation(); close(); }
    if (e.key === 'Enter' && e.target === content && !e.shiftKey && !e.isComposing) { e.preventDefault(); form.requestSubmit(); }
  });
  form.querySelector('[data-act]').addEventListener('click', close);
  content.focus();
  content.setSelectionRange(content.value.length, content.value.length);
}

// remove hides a row, and deletes its item once it can no longer be undone. The
// button undoes what was removed before, too, so that waits as long.
function remove(li) {
  const id = li.id;
  deleted.add(id);
  clearTimeout(erasing);
  erasing = setTimeout(() => { for (const id of deleted) erase(id); }, undo);
  li.hidden = true;
  const n = deleted.size;
  say(n === 1 ? 'Deleted.' : `${n} items deleted.`, { label: 'Undo', ms: undo, act: () => {
    clearTimeout(erasing);
    for (const id of deleted) document.getElementById(id)?.removeAttribute('hidden');
    deleted.clear();
    document.getElementById(id)?.querySelector('.more')?.focus();
    announce('Not deleted');
  } });
}

async function erase(id, options) {
  const { status, body } = await call('DELETE', `/api/lists/${list}/items/${id.slice(5)}`, undefined, options);
  deleted.delete(id);
  if (status === 204 || status === 404) return page.refresh();
  document.getElementById(id)?.removeAttribute('hidden');
  say(body?.error ?? 'It was not deleted: there is no connection.');
}

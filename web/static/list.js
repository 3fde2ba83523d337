// A list that stays up to date while it is open.
import { send } from './call.js';
import { localise } from './times.js';
import { announce, fetchPage, follow, sameMarkup } from './live.js';
import { connected } from './connection.js';
import { released } from './press.js';
import { start as startLine } from './list_add.js';
import { settle as settleChecks, start as startChecks } from './list_check.js';
import { settle, start as startRows } from './list_rows.js';

const names = ['change', 'presence', 'resync'];

let list, timer, running = null, again = false, held = 0, holds = 0;

export function start() {
  const id = list = document.querySelector('[data-list]').dataset.list;
  const stream = follow(`/api/list/${id}/events`, names, ({ name, data }) => {
    if (name === 'presence') watching(data);
    else later(); // "closed", too: the list may be deleted
  }, document.body.dataset.position, document.body.dataset.me ? undefined : up => {
    if (up) later(); // a guest's page does not say from when it is
    connected(up, () => !running);
  });
  document.getElementById('move')?.addEventListener('submit', move);
  startLine(id, refresh);
  startChecks(id, refresh);
  startRows(id, { refresh, hold });
  const wanted = location.hash.match(/^#item-([0-9a-f-]{36})$/);
  if (wanted && !document.querySelector(':target') && !location.search.includes('item=')) location.replace(`?item=${wanted[1]}${location.hash}`);
  // A browser has few connections to one server, so hidden tabs give theirs
  // back. The stream continues where it was.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) stream.close();
    else stream.open();
  });
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(refresh, 250);
}

// refresh reads the items again; its promise ends when they are on the page.
function refresh() {
  again = true;
  running ??= (async () => {
    try {
      for (; again; ) { again = false; await read(); }
    } finally { running = null; }
  })();
  return running;
}

// hold keeps the items as they are until hold(false). What was begun to be read
// before that may be older, and is not shown afterwards either.
function hold(on) {
  held += on ? 1 : -1;
  holds++;
  if (!held) later();
}

async function read() {
  const at = holds;
  const { status, page } = await fetchPage(`/list/${list}/items${location.search}`);
  if (status === 404 || status === 401) return location.reload(); // it may no longer be seen
  if (status === 409) return; // another account is signed in
  if (page) await released();
  if (page && !held && at === holds) show(page);
  else if (!page) setTimeout(later, 2000 + Math.random() * 2000);
}

function show(page) {
  const mine = document.getElementById('items');
  const fresh = page.getElementById('items');
  for (const name of ['count', 'done']) document.getElementById(name).replaceWith(page.getElementById(name));
  const list = mine.querySelector('.items');
  const next = fresh.querySelector('.items');
  if (list && next) {
    showPager(mine, fresh);
    merge(list, [...next.children]);
  } else if (list || next) {
    localise(fresh);
    mine.replaceChildren(...fresh.childNodes);
  }
  settle();
  settleChecks();
}

// showPager takes over the links to the pages before and after.
function showPager(mine, fresh) {
  for (const el of mine.querySelectorAll(':scope > .older, :scope > .pager')) el.remove();
  const [older, pager] = [fresh.querySelector(':scope > .older'), fresh.querySelector(':scope > .pager')];
  if (older) mine.prepend(older);
  if (pager) mine.append(pager);
}

function merge(list, wanted) {
  const ids = new Set(wanted.map(li => li.id));
  const active = document.activeElement, still = list.contains(active) && active.closest('.item');
  const edited = li => li.classList.contains('editing'), place = [...list.children].indexOf(still);
  for (const li of [...list.children]) if (!ids.has(li.id) && !edited(li)) li.remove();
  let added = 0;
  wanted.forEach((li, at) => {
    const old = document.getElementById(li.id);
    let keep = old;
    if (!old || !edited(old) && !sameMarkup(old, li)) {
      keep = document.adoptNode(li);
      localise(keep);
      if (!old) { added++; keep.classList.add('item-new'); }
      old?.replaceWith(keep);
    }
    keep.value = li.value;
    // An element that moves loses the focus, so the others move around that row.
    if (keep === still) while (list.children[at] !== keep) list.append(list.children[at]);
    else if (list.children[at] !== keep) list.insertBefore(keep, list.children[at] ?? null);
  });
  // An element that is replaced loses it, too.
  if (still && document.activeElement !== active) focusLike(active, still.id, list.children[Math.min(place, list.children.length - 1)]);
  if (added) announce(added === 1 ? 'One new item' : `${added} new items`);
}

// focusLike gives the focus to what is in the place of an element of a row. Without
// that row it is the link of another, since a key there changes nothing.
function focusLike(el, id, other) {
  const name = el => [el.className, el.getAttribute('href'), el.name === 'to' && el.value].join();
  const row = document.getElementById(id), same = [...row?.querySelectorAll(el.localName) ?? []].find(o => name(o) === name(el));
  (same ?? (row ?? other)?.querySelector('.item-open'))?.focus();
}

// move sends the form of a button without leaving the page. The button keeps
// the focus, for the next step.
async function move(e) {
  e.preventDefault();
  const { formAction, name, value } = e.submitter;
  const id = e.submitter.closest('li').id;
  const response = await send(formAction, { method: 'POST', redirect: 'manual', body: new URLSearchParams([[name, value]]) }).catch(() => null);
  if (response?.type !== 'opaqueredirect') return location.reload();
  await refresh();
  const row = document.getElementById(id);
  const buttons = row ? [...row.querySelectorAll('.move:not(:disabled)')] : [];
  (buttons.find(b => b.value === value) ?? buttons[0])?.focus();
  announce(row ? `Moved to position ${row.value}` : 'Moved to another page');
}

// watching shows who else has the list open.
function watching({ viewers, people = [], typing = [] }) {
  const el = document.getElementById('watching');
  const me = document.body.dataset.me;
  el.hidden = viewers < 2;
  const names = people.filter(p => p.id !== me).map(p => p.name).slice(0, 3);
  const writes = typing.filter(p => p.id !== me).map(p => p.name);
  el.textContent = `${viewers} viewing` + (names.length ? `, with ${names.join(', ')}` : '') + (writes.length ? `, ${writes[0]} is typing` : '');
}

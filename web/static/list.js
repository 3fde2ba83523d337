// A list that changes while it is read.
import { localise } from './times.js';
import { announce, fetchPage, sameMarkup } from './live.js';

let stream, timer;

export function start() {
  const id = document.querySelector('[data-list]').dataset.list;
  const open = () => {
    stream = new EventSource(`/api/list/${id}/events`);
    stream.addEventListener('change', later);
    stream.addEventListener('resync', later);
    stream.addEventListener('presence', e => watching(JSON.parse(e.data)));
    stream.onerror = () => { if (stream.readyState === EventSource.CLOSED) later(); };
  };
  open();
  document.getElementById('move')?.addEventListener('submit', move);
  const wanted = location.hash.match(/^#item-([0-9a-f-]{36})$/);
  if (wanted && !document.querySelector(':target') && !location.search.includes('item=')) location.replace(`?item=${wanted[1]}${location.hash}`);
  // A browser has few connections to one server: tabs nobody sees give
  // theirs back.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) stream.close();
    else { open(); later(); }
  });
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(refresh, 250);
}

async function refresh() {
  const { status, page } = await fetchPage(location.pathname + location.search);
  if (status === 404 || status === 401) return location.reload(); // no longer ours to see
  if (!page) return;
  const mine = document.getElementById('items');
  const fresh = page.getElementById('items');
  const count = page.getElementById('count');
  if (count) document.getElementById('count').textContent = count.textContent;
  const list = mine.querySelector('.items');
  const next = fresh.querySelector('.items');
  if (!list || !next) {
    if (!list && !next) return;
    localise(fresh);
    mine.replaceChildren(...fresh.childNodes);
    return;
  }
  merge(list, [...next.children]);
}

function merge(list, wanted) {
  const ids = new Set(wanted.map(li => li.id));
  for (const li of [...list.children]) if (!ids.has(li.id)) li.remove();
  let added = 0;
  wanted.forEach((li, at) => {
    const old = document.getElementById(li.id);
    let keep = old;
    if (!old || !sameMarkup(old, li)) {
      keep = document.adoptNode(li);
      localise(keep);
      if (!old) { added++; keep.classList.add('item-new'); }
      old?.replaceWith(keep);
    }
    keep.value = li.value;
    if (list.children[at] !== keep) list.insertBefore(keep, list.children[at] ?? null);
  });
  if (added) announce(added === 1 ? 'One new item' : `${added} new items`);
}

// move sends a button's form without leaving the page: the row goes where it
// belongs, and the button keeps the focus for the next step.
async function move(e) {
  e.preventDefault();
  const { formAction, name, value } = e.submitter;
  const id = e.submitter.closest('li').id;
  const answer = await fetch(formAction, { method: 'POST', redirect: 'manual', body: new URLSearchParams([[name, value]]) }).catch(() => null);
  if (answer?.type !== 'opaqueredirect') return location.reload();
  await refresh();
  const row = document.getElementById(id);
  const buttons = row ? [...row.querySelectorAll('.move:not(:disabled)')] : [];
  (buttons.find(b => b.value === value) ?? buttons[0])?.focus();
  announce(row ? `Moved to place ${row.value}` : 'Moved to another page');
}

function watching({ viewers, people = [], typing = [] }) {
  const el = document.getElementById('watching');
  const me = document.body.dataset.me;
  el.hidden = viewers < 2;
  const names = people.filter(p => p.id !== me).map(p => p.name).slice(0, 3);
  const writes = typing.filter(p => p.id !== me).map(p => p.name);
  el.textContent = `${viewers} here now` + (names.length ? ` with ${names.join(', ')}` : '') + (writes.length ? `, ${writes[0]} is writing` : '');
}

// A conversation that is alive: what others write appears, what one writes
// appears at once, and a reader is never moved from where they read.
import { localise } from './times.js';
import { announce, fetchPage, listen } from './live.js';
import { Thread } from './thread.js';
import { Composer } from './composer.js';
import { Typing } from './typing.js';

const me = document.body.dataset.me;
const title = document.title;

export function start() {
  const room = document.querySelector('[data-room]');
  const thread = room && new Thread(room, me);
  const typing = thread && room.querySelector('#typing') && new Typing(room);
  const latest = room && 'latest' in room.dataset;
  const address = room ? `/chat/${room.dataset.room}?peek=1` : location.pathname + location.search;
  let timer, running = false, again = false;

  async function sync() {
    if (running) { again = true; return; }
    running = true;
    const { status, page } = await fetchPage(address);
    running = false;
    if (status === 401 || (status === 404 && room)) return location.reload();
    if (page) {
      column(page);
      if (thread && latest) heard(thread.merge(page));
    }
    if (again) { again = false; sync(); }
  }

  function heard(news) {
    const last = news.at(-1);
    if (!last) return;
    announce(`${last.querySelector('.who')?.textContent ?? ''}: ${last.querySelector('.text')?.textContent ?? ''}`);
    if (thread.atEnd()) seen();
  }

  // What was shown is read; what arrives meanwhile is not.
  async function seen() {
    const upTo = [...document.querySelectorAll('#thread > li[data-at]')].at(-1)?.dataset.at;
    if (!document.hidden && latest && upTo) {
      await fetch(`/api/chat/conversations/${room.dataset.room}/read`, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ upTo }) }).catch(() => null);
    }
  }

  function later() {
    clearTimeout(timer);
    timer = setTimeout(sync, 60);
  }

  if (thread) {
    thread.onEnd = seen;
    if (latest) new Composer(room, thread, later);
  }
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return;
    later();
    if (thread?.atEnd()) seen();
  });
  listen(me, ({ name, data }) => {
    typing?.heard(name, data);
    if (/^(message|conversation|read|open|resync)/.test(name)) later();
  });
}

// column takes the conversations and the unread count from a fresh page.
function column(page) {
  const mine = document.getElementById('talks');
  const fresh = page.getElementById('talks');
  if (mine && fresh) {
    const focused = mine.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
    localise(fresh);
    mine.replaceWith(document.adoptNode(fresh));
    if (focused) fresh.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  }
  const badge = page.getElementById('unread');
  if (!badge) return;
  document.title = badge.hidden ? title : `(${badge.firstElementChild.textContent}) ${title}`;
  document.getElementById('unread').replaceWith(document.adoptNode(badge));
}

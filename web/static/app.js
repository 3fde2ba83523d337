// What every page gets: times in the reader's own zone, a live unread badge,
// and the script of the page. All of it is an addition: the page works without.
import './errors.js';
import './times.js';
import { announce, listen } from './live.js';
import { countMessage, fetchUnread } from './unread.js';
import { refresh, start } from './refresh.js';
import { connected } from './connection.js';
import { dropAt } from './kept.js';
import { changes, flush } from './outbox.js';
import { inboxEvent, startInbox } from './inbox.js';

const me = document.body.dataset.me;

tidyAddress();
addZone();
addCopy();
dropAt(me);
if (me) startInbox();
if (document.querySelector('.picked')) import('./audience.js').then(m => m.start());
if (document.querySelector('#inbox')) import('./keys.js').then(m => m.start());
if (document.querySelector('[data-list]')) import('./list.js').then(m => m.start());
if (document.querySelector('#conversations, .pane')) import('./chat.js').then(m => m.start());
else if (me) liveBadge();
// What was done on a list and is sent only now changes the page of its item.
changes.listen(({ id }, state) => { if (/^(sent|gone)$/.test(state)) refresh('item.' + id); });
if (me) flush();

// "Until tomorrow" is the reader's tomorrow.
function addZone() {
  for (const form of document.querySelectorAll('form[data-zone]')) {
    form.addEventListener('formdata', e => e.formData.set('zone', new Date().getTimezoneOffset()));
  }
}

// Secrets are shown once: a button copies each.
function addCopy() {
  if (!navigator.clipboard) return; // an insecure address
  for (const secret of document.querySelectorAll('.secret')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'btn btn-small copy';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', `Copy ${(secret.getAttribute('aria-label') || '').toLowerCase()}`);
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(secret.textContent);
      button.removeAttribute('aria-label');
      button.textContent = 'Copied';
      announce('Copied');
    });
    secret.after(button);
  }
}

// A reload should neither repeat "Saved." nor send a form again, whose address may be
// of no page.
function tidyAddress() {
  const url = new URL(document.body.dataset.page ?? location.href, location.href);
  const had = url.searchParams.has('done') || document.querySelector('.secret');
  for (const name of ['done', 'at', 'was']) url.searchParams.delete(name);
  if (had) history.replaceState(null, '', url);
}

function liveBadge() {
  let timer;
  start();
  listen(me, ({ name, data }) => {
    refresh(name);
    inboxEvent(name);
    if (name === 'message.created') return countMessage(data);
    if (!/^(message|read|conversation|resync|closed)/.test(name)) return;
    clearTimeout(timer);
    timer = setTimeout(fetchUnread, 300);
  }, connected);
}

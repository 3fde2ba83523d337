// What every page gets: times in the reader's own zone, a live unread badge,
// and the part that belongs to the page. Everything here is an addition; the
// page works without it.
import { localise } from './times.js';
import { listen } from './live.js';

const me = document.body.dataset.me;

localise(document);
dropPictures(document);
tidyAddress();
addZone();
if (document.querySelector('[data-list]')) import('./list.js').then(m => m.start());
if (document.querySelector('#talks, [data-room]')) import('./chat.js').then(m => m.start());
else if (me) liveBadge();

// "Until tomorrow" is the reader's tomorrow.
function addZone() {
  for (const form of document.querySelectorAll('form[data-zone]')) {
    form.addEventListener('formdata', e => e.formData.set('zone', new Date().getTimezoneOffset()));
  }
}

// A picture that does not load leaves the initials it covers.
function dropPictures(root) {
  root.addEventListener('error', e => { if (e.target.closest?.('.avatar')) e.target.remove(); }, true);
  for (const img of root.querySelectorAll('.avatar img')) if (img.complete && !img.naturalWidth) img.remove();
}

// A reload should neither say "Saved." again nor send a form again.
function tidyAddress() {
  const url = new URL(location.href);
  const had = url.searchParams.has('done') || document.querySelector('.secret');
  url.searchParams.delete('done');
  if (had) history.replaceState(null, '', url);
}

function liveBadge() {
  const badge = document.getElementById('unread');
  let timer;
  const ask = async () => {
    const answer = await fetch('/api/chat/unread-total').catch(() => null);
    if (!answer?.ok) return;
    const { unreadTotal } = await answer.json();
    badge.firstElementChild.textContent = unreadTotal > 99 ? '99+' : unreadTotal;
    badge.hidden = !unreadTotal;
  };
  listen(me, ({ name }) => {
    if (!/^(message|read|conversation|open|resync)/.test(name)) return;
    clearTimeout(timer);
    timer = setTimeout(ask, 300);
  });
}

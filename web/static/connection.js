// A quiet note while the page does not hear from the server.
import { flush } from './outbox.js';

const patience = 3000; // until the note is shown, in ms
const arrival = 500;   // in which what was missed begins to arrive, in ms
let timer = 0, note = null;

// connected notes whether the stream of events is open. The note goes when it is
// and caughtUp says that the page has all that was missed.
export function connected(up, caughtUp = () => true) {
  if (!up) { timer ||= setTimeout(show, patience); return; }
  clearTimeout(timer);
  timer = 0;
  flush();
  setTimeout(hide, arrival, caughtUp);
}

function show() {
  note ??= Object.assign(document.createElement('p'), { id: 'connection', className: 'connection' });
  note.setAttribute('role', 'status');
  document.body.append(note);
  note.textContent = 'Reconnecting…';
}

function hide(caughtUp) {
  if (!note || timer) return;
  if (!caughtUp()) return setTimeout(hide, 100, caughtUp);
  note.remove();
  note = null;
}

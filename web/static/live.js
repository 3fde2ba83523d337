// The person's live events. One tab of a browser holds a lock, keeps the
// stream, and passes its events to the others over a BroadcastChannel.
import { send } from './call.js';

const names = ['message.created', 'message.updated', 'message.deleted', 'messages.redacted', 'conversation.updated', 'participant.updated', 'friend.updated', 'read.updated',
  'reaction.updated', 'stream.updated', 'thought.updated', 'typing', 'presence', 'webhook.updated',
  'match.updated', 'story.updated', 'review.updated', 'resync'];

const remembered = 30000; // for how long the tab with the stream remembers events, in ms

// listen calls handle({name, data, id}) for every event after the page was
// read. After "resync" the page must be read again. state gets whether the
// stream is open, each time that changes.
export function listen(me, handle, state = () => {}) {
  let last = document.body.dataset.position;
  const take = event => { last = event.id || last; handle(event); };
  addEventListener('pageshow', e => { if (e.persisted) handle({ name: 'resync' }); });
  // Without https there are no locks: each tab keeps a stream of its own.
  if (!navigator.locks) return follow('/chat/live', names, take, last, state);

  const channel = new BroadcastChannel('hearth-live-' + me);
  const tab = String(Math.random());
  let recent = []; // events, also in a tab that may get the stream
  let leads = false, up = false, answered = false;
  const note = event => {
    recent = recent.filter(e => e.at > event.at - remembered);
    if (event.name !== 'typing') recent.push(event);
    take(event);
  };
  // The channel was not open yet while this page was loading.
  const ask = () => channel.postMessage({ from: tab, since: performance.timeOrigin });
  channel.onmessage = ({ data }) => {
    if (data.name) note(data);
    else if ('up' in data) {
      state(data.up);
      if (!answered) ask(); // no tab had the stream
    } else if (data.for === tab && !answered) {
      answered = true;
      data.events.forEach(note);
      state(data.open);
    } else if (data.from && leads) channel.postMessage({ for: data.from, events: recent.filter(e => e.at >= data.since), open: up });
  };
  ask();
  navigator.locks.request('hearth-live-' + me, () => new Promise(() => {
    leads = true;
    follow('/chat/live', names, event => {
      event.at = Date.now();
      channel.postMessage(event);
      note(event);
    }, last, is => {
      up = is;
      channel.postMessage({ up });
      state(up);
    });
  })).catch(() => {}); // the page was left before its turn came
}

const first = 2000, most = 60000; // how long to wait before a stream is opened again, in ms

// follow opens the stream at an address and calls handle({name, data, id}) for
// each event of the names. It continues after the event with the id last, also
// when it is opened again. handle gets "closed" when the server refused or
// ended the stream, and "resync" when events may be missing. state gets whether
// the stream is open, each time that changes.
export function follow(address, names, handle, last = '', state = () => {}) {
  let stream = null, timer = 0, wait = first, wanted = true;

  function open() {
    close();
    wanted = true;
    stream = new EventSource(last ? `${address}?lastEventId=${encodeURIComponent(last)}` : address);
    for (const name of names) stream.addEventListener(name, take);
    stream.onopen = () => {
      wait = first;
      state(true);
    };
    // The browser opens a stream that broke off by itself, but not one that
    // was refused.
    stream.onerror = () => {
      state(false);
      if (stream.readyState !== EventSource.CLOSED) return;
      handle({ name: 'closed' });
      timer = setTimeout(open, wait * (0.75 + Math.random() / 2));
      wait = Math.min(wait * 2, most);
    };
  }

  function take(e) {
    last = e.lastEventId || last;
    let data = null;
    try { data = JSON.parse(e.data); } catch { /* an event without a body */ }
    handle({ name: e.type, data, id: e.lastEventId });
  }

  function close() {
    clearTimeout(timer);
    wanted = false;
    stream?.close();
  }

  addEventListener('offline', () => state(false));
  addEventListener('online', () => {
    if (stream.readyState === EventSource.OPEN) state(true);
    else if (wanted) open();
  });
  state(false);
  open();
  return { open, close };
}

// fetchPage reads a page or a fragment of this server as a document: only the
// server makes markup. The page is null if it could not be read; status is 0
// without a response, and 401 when the session has ended.
export async function fetchPage(address, options) {
  const response = await send(address, { ...options, headers: { Accept: 'text/html' } }).catch(() => null);
  const text = response?.ok && !response.redirected ? await response.text().catch(() => null) : null;
  if (!response || response.ok && !response.redirected && text === null) return { status: 0, page: null };
  if (text === null) return { status: response.ok ? 401 : response.status, page: null };
  return { status: 200, page: new DOMParser().parseFromString(text, 'text/html') };
}

// sameMarkup compares two elements without what scripts and people change in them.
export function sameMarkup(a, b) {
  const bare = el => {
    const copy = el.cloneNode(true);
    for (const t of copy.querySelectorAll('time')) { t.textContent = ''; t.removeAttribute('title'); }
    for (const d of copy.querySelectorAll('details')) d.removeAttribute('open');
    return copy.innerHTML;
  };
  return bare(a) === bare(b);
}

let timer;
// announce has screen readers read a text. It is removed afterwards, because a
// message may be edited or deleted.
export function announce(text) {
  const live = document.getElementById('live');
  live.textContent = '';
  clearTimeout(timer);
  timer = setTimeout(() => {
    live.textContent = text;
    timer = setTimeout(() => { live.textContent = ''; }, 5000);
  }, 50);
}

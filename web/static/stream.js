// A stream of server-sent events that is opened again when the server ends it.
const first = 2000, most = 60000; // how long to wait before that, in ms

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

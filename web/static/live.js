// One EventSource a browser: the tab that holds a lock keeps the stream and
// passes what it hears to the others over a BroadcastChannel.
const names = ['message.created', 'message.updated', 'message.deleted', 'conversation.updated', 'read.updated',
  'typing', 'presence', 'resync'];

// listen calls heard({name, data}) for every event of the person's stream.
// The name "open" says that the stream began anew: ask again for what may
// have been missed.
export function listen(me, heard) {
  const channel = new BroadcastChannel('hearth-live-' + me);
  channel.onmessage = e => heard(e.data);
  let began = false;
  const tell = event => { began ||= event.name === 'open'; heard(event); channel.postMessage(event); };
  // What came between the page and the channel: the tab that opens the
  // stream asks by itself, the others once they are surely listening.
  setTimeout(() => { if (!began) heard({ name: 'open' }); }, 500);
  if (navigator.locks) navigator.locks.request('hearth-live-' + me, () => new Promise(() => keep(tell)));
  else keep(tell); // not on https: each tab keeps a stream of its own
}

function keep(tell, wait = 2000) {
  const stream = new EventSource('/api/chat/events');
  for (const name of names) {
    stream.addEventListener(name, e => {
      let data = null;
      try { data = JSON.parse(e.data); } catch { /* an event without a body */ }
      tell({ name, data });
    });
  }
  let opened = false;
  stream.onopen = () => {
    wait = 2000;
    if (opened) return; // it resumed by itself, with nothing missed
    opened = true;
    tell({ name: 'open' });
  };
  stream.onerror = () => {
    if (stream.readyState !== EventSource.CLOSED) return;
    setTimeout(() => keep(tell, Math.min(wait * 2, 60000)), wait * (0.75 + Math.random() / 2));
  };
}

// fetchPage reads a page of this server as a document, null when it is not
// to be had: so there is one place that makes markup, the server.
export async function fetchPage(address) {
  const answer = await fetch(address, { headers: { Accept: 'text/html' } }).catch(() => null);
  if (!answer) return { status: 0, page: null };
  if (!answer.ok || answer.redirected) return { status: answer.ok ? 401 : answer.status, page: null };
  return { status: 200, page: new DOMParser().parseFromString(await answer.text(), 'text/html') };
}

// sameMarkup compares two elements but for what scripts change in them.
export function sameMarkup(a, b) {
  const bare = el => {
    const copy = el.cloneNode(true);
    for (const t of copy.querySelectorAll('time')) { t.textContent = ''; t.removeAttribute('title'); }
    for (const img of copy.querySelectorAll('img')) img.remove();
    return copy.innerHTML;
  };
  return bare(a) === bare(b);
}

let timer;
// announce says something to those who listen to the page. It does not stay:
// what was said may be changed or taken back.
export function announce(text) {
  const live = document.getElementById('live');
  live.textContent = '';
  clearTimeout(timer);
  timer = setTimeout(() => {
    live.textContent = text;
    timer = setTimeout(() => { live.textContent = ''; }, 5000);
  }, 50);
}

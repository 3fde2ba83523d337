// Errors of the scripts are reported to the server's log: each once, a few per
// page, and nothing of what a person wrote. A report has the kind of the error,
// the browser's words up to the first quotation, the places in the scripts of
// this server, and the address without what identifies something. Errors from
// elsewhere, such as extensions, are left out.
const most = 5; // reports per page
const length = 300; // characters of a message

const reported = new Set();

addEventListener('error', e => {
  if (e.target instanceof HTMLScriptElement) send('Script not loaded', place(e.target.src));
  else if (e.error instanceof Error) report(e.error);
}, true);
addEventListener('unhandledrejection', e => {
  if (e.reason instanceof Error) report(e.reason);
});

function report(error) {
  const words = String(error.message).split(/["'`‘’“”«»:\n]/)[0];
  send(`${plain(error.name)}: ${words.slice(0, length).trim()}`, places(error.stack));
}

function send(message, stack) {
  const key = message + stack;
  if (!stack || reported.has(key) || reported.size >= most) return;
  reported.add(key);
  fetch('/api/frontend-log', {
    method: 'POST', keepalive: true, headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ level: 'error', message, stack, url: page() }),
  }).catch(() => {}); // the server is away, which is no news
}

// plain returns a name that only has letters.
function plain(name) {
  return /^[A-Za-z]{1,40}$/.test(name) ? name : 'Error';
}

// places returns where in the scripts an error came from.
function places(stack) {
  return (String(stack).match(/\/static\/\S+?\.js:\d+:\d+/g) ?? []).slice(0, 10).map(place).join(' ');
}

// place returns the name of a script, without its folders.
function place(address) {
  return String(address).match(/[\w-]+\.js(:\d+:\d+)?$/)?.[0] ?? '';
}

// page returns the path, in which "*" stands for ids, tokens and names.
function page() {
  return location.pathname.replace(/^(\/list\/[^/]+)\/[^/]+$/, '$1/_').split('/').map(part => /^[a-z-]{0,16}$/.test(part) ? part : '*').join('/');
}

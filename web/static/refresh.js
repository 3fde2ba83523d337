// Parts of a page that change while it is open: elements with an id and
// data-refresh, the beginning of the names of the events after which the page is
// read again. While a part has an element with data-waiting, it is read again
// for a while without an event.
import { fetchPage, sameMarkup } from './live.js';
import { localise } from './times.js';

const pause = 300;    // to wait for further events, in ms
const again = 1000;   // between reads of a part that waits, in ms
const longest = 20;   // such reads

const parts = () => [...document.querySelectorAll('[data-refresh]')];
let timer, reads = 0;

// start reads the parts that wait.
export function start() { if (waits()) later(again); }

// refresh handles an event.
export function refresh(name) {
  if (name === 'resync' || parts().some(part => name.startsWith(part.dataset.refresh))) later(pause);
}

const waits = () => parts().some(part => part.querySelector('[data-waiting]')) && reads++ < longest;

function later(ms) {
  clearTimeout(timer);
  timer = setTimeout(read, ms);
}

async function read() {
  const { page } = await fetchPage(location.href);
  for (const part of page ? parts() : []) replace(part, page.getElementById(part.id));
  if (waits()) later(again);
}

// replace puts the new markup in the place of a part, once the focus is not in
// it: whoever is about to press a button there is not interrupted.
function replace(part, fresh) {
  if (!fresh || sameMarkup(part, fresh)) return;
  if (part.contains(document.activeElement)) {
    part.addEventListener('focusout', () => later(pause), { once: true });
    return;
  }
  localise(fresh);
  part.replaceChildren(...fresh.childNodes);
}

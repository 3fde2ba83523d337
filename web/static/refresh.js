// Parts of a page that change while it is open: elements with an id and
// data-refresh, the beginning of the names of the events after which the page is
// read again. While a part has an element with data-waiting, it is read again
// for a while without an event.
import { announce, fetchPage, sameMarkup } from './live.js';
import { retryable } from './call.js';
import { localise } from './times.js';
import { released } from './press.js';

const pause = 300;    // to wait for further events, in ms
const again = 1000;   // between reads of a part that waits, in ms
const longest = 20;   // such reads

const parts = () => [...document.querySelectorAll('[data-refresh]')];
const failed = 5000;  // after a read that failed, in ms
const moved = 400;    // until what has moved can be pressed, in ms
let timer, guarded, latest = 0, reads = 0;

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
  const own = ++latest;
  const { status, page } = await fetchPage(document.body.dataset.page ?? location.href);
  if (page) await released();
  if (own !== latest) return; // it may be from before what is being read now
  if (!page) {
    if (retryable(status)) later(failed * (1 + Math.random()));
    return;
  }
  const before = places();
  for (const part of parts()) replace(part, page.getElementById(part.id));
  if (places() !== before) guard();
  if (waits()) later(again);
}

// places says what can be pressed, and where.
function places() {
  const at = el => { const { x, y } = el.getBoundingClientRect(); return [el.getAttribute('aria-label') ?? el.textContent, x, y].join(' '); };
  return [...document.querySelectorAll('main :is(a, button, summary, label)')].map(at).join('\n');
}

// guard lets nothing be pressed for a moment: whoever presses now means what was
// there before, and some decisions are for good.
function guard() {
  const main = document.getElementById('main');
  main.classList.add('moved');
  clearTimeout(guarded);
  guarded = setTimeout(() => main.classList.remove('moved'), moved);
}

// replace puts the new markup in the place of a part. An entry that has the focus
// stays until it loses it: whoever is about to press a button there is not
// interrupted. Only what surrounds it in its list changes.
function replace(part, fresh) {
  if (!fresh || sameMarkup(part, fresh)) return;
  localise(fresh);
  keepOpen(part, fresh);
  const active = part.contains(document.activeElement) && document.activeElement;
  const list = part.querySelector(':scope > [tabindex="-1"]'), entry = active && list && active.closest('li[id]');
  const same = entry && fresh.querySelector(`#${CSS.escape(entry.id)}`);
  if (same) around(entry, same);
  if (same || active && !entry && active !== list) {
    part.addEventListener('focusout', () => later(pause), { once: true });
    return;
  }
  part.replaceChildren(...fresh.childNodes);
  if (active) part.querySelector(':scope > [tabindex="-1"]')?.focus(); // not another entry, which a key might decide
  if (entry) announce('This no longer waits for you.');
}

// keepOpen has what a person opened be open in the new markup, too.
function keepOpen(part, fresh) {
  const named = root => {
    const seen = new Map();
    return new Map([...root.querySelectorAll('details')].map(d => {
      const { id } = d.closest('[id]');
      seen.set(id, (seen.get(id) ?? 0) + 1);
      return [`${id} ${seen.get(id)}`, d];
    }));
  };
  const now = named(part);
  for (const [name, d] of named(fresh)) if (now.has(name)) d.open = now.get(name).open;
}

// around replaces the neighbours of an entry of a list with the neighbours in its new
// markup.
function around(entry, same) {
  const before = [], after = [];
  let to = before;
  for (const li of [...same.parentElement.children]) li === same ? to = after : to.push(li);
  for (const li of [...entry.parentElement.children]) if (li !== entry) li.remove();
  entry.before(...before);
  entry.after(...after);
}

// One key per decision in the inbox. After a decision the item that comes
// next has the focus, however the decision was made, and screen readers say what
// was done and how much is left.
import { announce } from './live.js';

const off = 'hearth-keys-off'; // in the storage of the browser, while the keys are off
const items = () => [...document.querySelectorAll('.inbox-item')];
let busy = false; // a decision is on its way

export function start() {
  const help = document.querySelector('.keys');
  if (!help) return;
  const toggle = help.querySelector('button');
  const show = () => {
    help.querySelector('p').hidden = !on();
    toggle.textContent = on() ? 'Turn keys off' : 'Turn keys on';
    const main = document.getElementById('main');
    if (on()) main.setAttribute('aria-keyshortcuts', 'j k a d e z'); else main.removeAttribute('aria-keyshortcuts');
  };
  toggle.addEventListener('click', () => {
    if (on()) localStorage.setItem(off, '1'); else localStorage.removeItem(off);
    show();
  });
  document.addEventListener('keydown', press);
  show();
  addEventListener('pageshow', () => { busy = false; });
  arrive();
}

const on = () => !localStorage.getItem(off);
const current = () => items().findIndex(li => li.contains(document.activeElement));

// arrive continues after a decision.
function arrive() {
  const error = document.getElementById('inbox-error');
  if (error) {
    history.replaceState(null, '', '/inbox'); // the address of the form is no page
    return error.focus();
  }
  const done = document.querySelector('.note-good[role=status]');
  if (!done) return;
  const next = document.getElementById(location.hash.slice(1));
  focus(next?.matches('.inbox-item, #inbox') ? next : items()[0] ?? document.getElementById('inbox'));
  const left = items().length;
  announce(`${done.firstChild.textContent.trim()} ${left ? `${left} left to decide.` : 'All done.'}`);
}

function focus(el) {
  el?.focus();
  el?.scrollIntoView({ block: 'nearest' });
}

function press(e) {
  if (!on() || e.repeat || e.ctrlKey || e.metaKey || e.altKey || e.target.closest('input, textarea, select, pre, [contenteditable]')) return;
  const at = current(), arrows = document.getElementById('queue').contains(document.activeElement);
  if (e.key === 'j' || arrows && e.key === 'ArrowDown') focus(items()[Math.min(at + 1, items().length - 1)]);
  else if (e.key === 'k' || arrows && e.key === 'ArrowUp') focus(items()[Math.max(at - 1, 0)]);
  else if (/^[ade]$/.test(e.key)) decide(items()[at]?.querySelector(`[data-key="${e.key}"]`), at < 0);
  else if (e.key === '?') { const help = document.querySelector('.keys'); help.open = !help.open; }
  else if (e.key === 'z') decide(document.querySelector('[data-key="z"]'), false);
  else return;
  e.preventDefault();
}

// decide presses a button, or says that no item has the focus.
function decide(button, nowhere) {
  if (nowhere && items().length) return announce('Press j to go to the first item, then decide.');
  if (!button || busy) return;
  busy = true;
  button.click();
}

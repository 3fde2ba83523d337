// One key per decision in the review inbox: j and k move, a approves, d declines.
const items = () => [...document.querySelectorAll('.review-item')];
const place = 'hearth-review'; // where the reader was before the last decision

export function start() {
  const keys = document.querySelector('.keys');
  if (!items().length || !keys) return;
  keys.hidden = false;
  document.addEventListener('keydown', press);
  const was = sessionStorage.getItem(place);
  sessionStorage.removeItem(place);
  if (was !== null) go(Math.min(Number(was), items().length - 1));
}

const current = () => items().findIndex(li => li.contains(document.activeElement));

function go(n) {
  const li = items()[n];
  li?.focus();
  li?.scrollIntoView({ block: 'nearest' });
}

function press(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest('input, textarea, select, [contenteditable]')) return;
  const at = current();
  if (e.key === 'j') go(Math.min(at + 1, items().length - 1));
  else if (e.key === 'k') go(Math.max(at - 1, 0));
  else if (/^[ad]$/.test(e.key)) decide(at, e.key);
  else return;
  e.preventDefault();
}

// decide presses the button for a key, of the item that has the focus.
function decide(at, key) {
  const button = items()[at]?.querySelector(`[data-key="${key}"]`);
  if (!button) return;
  sessionStorage.setItem(place, at);
  button.click();
}

// Shows who a form reaches, while people and groups are ticked. Without this script, and
// when the answer cannot be read, a button reads it.
import { fetchPage } from './live.js';

const boxes = '[name="to"], [name="in"]';
let latest = 0;

export function start() {
  for (const picked of document.querySelectorAll('.picked')) {
    const form = picked.closest('form');
    form.addEventListener('change', e => { if (e.target.matches(boxes)) count(form, picked); });
    // A browser that comes back to the page ticks what was ticked.
    if ([...form.querySelectorAll(boxes)].some(box => box.checked !== box.defaultChecked)) count(form, picked);
  }
}

async function count(form, picked) {
  const mine = ++latest, ticked = new URLSearchParams();
  for (const box of form.querySelectorAll(boxes)) if (box.checked) ticked.append(box.name, box.value);
  const { page } = await fetchPage('/audience', { method: 'POST', body: ticked });
  if (mine !== latest) return;
  const fresh = page?.getElementById('picked'), shown = document.getElementById('picked');
  picked.classList.toggle('failed', !fresh);
  if (fresh) shown.replaceChildren(...fresh.childNodes);
  else shown.textContent = 'How many people it reaches could not be read.';
}

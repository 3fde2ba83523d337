// What the browser keeps for an account until it is sent: every value has a key
// of its own, so that tabs do not overwrite what others keep.
const spare = new Map(); // in place of a storage that is full or turned off
const start = me => `hearth-${me}-`;

export const keyOf = (me, kind, ...ids) => start(me) + [kind, ...ids].join('-');

export function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    spare.delete(key);
  } catch { spare.set(key, value); }
}

// kept returns the value of a key, or null.
export function kept(key) {
  if (spare.has(key)) return spare.get(key);
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
}

export function drop(key) {
  spare.delete(key);
  try { localStorage.removeItem(key); } catch { /* nothing is kept there */ }
}

// keys returns the keys that begin with a text.
export function keys(beginning) {
  let stored = [];
  try { stored = Object.keys(localStorage); } catch { /* it is turned off */ }
  return [...new Set([...stored, ...spare.keys()])].filter(key => key.startsWith(beginning));
}

// dropAt drops everything that is kept for an account once it is signed out here, or
// deleted: on the first page for a guest after such a form was sent. me is undefined
// on pages for guests; an error page may not say who is signed in.
export function dropAt(me) {
  const leaving = 'hearth-leaving'; // who sent such a form, until the next page
  if (!me && document.querySelector('.error-page')) return;
  const gone = !me && kept(leaving);
  if (gone) for (const key of keys(start(gone))) drop(key);
  drop(leaving);
  document.addEventListener('submit', e => {
    if (me && (e.target.getAttribute('action') === '/logout' || 'signsOut' in e.target.dataset)) keep(leaving, me);
  });
}

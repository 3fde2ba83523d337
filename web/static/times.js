// Times in the reader's zone, and in the language that the community has chosen, or
// else the reader's. The server writes UTC.
const language = document.documentElement.dataset.dates || undefined;
const format = {
  day: new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long' }),
  year: new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', year: 'numeric' }),
  date: new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' }),
  clock: new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit' }),
  full: new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }),
  near: new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
  left: new Intl.RelativeTimeFormat('en', { numeric: 'always' }), // within an English sentence
};

const midnight = t => new Date(t).setHours(0, 0, 0, 0);

// dayOf returns the same for two moments of one day, where the reader is.
export const dayOf = iso => midnight(Date.parse(iso));

function day(t) {
  const ago = Math.round((midnight(Date.now()) - midnight(t)) / 864e5);
  if (Math.abs(ago) <= 1) {
    const word = format.near.format(-ago, 'day');
    return word[0].toLocaleUpperCase(language) + word.slice(1);
  }
  return (Math.abs(ago) < 300 ? format.day : format.year).format(t);
}

function short(t) {
  const ago = Math.round((midnight(Date.now()) - midnight(t)) / 864e5);
  if (ago === 0) return format.clock.format(t);
  return (Math.abs(ago) < 300 ? format.date : format.year).format(t);
}

// left says how long it is until a moment, like the server.
function left(t) {
  for (const [unit, long, within] of [['day', 864e5, 36e5], ['hour', 36e5, 6e4], ['minute', 6e4, 1e3]]) {
    if (Math.round((t - Date.now()) / within) * within >= 2 * long) return format.left.format(Math.round((t - Date.now()) / long), unit);
  }
  return 'in a minute';
}

const words = { day, left, short, clock: t => format.clock.format(t), both: t => `${day(t)}, ${format.clock.format(t)}` };

// Words that depend on the time of day follow it while the page is open.
setInterval(() => localise(document, 'time[data-as="left"]'), 30000);

// localise rewrites every <time data-as> below root.
export function localise(root, which = 'time[data-as]') {
  for (const el of root.querySelectorAll(which)) {
    const t = Date.parse(el.dateTime);
    if (Number.isNaN(t)) continue;
    el.textContent = words[el.dataset.as](t);
    el.title = format.full.format(t);
  }
}

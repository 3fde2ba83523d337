// Times in the reader's zone, and in the language that the community has chosen, or
// else the reader's. The server writes UTC. Pages wait for this script with what they
// show first: words that change afterwards move what is about to be pressed.
const language = document.documentElement.dataset.dates || undefined;
const date = options => () => new Intl.DateTimeFormat(language, options);
const make = {
  day: date({ weekday: 'long', day: 'numeric', month: 'long' }),
  year: date({ day: 'numeric', month: 'long', year: 'numeric' }),
  date: date({ day: 'numeric', month: 'short' }),
  clock: date({ hour: 'numeric', minute: '2-digit' }),
  full: date({ dateStyle: 'long', timeStyle: 'short' }),
  near: () => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
  left: () => new Intl.RelativeTimeFormat('en', { numeric: 'always' }), // within an English sentence
};
const made = new Map(); // to make one takes longer than to use it
function format(name) {
  if (!made.has(name)) made.set(name, make[name]());
  return made.get(name);
}

const midnight = t => new Date(t).setHours(0, 0, 0, 0);

// dayOf returns the same for two moments of one day, where the reader is.
export const dayOf = iso => midnight(Date.parse(iso));

function day(t) {
  const ago = Math.round((midnight(Date.now()) - midnight(t)) / 864e5);
  if (Math.abs(ago) <= 1) {
    const word = format('near').format(-ago, 'day');
    return word[0].toLocaleUpperCase(language) + word.slice(1);
  }
  return (Math.abs(ago) < 300 ? format('day') : format('year')).format(t);
}

function short(t) {
  const ago = Math.round((midnight(Date.now()) - midnight(t)) / 864e5);
  if (ago === 0) return format('clock').format(t);
  return (Math.abs(ago) < 300 ? format('date') : format('year')).format(t);
}

// left says how long it is until a moment, or that it is over, like the server.
const over = 'ended';
function left(t) {
  if (t <= Date.now()) return over;
  for (const [unit, long, within] of [['day', 864e5, 36e5], ['hour', 36e5, 6e4], ['minute', 6e4, 1e3]]) {
    if (Math.round((t - Date.now()) / within) * within >= 2 * long) return format('left').format(Math.round((t - Date.now()) / long), unit);
  }
  return 'in a minute';
}

const ends = t => left(t) === over ? over : `ends ${left(t)}`;
const words = { day, left, ends, short, clock: t => format('clock').format(t), both: t => `${day(t)}, ${format('clock').format(t)}` };

// Words that depend on the time of day follow it while the page is open.
setInterval(() => localise(document, 'time:is([data-as="left"], [data-as="ends"])'), 30000);

// localise rewrites every <time data-as> below root.
export function localise(root, which = 'time[data-as]') {
  for (const el of root.querySelectorAll(which)) {
    const t = Date.parse(el.dateTime);
    if (Number.isNaN(t)) continue;
    const now = words[el.dataset.as](t);
    if (el.textContent !== now) el.textContent = now;
    if (!el.title) el.title = format('full').format(t);
  }
}

localise(document);

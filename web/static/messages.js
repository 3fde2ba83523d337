// The messages on the page: in order, with days, in runs of one sender.
import { dayOf, localise } from './times.js';
import { fetchPage, sameMarkup } from './live.js';
import { Names } from './names.js';

const near = 5 * 60 * 1000; // messages of one sender closer than this are one run, in ms

// tagsOf returns what sent a message in the name of its sender.
const tagsOf = li => [...li.querySelectorAll('.msg-head .tag')].map(tag => tag.textContent).join();

// messageOf makes the element of a message from the markup of the server, with the
// account that its forms are of.
export function messageOf(html) {
  const li = new DOMParser().parseFromString(html, 'text/html').querySelector('li');
  for (const input of li.querySelectorAll('input[name="me"]')) input.setAttribute('value', document.body.dataset.me);
  return li;
}

export class Messages {
  constructor(pane, me) {
    this.me = me;
    this.conversation = pane.dataset.conversation;
    this.list = pane.querySelector('#messages');
    this.scroll = pane.querySelector('.scroll');
    this.latest = 'latest' in pane.dataset; // the newest message is on the page
    this.unread = pane.querySelector('#unread-line')?.nextElementSibling?.dataset.id;
    this.arrange();
    const target = document.querySelector('.edit-form, .msg:target, .marked, #unread-line');
    target?.scrollIntoView({ block: 'center', behavior: 'instant' });
    const field = document.getElementById('edit-content');
    field?.focus({ preventScroll: true });
    field?.setSelectionRange(field.value.length, field.value.length);
    if (field) field.scrollTop = field.scrollHeight;
    if (field) new Names(field, this.conversation);
  }

  // The column is reversed: 0 is the end, and above it is negative.
  atEnd() { return this.latest && Math.abs(this.scroll.scrollTop) < 48; }
  toEnd() { this.scroll.scrollTop = 0; }

  rows() { return [...this.list.querySelectorAll(':scope > li:is([data-id], [id^="p-"])')]; }

  // setUnread puts the line before a message.
  setUnread(id) {
    this.unread = id;
    this.change(() => {});
  }

  // change runs fn. It keeps the reader at the end if they are there, and else
  // the same line where it is on the screen.
  change(fn, stick = this.atEnd()) {
    const edge = this.scroll.getBoundingClientRect().top;
    const anchor = this.rows().find(li => li.getBoundingClientRect().bottom > edge);
    const before = anchor?.getBoundingClientRect().top;
    fn();
    this.arrange();
    if (stick) return this.toEnd();
    const now = anchor && (anchor.isConnected ? anchor : document.getElementById(anchor.id));
    if (now) this.scroll.scrollTop += now.getBoundingClientRect().top - before;
  }

  // putChanges adds the lines about who joined, left or renamed the group that are
  // later than what is shown.
  putChanges(lines) {
    const last = [...this.list.querySelectorAll('.change')].at(-1)?.dataset.change ?? this.rows()[0]?.dataset.at ?? '';
    const fresh = lines.filter(li => li.dataset.change > last);
    if (fresh.length) this.change(() => this.list.append(...fresh.map(li => document.adoptNode(li))));
  }

  // put takes over messages from the server and returns the new messages of other
  // people.
  put(wanted, before = () => {}) {
    if (!wanted.length) return [];
    const added = [];
    this.change(() => {
      before();
      for (const li of wanted) {
        // It arrived, even if the response to its sender was lost.
        document.getElementById('p-' + li.dataset.id)?.remove();
        const old = document.getElementById(li.id);
        if (old && !('local' in old.dataset) && (sameMarkup(old, li) || old.querySelector('.edit-form'))) continue;
        const mine = document.adoptNode(li);
        if (old) { this.replace(old, mine); continue; }
        this.list.append(mine);
        if (mine.dataset.sender !== this.me) added.push(mine);
      }
    });
    return added;
  }

  // replace keeps an open choice of reactions, and the focus.
  replace(old, mine) {
    const picker = old.querySelector('.picker');
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    if (picker && !mine.querySelector('.picker')) mine.querySelector('.msg-foot')?.before(picker);
    old.replaceWith(mine);
    if (focused) (mine.contains(focused) ? focused : mine.querySelector('.react-ask'))?.focus();
  }

  // merge is put for a whole page.
  merge(page) {
    const wanted = [...page.querySelectorAll('#messages > li[data-id]')];
    const known = wanted.some(li => document.getElementById(li.id));
    // What is typed for an edit stays, and a link leads to the newest messages.
    if (!known && this.list.querySelector('.edit-form')) { this.latest = false; return []; }
    this.putChanges([...page.querySelectorAll('#messages > .change')]);
    return this.put(wanted, () => { if (!known) this.clear(page); });
  }

  // clear removes the messages: so many arrived that some between them and the page's
  // messages are missing.
  clear(page) {
    for (const li of this.rows()) if (!li.id.startsWith('p-')) li.remove();
    this.cleared(page);
  }

  // cleared is called with the page whose messages take the place of all.
  cleared() {}

  // arrange sorts by time and sets days and runs, in the reader's zone. What is in
  // its place is not touched: the browser would lay out all messages again.
  arrange() {
    const at = li => li.dataset.at || '9';
    const sorted = this.rows().toSorted((a, b) => at(a) < at(b) ? -1 : at(a) > at(b) ? 1 : 0);
    const changes = [...this.list.querySelectorAll('.change')];
    const days = new Map([...this.list.querySelectorAll('.day')].map(li => [dayOf(li.querySelector('time').dateTime), li]));
    const line = this.list.querySelector('.unread-line');
    const all = [];
    let last = null;
    for (const li of sorted) {
      const iso = li.dataset.at || new Date().toISOString();
      const newDay = !last || dayOf(last.iso) !== dayOf(iso);
      while (changes.length && (!li.dataset.at || li.dataset.at > changes[0].dataset.change)) all.push(changes.shift());
      if (newDay) all.push(days.get(dayOf(iso)) ?? this.separator('day', iso));
      if (li.dataset.id && li.dataset.id === this.unread) all.push(line ?? this.separator('unread-line'));
      all.push(li);
      li.classList.toggle('run', !newDay && li.dataset.id !== this.unread && li.dataset.sender !== undefined &&
        last.sender === li.dataset.sender && last.tags === tagsOf(li) && Date.parse(iso) - Date.parse(last.iso) < near);
      last = { iso, sender: li.dataset.sender, tags: tagsOf(li) };
    }
    this.place([...all, ...changes]);
    localise(this.list);
  }

  // place puts the elements of the list in their order, without other lines.
  place(all) {
    const wanted = new Set(all);
    for (const li of this.list.querySelectorAll('.day, .unread-line')) if (!wanted.has(li)) li.remove();
    let next = this.list.firstElementChild;
    for (const li of all) {
      if (li === next) next = next.nextElementSibling;
      else this.list.insertBefore(li, next);
    }
  }

  separator(kind, iso) {
    const li = document.createElement('li');
    li.className = kind;
    if (kind === 'unread-line') { li.id = 'unread-line'; li.textContent = 'New'; return li; }
    const time = document.createElement('time');
    time.dateTime = iso;
    time.dataset.as = 'day';
    li.append(time);
    return li;
  }
}

// The messages on the page: put in order, in days, in runs of one sender.
import { dayOf, localise } from './times.js';
import { fetchPage, sameMarkup } from './live.js';

const near = 5 * 60 * 1000; // messages of one sender closer than this are one run

export class Thread {
  constructor(room, me) {
    this.me = me;
    this.list = room.querySelector('#thread');
    this.scroll = room.querySelector('.scroll');
    this.pill = room.querySelector('#pill');
    this.onEnd = () => {};
    this.fresh = room.querySelector('#fresh')?.nextElementSibling?.dataset.id;
    this.missed = 0;
    this.scroll.addEventListener('scroll', () => { if (this.atEnd()) this.arrived(); }, { passive: true });
    this.pill.addEventListener('click', () => { this.toEnd(); this.arrived(); });
    this.olderBar = room.querySelector('.older');
    this.olderBar.addEventListener('click', e => this.older(e));
    this.arrange();
    const target = location.hash.startsWith('#m-') || /[?&](edit|delete)=/.test(location.search) ? document.querySelector('.edit-form, .msg:target') : document.getElementById('fresh');
    target?.scrollIntoView({ block: 'center', behavior: 'instant' });
  }

  // The column is reversed: 0 is the end, and above it is negative.
  atEnd() { return Math.abs(this.scroll.scrollTop) < 48; }
  toEnd() { this.scroll.scrollTop = 0; }

  arrived() {
    if (!this.missed) return;
    this.missed = 0;
    this.pill.hidden = true;
    this.onEnd();
  }

  rows() { return [...this.list.querySelectorAll('li[data-id], li.waiting, li.failed')]; }

  // change runs fn, and leaves the reader at the end if they were there and
  // else with the same line under their eyes.
  change(fn) {
    const stick = this.atEnd();
    const edge = this.scroll.getBoundingClientRect().top;
    const anchor = this.rows().find(li => li.getBoundingClientRect().bottom > edge);
    const before = anchor?.getBoundingClientRect().top;
    fn();
    this.arrange();
    if (stick) return this.toEnd();
    const now = anchor && (anchor.isConnected ? anchor : document.getElementById(anchor.id));
    if (now) this.scroll.scrollTop += now.getBoundingClientRect().top - before;
  }

  // merge takes over the messages of a fresh page and returns those of
  // others that are new.
  merge(page) {
    const wanted = [...page.querySelectorAll('#thread > li[data-id]')];
    const news = [];
    const known = wanted.some(li => document.getElementById(li.id));
    const stick = this.atEnd();
    this.change(() => {
      if (!known && wanted.length) this.startAnew(page);
      for (const li of wanted) {
        // It arrived, even if its sender never heard so.
        document.getElementById('p-' + li.dataset.id)?.remove();
        const old = document.getElementById(li.id);
        if (old && (sameMarkup(old, li) || old.querySelector('.edit-form'))) continue;
        const mine = document.adoptNode(li);
        if (old) old.replaceWith(mine);
        else { this.list.append(mine); if (mine.dataset.sender !== this.me) news.push(mine); }
      }
    });
    if (news.length && !stick) {
      this.missed += news.length;
      this.pill.textContent = this.missed === 1 ? 'New message' : `${this.missed} new messages`;
      this.pill.hidden = false;
    }
    return news;
  }

  // startAnew drops what is shown: so much was said meanwhile that between it
  // and the fresh page something would be missing.
  startAnew(page) {
    for (const li of this.rows()) if (!li.matches('.waiting, .failed')) li.remove();
    this.olderBar.replaceChildren(...page.querySelector('.older').childNodes);
  }

  // arrange sorts by time and draws days and runs anew, in the reader's zone.
  arrange() {
    const at = li => li.dataset.at || '9';
    const rows = this.rows();
    const sorted = rows.toSorted((a, b) => at(a) < at(b) ? -1 : at(a) > at(b) ? 1 : 0);
    for (const el of this.list.querySelectorAll('.day, .fresh')) el.remove();
    if (sorted.some((li, i) => li !== rows[i])) this.list.append(...sorted);
    let last = null;
    for (const li of sorted) {
      const iso = li.dataset.at || new Date().toISOString();
      const newDay = !last || dayOf(last.iso) !== dayOf(iso);
      if (newDay) li.before(this.separator('day', iso));
      if (li.dataset.id && li.dataset.id === this.fresh) li.before(this.separator('fresh'));
      li.classList.toggle('run', !newDay && li.dataset.id !== this.fresh && li.dataset.sender !== undefined &&
        last.sender === li.dataset.sender && Date.parse(iso) - Date.parse(last.iso) < near && !li.querySelector('.msg-head .tag'));
      last = { iso, sender: li.dataset.sender };
    }
    localise(this.list);
  }

  separator(kind, iso) {
    const li = document.createElement('li');
    li.className = kind;
    if (kind === 'fresh') { li.id = 'fresh'; li.textContent = 'New'; return li; }
    const time = document.createElement('time');
    time.dateTime = iso;
    time.dataset.as = 'day';
    li.append(time);
    return li;
  }

  async older(e) {
    const link = e.target.closest('a');
    if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    link.setAttribute('aria-disabled', 'true');
    const { page } = await fetchPage(link.getAttribute('href'));
    if (!page) return location.assign(link.href);
    this.change(() => {
      const rows = [...page.querySelectorAll('#thread > li[data-id]')].filter(li => !document.getElementById(li.id));
      this.list.prepend(...rows.map(li => document.adoptNode(li)));
    });
    this.olderBar.replaceChildren(...page.querySelector('.older').childNodes);
  }
}

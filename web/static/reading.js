// What is read: the messages that were on the screen of a visible page, and that
// follow on what was read before.
import { retryable, send } from './call.js';

const pause = 150; // to wait for further movement, in ms
const slack = 28;  // pixels of a message that may be below the edge: its foot

export class Reading {
  constructor(pane, messages) {
    this.pane = pane;
    this.messages = messages;
    this.conversation = pane.dataset.conversation;
    this.pill = pane.querySelector('#pill');
    this.gap = pane.querySelector('#gap');
    this.seen = this.read = this.saved = pane.dataset.readAt ?? '';
    this.from(pane);
    this.away = false;  // messages arrived that were not shown; the line is before them
    this.pill.addEventListener('click', e => this.toNewest(e));
    messages.scroll.addEventListener('scroll', () => this.later(), { passive: true });
    addEventListener('resize', () => this.later());
    document.addEventListener('visibilitychange', () => this.back());
  }

  // from takes over what the server knew as it made the page: how many messages
  // are unread, and since when. Those that were seen meanwhile do not count.
  from(pane) {
    const readAt = pane.dataset.readAt ?? '';
    const since = this.messages.rows().filter(li => li.dataset.at > readAt && li.dataset.at <= this.seen);
    this.left = Math.max(0, Number(pane.dataset.unread) - this.unreadOf(since));
    this.unreadAt = pane.dataset.unreadAt ?? '';
    this.gap.replaceChildren(...pane.querySelector('#gap').cloneNode(true).childNodes);
    this.later();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), pause);
  }

  // whole reports whether the messages on the page begin with what was read, or
  // with the first one: else what is between was not seen.
  whole() {
    const first = this.messages.rows()[0]?.dataset.at;
    return !this.unreadAt || first <= this.unreadAt || !this.pane.querySelector('.older a[data-part]');
  }

  // unreadOf returns how many of the messages count as unread until they are seen.
  unreadOf(rows) {
    return rows.filter(li => li.dataset.id && li.dataset.sender !== this.messages.me && !li.matches('.deleted')).length;
  }

  look() {
    this.show();
    if (document.hidden || !this.whole()) return;
    const edge = this.messages.scroll.getBoundingClientRect().bottom + slack;
    const rows = this.messages.rows().filter(li => li.dataset.id && li.dataset.at > this.seen);
    const last = rows.findLastIndex(li => li.getBoundingClientRect().bottom <= edge);
    if (last < 0) return;
    this.seen = rows[last].dataset.at;
    const count = this.unreadOf(rows.slice(0, last + 1));
    if (!count) return;
    this.left = Math.max(0, this.left - count);
    if (!this.left) this.away = false;
    this.show();
    this.read = this.seen;
    this.save();
  }

  // show shows how many messages are below.
  show() {
    this.gap.hidden = this.whole();
    this.pill.hidden = !this.left || this.messages.atEnd();
    this.pill.textContent = `${this.left} new ${this.left === 1 ? 'message' : 'messages'}`;
  }

  // save has the server note what was read, once more when that failed.
  async save() {
    if (this.saving || this.read <= this.saved) return;
    this.saving = true;
    const upTo = this.read;
    const response = await send(`/api/chat/conversations/${this.conversation}/read`, {
      method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ upTo }),
    }).catch(() => null);
    this.saving = false;
    if (retryable(response?.status ?? 0)) return;
    this.saved = upTo;
    this.save();
  }

  // arrived counts messages of others that were added at the end, or that were
  // sent while the end is not on the page.
  arrived(added, count = added.length) {
    const unseen = document.hidden || !this.messages.atEnd();
    if (unseen && !this.left && !this.away && added.length) {
      this.away = true;
      this.messages.setUnread(added[0].dataset.id);
    }
    this.left += count;
    this.show();
    this.later();
  }

  // readElsewhere is called when the conversation was read in another tab.
  readElsewhere(count) {
    if (count) return;
    this.left = 0;
    this.away = false;
    this.show();
  }

  // back shows the line to somebody who returns to the page.
  back() {
    if (document.hidden) return;
    const line = this.away && document.getElementById('unread-line');
    if (line && line.getBoundingClientRect().top < this.messages.scroll.getBoundingClientRect().top) line.scrollIntoView({ block: 'center', behavior: 'instant' });
    this.look();
  }

  toNewest(e) {
    if (!this.messages.latest || !this.whole()) return; // it is a link
    e.preventDefault();
    this.messages.toEnd();
    this.later();
  }
}

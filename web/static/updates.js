// What changed in the chat, read from the server as small fragments. Changes
// that come close together are read with one request.
import { retryable } from './call.js';
import { fetchPage } from './live.js';
import { released } from './press.js';

const pause = 60;       // to wait for further changes, in ms
export const most = 50; // ids that one request can have
const first = 2000, longest = 60000; // to wait after a failure, in ms

export class Updates {
  // apply gets the document with the changes; refused gets the status of a
  // response without one; tooMany is called when there are too many changes for
  // one request.
  constructor(conversation, { apply, refused, tooMany }) {
    Object.assign(this, { conversation, apply, refused, tooMany });
    this.wait = first;
    this.drop();
  }

  // add requests the row of a conversation and, if it is shown, a message.
  add(row, message) {
    this.rows.add(row);
    if (message) this.messages.add(message);
    this.later(pause);
  }

  // addHead requests the row and the head of the conversation that is shown.
  addHead() {
    this.head = true;
    this.add(this.conversation);
  }

  // has reports whether a message will be or is being read.
  has(message) { return this.messages.has(message) || this.requested.messages.has(message); }

  // idle reports whether everything that was requested is on the page.
  idle() { return !this.running && !this.held && !this.rows.size; }

  later(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.request(), ms);
  }

  // hold discards all changes, also those that are being read, and keeps those that
  // follow until release: a whole page is being read, which may be from before them.
  hold() {
    this.drop();
    this.held = true;
  }

  release() {
    this.held = false;
    if (this.rows.size) this.later(pause);
  }

  drop() {
    this.take();
    this.requested = { messages: new Set(), rows: new Set() };
    this.running = false;
  }

  // take returns the changes to request and forgets them.
  take() {
    const { messages, rows, head } = this;
    Object.assign(this, { messages: new Set(), rows: new Set(), head: false });
    return { messages, rows, head };
  }

  async request() {
    if (this.running || this.held || !this.rows.size) return;
    if (this.rows.size > most || this.messages.size > most) return this.tooMany();
    const query = new URLSearchParams(this.conversation ? { conversation: this.conversation } : {});
    for (const id of this.messages) query.append('message', id);
    for (const id of this.rows) query.append('row', id);
    if (this.head) query.set('head', '1');
    const requested = this.requested = this.take();
    this.running = true;
    const { status, page } = await fetchPage('/chat/updates?' + query);
    if (page) await released();
    if (this.requested !== requested) return; // a whole page is read in its place
    this.running = false;
    this.requested = { messages: new Set(), rows: new Set() };
    if (page) {
      this.wait = first;
      this.apply(page);
      if (this.rows.size) this.later(pause);
    } else if (retryable(status)) this.retry(requested);
    else this.refused(status);
  }

  retry({ messages, rows, head }) {
    this.head ||= head;
    for (const id of messages) this.messages.add(id);
    for (const id of rows) this.rows.add(id);
    this.later(this.wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(this.wait * 2, longest);
  }
}

// The outbox: messages that were written and that the server does not have yet.
// They are kept in the browser and sent one after the other, in the order in
// which they were written, each under one id, so that trying again never makes a
// second message.
import { drop, keep, kept, keyOf, keys } from './kept.js';

const first = 2000, longest = 60000; // to wait after a failure, in ms
const patience = 20000;              // for one response, in ms
const me = document.body.dataset.me;
const keyFor = entry => keyOf(me, 'out', entry.conversation, entry.id);

class Outbox {
  constructor() {
    this.wait = first;
    this.told = () => {};
    // What another tab leaves behind when it is closed is sent from here.
    addEventListener('storage', e => {
      if (!e.key?.startsWith(keyOf(me, 'out', ''))) return;
      if (e.newValue) return this.later();
      const entry = JSON.parse(e.oldValue ?? 'null');
      if (entry) this.told(entry, 'gone');
    });
    addEventListener('online', () => this.flush());
  }

  // entries returns the messages of a conversation, or of all, the oldest first.
  entries(conversation = '') {
    const found = keys(keyOf(me, 'out', conversation)).map(kept).filter(Boolean);
    return found.sort((a, b) => a.at - b.at);
  }

  // add keeps a message { conversation, id, content, … } and sends it.
  add(entry) {
    this.last = Math.max(Date.now(), (this.last ?? 0) + 1);
    entry.at = this.last;
    keep(keyFor(entry), entry);
    this.flush();
  }

  // again sends a message that the server has refused.
  again(entry) {
    delete entry.failed;
    keep(keyFor(entry), entry);
    this.flush();
  }

  remove(entry) { drop(keyFor(entry)); }

  // flush sends all messages, from one tab at a time.
  async flush() {
    if (this.running) { this.more = true; return; }
    this.running = true;
    clearTimeout(this.timer);
    const all = () => this.sendAll();
    await (navigator.locks ? navigator.locks.request(`hearth-out-${me}`, all) : all()).catch(() => {}); // the page was left
    this.running = false;
    if (this.more) { this.more = false; this.flush(); }
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), this.wait * (0.75 + Math.random() / 2));
  }

  async sendAll() {
    for (let entry; (entry = this.entries().find(e => !e.failed)); ) {
      this.told(entry, 'sending');
      const { status, body } = await request(entry);
      const there = kept(keyFor(entry)); // unless it was cancelled meanwhile
      if (status === 200 || status === 201) {
        this.wait = first;
        this.remove(entry);
        this.told(entry, 'sent', body);
      } else if (status === 0 || status === 401 || status === 429 || status >= 500) {
        for (const e of this.entries()) if (!e.failed) this.told(e, 'waiting');
        this.later();
        this.wait = Math.min(this.wait * 2, longest);
        return;
      } else if (there) {
        entry.failed = body?.error ?? 'The server did not take it.';
        keep(keyFor(entry), entry);
        this.told(entry, 'failed');
      }
    }
  }
}

// request sends a message. One that was changed after it had been tried may be
// with the server as it was: then it is edited there.
async function request(entry) {
  const { conversation, id, content, replyToId, attachments } = entry;
  const message = { id, content };
  if (attachments?.length) message.attachments = attachments.map(file => ({ id: file.id }));
  if (replyToId) message.replyToId = replyToId;
  const answer = await call('POST', `/api/chat/conversations/${conversation}/messages`, message);
  if (answer.status !== 409 || !entry.changed) return answer;
  return call('PATCH', `/api/chat/messages/${id}`, { content });
}

async function call(method, address, body) {
  const response = await fetch(address, {
    method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body), signal: AbortSignal.timeout(patience),
  }).catch(() => null);
  return { status: response?.status ?? 0, body: await response?.json().catch(() => null) };
}

export const outbox = new Outbox();

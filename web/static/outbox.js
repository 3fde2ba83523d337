// Outboxes: what a person did and the server does not have yet. It is kept in the
// browser and sent in the order in which it was done, each part under one id, so
// that trying again never does it twice.
import { call, retryable } from './call.js';
import { drop, keep, kept, keyOf, keys } from './kept.js';

const first = 2000, longest = 60000; // to wait after a failure, in ms
const patience = 20000;              // for one response, in ms
const me = document.body.dataset.me;
const all = [];

export class Outbox {
  // kind names what is kept, and group is the member of an entry that says where it
  // belongs. request(entry, options) sends an entry and returns its status and body.
  constructor(kind, group, request) {
    Object.assign(this, { kind, group, request, wait: first, listeners: [] });
    all.push(this);
    // What another tab leaves behind when it is closed is sent from here.
    addEventListener('storage', e => {
      if (!e.key?.startsWith(keyOf(me, kind, ''))) return;
      if (e.newValue) return this.retry();
      const entry = JSON.parse(e.oldValue ?? 'null');
      if (entry) this.tell(entry, 'gone');
    });
    addEventListener('online', () => this.flush());
  }

  // listen calls told(entry, state, body) when the state of an entry changes: to
  // "sending"; to "waiting", with the status in place of the body; to "sent", with
  // the body of the response; to "failed", with the status, and a sentence in
  // entry.failed; or to "gone", when another tab has sent or cancelled it.
  listen(told) { this.listeners.push(told); }

  tell(...what) { for (const told of this.listeners) told(...what); }

  keyFor(entry) { return keyOf(me, this.kind, entry[this.group], entry.id); }

  // entries returns what is kept of a group, or of all, the oldest first.
  entries(group = '') {
    const found = keys(keyOf(me, this.kind, group)).map(kept).filter(Boolean);
    return found.sort((a, b) => a.at - b.at);
  }

  // add keeps an entry, in place of an entry with the same id, and sends it.
  add(entry) {
    this.last = Math.max(Date.now(), (this.last ?? 0) + 1);
    entry.at = this.last;
    keep(this.keyFor(entry), entry);
    this.flush();
  }

  // again sends an entry that the server has refused.
  again(entry) {
    delete entry.failed;
    keep(this.keyFor(entry), entry);
    this.flush();
  }

  remove(entry) { drop(this.keyFor(entry)); }

  // flush sends all entries, from one tab at a time.
  async flush() {
    if (this.running) { this.more = true; return; }
    this.running = true;
    clearTimeout(this.timer);
    const send = () => this.sendAll();
    await (navigator.locks ? navigator.locks.request(`hearth-${this.kind}-${me}`, send) : send()).catch(() => {}); // the page was left
    this.running = false;
    if (this.more) { this.more = false; this.flush(); }
  }

  retry() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), this.wait * (0.75 + Math.random() / 2));
  }

  async sendAll() {
    for (let entry; (entry = this.entries().find(e => !e.failed)); ) {
      this.tell(entry, 'sending');
      const { status, body } = await this.request(entry, { signal: AbortSignal.timeout(patience) });
      const there = kept(this.keyFor(entry)); // unless it was cancelled meanwhile
      if (status >= 200 && status < 300) {
        this.wait = first;
        if (there?.at === entry.at) this.remove(entry); // else it was replaced meanwhile
        this.tell(entry, 'sent', body);
      } else if (retryable(status) || status === 401) {
        for (const e of this.entries()) if (!e.failed) this.tell(e, 'waiting', status);
        this.retry();
        this.wait = Math.min(this.wait * 2, longest);
        return;
      } else if (there?.at === entry.at) {
        entry.failed = body?.error ?? 'The server did not take it.';
        keep(this.keyFor(entry), entry);
        this.tell(entry, 'failed', status);
      }
    }
  }
}

// flush sends what is in all outboxes.
export function flush() { for (const box of all) box.flush(); }

// outbox has the messages that were written. One that was changed after it had
// been tried may be with the server as it was: then it is edited there.
export const outbox = new Outbox('out', 'conversation', async ({ conversation, id, content, replyToId, attachments, changed }, options) => {
  const message = { id, content };
  if (attachments?.length) message.attachments = attachments.map(file => ({ id: file.id }));
  if (replyToId) message.replyToId = replyToId;
  const answer = await call('POST', `/api/chat/conversations/${conversation}/messages`, message, options);
  if (answer.status !== 409 || !changed) return answer;
  return call('PATCH', `/api/chat/messages/${id}`, { content }, options);
});

// changes has what was done to lists: { list, id, items } was added, where id is the
// key of the request; { list, id, done } is an item that was checked off, or not.
export const changes = new Outbox('list', 'list', ({ list, id, items, done }, options) => {
  const address = `/api/lists/${list}/items`;
  if (!items) return call('PATCH', `${address}/${id}`, { checked: done }, options);
  options.headers = { 'Idempotency-Key': id };
  return items.length > 1 ? call('POST', address + '/batch', { items }, options) : call('POST', address, items[0], options);
});

// The line that adds items to a list. Enter adds, and the focus stays. What the
// server has not acknowledged is kept in the browser and sent again with the same
// key, so that it is added once.
import { call, later } from './call.js';
import { drop, keep, kept, keyOf, keys } from './kept.js';

const most = 100; // items in one request
const pauses = [1000, 2000, 5000, 15000, 30000]; // between attempts, in ms
const shown = 6000; // how long an item that was added is shown at the line, in ms

export function start(list, refresh) {
  const form = document.getElementById('add');
  const me = document.body.dataset.me;
  if (form && me) new Line(form, list, me, refresh);
}

class Line {
  constructor(form, list, me, refresh) {
    Object.assign(this, { form, list, me, refresh, failed: 0 });
    this.box = form.elements.content;
    this.added = document.getElementById('added');
    form.addEventListener('submit', e => this.submit(e));
    this.box.addEventListener('input', () => this.grow());
    this.box.addEventListener('paste', e => this.paste(e));
    this.box.addEventListener('keydown', e => {
      if (e.key !== 'Enter' || e.shiftKey || e.isComposing) return;
      e.preventDefault();
      form.requestSubmit();
    });
    addEventListener('online', () => this.run());
    for (const entry of this.entries()) this.show(entry);
    form.classList.add('live');
    this.run();
  }

  grow() {
    this.box.style.height = '';
    this.box.style.height = Math.min(this.box.scrollHeight + 2, 200) + 'px';
  }

  submit(e) {
    e.preventDefault();
    const item = { content: this.box.value.trim(), link: this.form.elements.link.value.trim() };
    if (!item.content) return;
    this.box.value = this.form.elements.link.value = '';
    for (const el of this.form.querySelectorAll('.error, .note-bad')) el.remove();
    this.box.removeAttribute('aria-invalid');
    this.grow();
    this.box.focus();
    this.put([item]);
  }

  // paste offers to add each line as an item.
  paste(e) {
    const text = e.clipboardData?.getData('text/plain') ?? '';
    const lines = text.split(/[\r\n]+/).map(line => line.trim()).filter(Boolean);
    if (this.box.value.trim() || lines.length < 2) return;
    e.preventDefault();
    const all = button(`Add ${lines.length} items`, 'btn-main', () => {
      close();
      for (let i = 0; i < lines.length; i += most) this.put(lines.slice(i, i + most).map(content => ({ content })));
    });
    const one = button('Paste as one item', '', () => { close(); this.box.value = text.trim(); this.grow(); });
    const ask = document.createElement('p');
    ask.className = 'cluster adding';
    ask.append(`Add ${lines.length} lines as items? `, all, one, button('Cancel', '', () => close()));
    const close = () => { ask.remove(); this.box.focus(); };
    ask.addEventListener('keydown', e => { if (e.key === 'Escape') close(); });
    this.added.querySelector('.cluster')?.remove();
    this.added.append(ask);
    all.focus();
  }

  keyFor({ key }) { return keyOf(this.me, 'item', this.list, key); }

  // entries returns what the server has not acknowledged, the oldest first.
  entries() {
    const found = keys(keyOf(this.me, 'item', this.list)).map(kept).filter(Boolean);
    return found.sort((a, b) => a.at - b.at);
  }

  put(items) {
    const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), b => b.toString(16).padStart(2, '0')).join('');
    this.last = Math.max(Date.now(), (this.last ?? 0) + 1);
    const entry = { key, items, at: this.last };
    keep(this.keyFor(entry), entry);
    this.show(entry);
    this.run();
  }

  drop(entry) { drop(this.keyFor(entry)); }

  show(entry) {
    const row = document.createElement('p');
    row.className = 'adding';
    row.dataset.key = entry.key;
    const text = document.createElement('bdi');
    text.textContent = entry.items.length > 1 ? `${entry.items.length} items` : entry.items[0].content;
    const state = document.createElement('span');
    state.className = 'state soft small';
    row.append(text, ' ', state);
    this.added.append(row);
    this.state(entry, entry.error ?? 'Adding…');
  }

  state(entry, ...parts) {
    this.added.querySelector(`[data-key="${entry.key}"] .state`)?.replaceChildren(...parts);
  }

  // run sends what waits, one after the other.
  run() {
    clearTimeout(this.timer);
    this.running ??= this.send().finally(() => { this.running = null; });
  }

  async send() {
    for (;;) {
      const entry = this.entries().find(e => !e.error);
      if (!entry) return;
      const { status, body } = await this.post(entry);
      if (status === 201 || status === 202) { await this.done(entry, body); continue; }
      if (later(status)) {
        this.state(entry, 'Not added yet. Trying again…');
        this.timer = setTimeout(() => this.run(), pauses[Math.min(this.failed++, pauses.length - 1)]);
        return;
      }
      this.refuse(entry, status === 401 ? 'You are signed out. Sign in, and it is added.' : body?.error ?? 'The server refused it.', status === 401);
      if (status === 401) return;
    }
  }

  post({ key, items }) {
    const headers = { 'Idempotency-Key': key };
    if (items.length > 1) return call('POST', `/api/lists/${this.list}/items/batch`, { items }, { headers });
    return call('POST', `/api/lists/${this.list}/items`, items[0], { headers });
  }

  async done(entry, body) {
    this.failed = 0;
    this.drop(entry);
    await this.refresh();
    const item = body?.item ?? body?.items?.at(-1);
    const words = item ? `Added as number ${item.position + 1}` : 'Added';
    const link = document.createElement('a');
    link.textContent = words;
    link.href = item ? `/list/${this.list}?item=${item.id}#item-${item.id}` : '';
    if (document.getElementById('item-' + item?.id)) link.href = '#item-' + item.id;
    this.state(entry, link, body?.duplicate_of || body?.duplicates?.length ? '. The list has this link already.' : '.');
    setTimeout(() => this.added.querySelector(`[data-key="${entry.key}"]`)?.remove(), shown);
  }

  // refuse shows why an entry was not added, and what can be done.
  refuse(entry, why, waits) {
    if (!waits) keep(this.keyFor(entry), { ...entry, error: why });
    const leave = () => { this.drop(entry); this.added.querySelector(`[data-key="${entry.key}"]`)?.remove(); this.box.focus(); };
    this.state(entry, why + ' ',
      button('Edit', 'btn-small', () => { this.box.value = entry.items.map(i => i.content).join('\n'); this.grow(); leave(); }), ' ',
      button('Discard', 'btn-small', leave));
  }
}

function button(label, kind, act) {
  const b = document.createElement('button');
  b.type = 'button';
  b.className = `btn btn-small ${kind}`;
  b.textContent = label;
  b.addEventListener('click', act);
  return b;
}

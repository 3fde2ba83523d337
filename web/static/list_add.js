// The line that adds items to a list. Enter adds, and the focus stays. What the
// server has not acknowledged is kept in the browser and sent again with the same
// key, so that it is added once.
import { changes } from './outbox.js';

const most = 100; // items in one request
const shown = 6000; // how long an item that was added is shown at the line, in ms

export function start(list, refresh) {
  const form = document.getElementById('add');
  const me = document.body.dataset.me;
  if (form && me) new Line(form, list, refresh);
}

class Line {
  constructor(form, list, refresh) {
    Object.assign(this, { form, list, refresh });
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
    changes.listen((entry, state, body) => { if (entry.list === list && entry.items) this.told(entry, state, body); });
    for (const entry of changes.entries(list)) if (entry.items) this.show(entry);
    form.classList.add('live');
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

  put(items) {
    const id = Array.from(crypto.getRandomValues(new Uint8Array(16)), b => b.toString(16).padStart(2, '0')).join('');
    const entry = { list: this.list, id, items };
    this.show(entry);
    changes.add(entry);
  }

  show(entry) {
    const row = document.createElement('p');
    row.className = 'adding';
    row.dataset.key = entry.id;
    const text = document.createElement('bdi');
    text.textContent = entry.items.length > 1 ? `${entry.items.length} items` : entry.items[0].content;
    const state = document.createElement('span');
    state.className = 'state soft small';
    row.append(text, ' ', state);
    this.added.append(row);
    if (entry.failed) this.refuse(entry);
    else this.state(entry, 'Adding…');
  }

  row(entry) { return this.added.querySelector(`[data-key="${entry.id}"]`); }

  state(entry, ...parts) { this.row(entry)?.querySelector('.state').replaceChildren(...parts); }

  // told shows what the outbox tells about an entry.
  told(entry, state, body) {
    if (state === 'sent') this.done(entry, body);
    else if (state === 'failed') this.refuse(entry);
    else if (state === 'gone') this.row(entry)?.remove();
    else if (state === 'sending') this.state(entry, 'Adding…');
    else this.state(entry, body === 401 ? 'You are signed out. Sign in, and it is added.' : 'Not added yet. Trying again…');
  }

  async done(entry, body) {
    await this.refresh();
    const item = body?.item ?? body?.items?.at(-1);
    for (const el of this.added.querySelectorAll('[data-added]')) el.remove(); // one at a time
    this.row(entry)?.setAttribute('data-added', '');
    const numbers = (body?.items ?? [item]).map(i => i?.position + 1);
    const words = numbers.length > 1 ? `Added as numbers ${numbers[0]} to ${numbers.at(-1)}` : item ? `Added as number ${numbers[0]}` : 'Added';
    const link = document.createElement('a');
    link.textContent = words;
    link.href = item ? `/list/${this.list}?item=${item.id}#item-${item.id}` : '';
    if (document.getElementById('item-' + item?.id)) link.href = '#item-' + item.id;
    this.state(entry, link, body?.duplicate_of || body?.duplicates?.length ? '. The list has this link already.' : '.');
    setTimeout(() => this.row(entry)?.remove(), shown);
  }

  // refuse shows why an entry was not added, and what can be done.
  refuse(entry) {
    const leave = () => { changes.remove(entry); this.row(entry)?.remove(); this.box.focus(); };
    this.state(entry, entry.failed + ' ',
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

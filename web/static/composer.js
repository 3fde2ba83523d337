import { Files } from './files.js';

// Sending: a message appears on the page at once and goes to the server under
// one id, so that trying again never makes a second message.
export class Composer {
  // sent gets the id of each message that the server has.
  constructor(pane, messages, sent) {
    this.conversation = pane.dataset.conversation;
    this.messages = messages;
    this.sent = sent;
    this.form = pane.querySelector('#compose');
    this.box = this.form.elements.content;
    this.model = pane.querySelector('#new-message');
    this.files = new Files(pane, this.form);
    this.queue = Promise.resolve(); // one message after the other, in order
    this.draft = 'draft-' + this.conversation;
    this.box.value ||= sessionStorage.getItem(this.draft) ?? '';
    this.form.querySelector('#send-hint').hidden = false;
    this.form.addEventListener('submit', e => this.submit(e));
    this.box.addEventListener('keydown', e => this.key(e));
    this.box.addEventListener('input', () => { this.grow(); this.typing(); sessionStorage.setItem(this.draft, this.box.value); });
    messages.list.addEventListener('click', e => this.reply(e));
    this.form.querySelector('#replying a').addEventListener('click', e => { e.preventDefault(); this.answer(null); this.box.focus(); });
    addEventListener('online', () => { for (const b of messages.list.querySelectorAll('.failed .again')) b.click(); });
    this.grow();
    if (matchMedia('(hover: hover)').matches && !document.querySelector('.edit-form') && !location.hash) this.box.focus({ preventScroll: true });
  }

  grow() {
    if (CSS.supports('field-sizing', 'content')) return;
    this.box.style.height = 'auto';
    this.box.style.height = `${this.box.scrollHeight + 2}px`;
  }

  // typing lets the others see it, at most every three seconds.
  typing() {
    const now = Date.now();
    if (!this.box.value.trim() || now - (this.typed ?? 0) < 3000) return;
    this.typed = now;
    fetch(`/api/chat/conversations/${this.conversation}/typing`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }).catch(() => null);
  }

  key(e) {
    if (e.key !== 'Enter' || e.shiftKey || e.isComposing || matchMedia('(hover: none)').matches) return;
    e.preventDefault();
    this.form.requestSubmit();
  }

  reply(e) {
    const link = e.target.closest('a.reply');
    if (!link || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    const li = link.closest('li');
    this.answer({ id: li.dataset.id, name: li.querySelector('.who').textContent, text: li.querySelector('.bubble > .text').textContent });
    this.box.focus();
  }

  answer(to) {
    const bar = this.form.querySelector('#replying');
    bar.hidden = !to;
    this.form.elements.replyToId.value = to?.id ?? '';
    bar.querySelector('bdi').textContent = to?.name ?? '';
    bar.querySelector('[dir]').textContent = to?.text ?? '';
  }

  submit(e) {
    e.preventDefault();
    const content = this.box.value.trim();
    if (this.files.busy()) return this.files.wait(() => this.form.requestSubmit());
    const files = this.files.take();
    if (!content && !files.length) return;
    const bar = this.form.querySelector('#replying');
    const message = { id: newID(), content };
    if (files.length) message.attachments = files.map(({ id }) => ({ id }));
    if (this.form.elements.replyToId.value) message.replyToId = this.form.elements.replyToId.value;
    const li = this.row(message, bar.hidden ? null : bar, files);
    this.form.querySelector('#compose-error')?.remove();
    this.box.removeAttribute('aria-invalid');
    this.box.value = '';
    this.typed = 0;
    sessionStorage.removeItem(this.draft);
    this.answer(null);
    this.grow();
    this.messages.change(() => this.messages.list.append(li));
    this.messages.toEnd();
    this.enqueue(li, message);
  }

  // row fills the model of a message, which has every part that one can have.
  row({ id, content }, bar, files) {
    const li = this.model.content.querySelector('li').cloneNode(true);
    li.id = 'p-' + id;
    li.removeAttribute('data-id');
    li.removeAttribute('data-at');
    li.className = 'msg own sending';
    li.dataset.sender = document.body.dataset.me;
    for (const el of li.querySelectorAll('.msg-acts, .tag, .msg-foot > time')) el.remove();
    const quote = li.querySelector('.quote');
    if (bar) {
      quote.href = '#m-' + this.form.elements.replyToId.value;
      quote.querySelector('bdi').textContent = bar.querySelector('bdi').textContent;
      quote.querySelector('span').textContent = bar.querySelector('[dir]').textContent;
    } else quote.remove();
    const text = li.querySelector('.bubble > .text');
    text.textContent = content || files.map(f => f.name).join(', ');
    text.hidden = false;
    return li;
  }

  enqueue(li, message) {
    li.classList.replace('failed', 'sending');
    li.querySelector('.state').textContent = 'sending';
    this.queue = this.queue.then(() => this.send(li, message));
  }

  async send(li, message) {
    const response = await fetch(`/api/chat/conversations/${this.conversation}/messages`, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(message),
    }).catch(() => null);
    const body = await response?.json().catch(() => null);
    if (!response?.ok) return this.failed(li, message, response ? body?.error : 'No connection.');
    const state = li.querySelector('.state');
    state.textContent = 'sent';
    li.classList.remove('sending');
    if (!body?.id) { li.dataset.at = new Date().toISOString(); return; } // dropped: the other has blocked the sender
    const there = document.getElementById('m-' + body.id);
    if (there) return this.messages.change(() => li.remove());
    li.id = 'm-' + body.id;
    li.dataset.id = body.id;
    li.dataset.at = body.createdAt;
    li.dataset.local = ''; // until the server's own rendering replaces it
    this.sent(body.id);
  }

  failed(li, message, why) {
    li.classList.replace('sending', 'failed');
    const again = document.createElement('button');
    again.type = 'button';
    again.className = 'btn-link again';
    again.textContent = 'Try again';
    again.addEventListener('click', () => this.enqueue(li, message), { once: true });
    li.querySelector('.state').replaceChildren(`Not sent. ${why ?? ''} `, again);
  }
}

// newID is crypto.randomUUID, which browsers have over https only.
function newID() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = 0x40 | b[6] & 0x0f;
  b[8] = 0x80 | b[8] & 0x3f;
  const hex = Array.from(b, x => x.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

// The field for a message, and the messages that wait in the outbox.
import { send } from './call.js';
import { Files } from './files.js';
import { Names } from './names.js';
import { drop, keep, kept, keyOf } from './kept.js';
import { outbox } from './outbox.js';
import { newID } from './id.js';

const ownDraft = key => { try { return sessionStorage.getItem(key); } catch { return null; } };
const withMouse = () => matchMedia('(hover: hover)').matches;

export class Composer {
  // sent gets the id of each message that the server has, or that another tab
  // took out of the outbox.
  constructor(pane, messages, sent) {
    this.me = document.body.dataset.me;
    this.conversation = pane.dataset.conversation;
    this.messages = messages;
    this.sent = sent;
    this.form = pane.querySelector('#compose');
    this.box = this.form.elements.content;
    this.model = pane.querySelector('#new-message');
    this.files = new Files(pane, this.form);
    this.key = keyOf(this.me, 'draft', this.conversation);
    this.restore();
    this.form.querySelector('#send-hint').hidden = false;
    new Names(this.box, this.conversation); // before press, whose keys it takes while names are offered
    this.form.addEventListener('submit', e => this.submit(e));
    this.box.addEventListener('keydown', e => this.press(e));
    this.box.addEventListener('keyup', () => { this.pressed = false; });
    this.box.addEventListener('beforeinput', e => { if (this.pressed && e.inputType === 'insertLineBreak') e.preventDefault(); });
    this.box.addEventListener('input', () => { this.grow(); this.typing(); this.save(); });
    messages.list.addEventListener('click', e => this.reply(e));
    messages.list.addEventListener('keydown', e => { if (e.key === 'Escape' && !e.isComposing) e.target.closest('.edit-form')?.querySelector('a').click(); });
    this.form.querySelector('#replying a').addEventListener('click', e => { e.preventDefault(); this.answer(null); this.box.focus(); });
    addEventListener('storage', e => { if (e.key === this.key) this.follow(); });
    outbox.listen((entry, state, body) => { if (entry.conversation === this.conversation) this.show(entry, state, body); });
    this.showWaiting();
    this.grow();
    if (withMouse() && !document.querySelector('.edit-form, .marked') && !location.hash) this.box.focus({ preventScroll: true });
  }

  // drafts returns the conversation's kept drafts, the newest first: each tab may have
  // its own draft.
  drafts() { return [kept(this.key) ?? []].flat(); }

  // restore brings back what was typed here before, above what is typed already.
  restore() {
    const drafts = this.drafts(), typed = this.box.value;
    const draft = typed && drafts.find(d => d.content === typed) || drafts.find(d => d.id === ownDraft(this.key)) || drafts[0];
    if (!draft) return;
    if (typed !== draft.content) {
      if (typed && typed === this.box.defaultValue) return; // the server refused it
      this.box.value = [draft.content, typed].filter(Boolean).join('\n');
    }
    this.own(draft.id);
    this.changing = draft.changing;
    if (draft.reply && !this.form.elements.replyToId.value) this.answer(draft.reply);
    this.save();
  }

  // own notes which draft is that of this tab, also when it is loaded again.
  own(id) {
    this.draft = id || undefined;
    try { sessionStorage.setItem(this.key, id); } catch { /* it is turned off */ }
  }

  // follow shows what another tab that opened later made of the same draft, which is
  // gone once it is sent.
  follow() {
    const draft = this.drafts().find(d => d.id === this.draft);
    if (!this.draft || draft?.content === this.box.value) return;
    this.box.value = draft?.content ?? '';
    this.changing = draft?.changing;
    this.answer(draft?.reply ?? null);
    this.grow();
  }

  save() {
    const reply = this.replying(), content = this.box.value;
    const drafts = this.drafts().filter(d => d.id !== this.draft); // of other tabs
    this.own(content.trim() || reply ? this.draft ?? newID() : '');
    if (this.draft) drafts.unshift({ id: this.draft, content, reply, changing: this.changing });
    if (drafts.length) keep(this.key, drafts);
    else drop(this.key);
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
    send(`/api/chat/conversations/${this.conversation}/typing`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }).catch(() => null);
  }

  press(e) {
    if (e.isComposing || e.defaultPrevented) return;
    const act = e.key === 'Enter' && !e.shiftKey && withMouse() ? () => this.form.requestSubmit()
      : e.key === 'Escape' && this.replying() ? () => this.answer(null)
      : e.key === 'ArrowUp' && !this.box.value && !e.shiftKey ? () => this.editLast() : null;
    if (!act) return;
    e.preventDefault();
    this.pressed = true; // what the key would type must not get into the empty field
    act();
  }

  // editLast opens the last message of the person for editing.
  editLast() {
    const own = [...this.messages.list.querySelectorAll('.own')];
    own.findLast(li => li.querySelector('.rewrite, a.edit'))?.querySelector('.rewrite, a.edit').click();
  }

  reply(e) {
    const link = e.target.closest('a.reply');
    if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
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
    this.save();
  }

  // replying returns what the next message answers, or null.
  replying() {
    const bar = this.form.querySelector('#replying'), id = this.form.elements.replyToId.value;
    return id ? { id, name: bar.querySelector('bdi').textContent, text: bar.querySelector('[dir]').textContent } : null;
  }

  submit(e) {
    e.preventDefault();
    const content = this.box.value.trim();
    if (this.files.busy()) return this.files.wait(() => this.form.requestSubmit());
    const files = this.files.take();
    if (!content && !files.length) return;
    const reply = this.replying();
    const entry = { conversation: this.conversation, id: this.changing ?? newID(), content, reply, replyToId: reply?.id };
    if (this.changing) entry.changed = true;
    if (files.length) entry.attachments = files.map(({ id, name }) => ({ id, name }));
    this.form.querySelector('#compose-error')?.remove();
    this.box.removeAttribute('aria-invalid');
    this.box.value = '';
    this.changing = undefined;
    this.typed = 0;
    this.answer(null);
    this.grow();
    this.box.focus();
    if (this.messages.latest) {
      this.messages.change(() => this.messages.list.append(this.row(entry)));
      this.messages.toEnd();
    }
    outbox.add(entry);
    if (!this.messages.latest) location.assign(`/chat/${this.conversation}?newest=1`); // where it appears
  }

  // showWaiting adds what waits in the outbox to the messages.
  showWaiting() {
    if (!this.messages.latest) return;
    for (const entry of outbox.entries(this.conversation)) {
      const there = document.getElementById('m-' + entry.id);
      if (there && !entry.changed) outbox.remove(entry); // only its response was lost
      else if ((!there || entry.failed) && !document.getElementById('p-' + entry.id)) {
        this.messages.change(() => this.messages.list.append(this.row(entry)));
        this.show(entry, entry.failed ? 'failed' : 'waiting');
      }
    }
  }

  // row fills the model of a message, which has every part that one can have.
  row({ id, content, reply, attachments }) {
    const li = this.model.content.querySelector('li').cloneNode(true);
    li.id = 'p-' + id;
    li.removeAttribute('data-id');
    li.removeAttribute('data-at');
    li.className = 'msg own sending';
    li.dataset.sender = this.me;
    for (const el of li.querySelectorAll('.msg-acts, .tag, .msg-foot > time')) el.remove();
    const quote = li.querySelector('.quote');
    if (reply) {
      quote.href = `/chat/${this.conversation}?at=${reply.id}#m-${reply.id}`;
      quote.dataset.message = reply.id;
      quote.querySelector('bdi').textContent = reply.name;
      quote.querySelector('span').textContent = reply.text;
    } else quote.remove();
    const text = li.querySelector('.bubble > .text');
    text.textContent = content || attachments.map(f => f.name).join(', ');
    text.hidden = false;
    li.querySelector('.state').textContent = 'sending';
    return li;
  }

  // show shows what the outbox tells about a message.
  show(entry, state, body) {
    let li = document.getElementById('p-' + entry.id);
    if (state === 'sent') return this.arrived(li, body);
    if (!li && state === 'failed' && this.messages.latest) { // a correction, while the page has what it corrects
      li = this.row(entry);
      this.messages.change(() => this.messages.list.append(li));
    }
    if (!li) return;
    if (state === 'gone') { // another tab has sent or cancelled it
      this.messages.change(() => li.remove());
      return this.sent(entry.id);
    }
    li.classList.remove('sending', 'waiting', 'failed');
    li.classList.add(state);
    const shown = li.querySelector('.state');
    if (state === 'sending') { shown.textContent = 'sending'; return; }
    const act = (name, label, call) => {
      const button = Object.assign(document.createElement('button'), { type: 'button', className: 'btn-link ' + name, textContent: label });
      button.addEventListener('click', call);
      return button;
    };
    shown.replaceChildren(state === 'failed' ? `Not sent. ${entry.failed} ` : 'Waiting for a connection ',
      act('again', 'Try again', () => outbox.again(entry)), ' ', act('rewrite', 'Edit', () => this.change(entry)), ' ',
      act('cancel', 'Cancel', () => this.cancel(entry)));
    if (entry.attachments) shown.querySelector('.rewrite').remove(); // the field cannot take files back
    this.messages.change(() => {});
  }

  cancel(entry) {
    outbox.remove(entry);
    this.messages.change(() => document.getElementById('p-' + entry.id)?.remove());
    this.box.focus();
  }

  // change brings a message back into the field. It keeps its id: if the server
  // has it after all, it is edited there.
  change(entry) {
    if (this.box.value.trim()) return this.box.focus(); // first what is typed there
    this.cancel(entry);
    this.box.value = entry.content;
    this.changing = entry.failed ? undefined : entry.id;
    this.answer(entry.reply ?? null);
    this.grow();
    this.box.setSelectionRange(entry.content.length, entry.content.length);
  }

  // arrived handles a message that the server has.
  arrived(li, body) {
    if (!li) return;
    li.classList.remove('sending', 'waiting', 'failed');
    li.querySelector('.state').textContent = 'sent';
    if (!body?.id) { li.dataset.at = new Date().toISOString(); return; } // dropped: the other has blocked the sender
    if (document.getElementById('m-' + body.id)) return this.messages.change(() => li.remove());
    li.id = 'm-' + body.id;
    li.dataset.id = body.id;
    li.dataset.at = body.createdAt;
    li.dataset.local = ''; // until the server's own rendering replaces it
    this.sent(body.id);
  }
}

// Reactions without loading the page again.
import { send } from './call.js';

export class Reactions {
  // changed gets the id of each message whose reactions changed.
  constructor(messages, changed) {
    this.messages = messages;
    this.changed = changed;
    this.model = document.getElementById('picker');
    messages.list.addEventListener('submit', e => this.submit(e));
    messages.list.addEventListener('click', e => this.click(e));
    messages.list.addEventListener('keydown', e => { if (e.key === 'Escape') this.close(); });
  }

  // click opens the choice below a message, or closes it.
  click(e) {
    const link = e.target.closest('.react-ask, .picker a');
    if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    const li = link.closest('li[data-id]');
    const open = li.querySelector('.picker');
    this.close();
    if (open) return;
    this.messages.change(() => li.querySelector('.msg-foot').before(this.model.content.cloneNode(true)));
    const picker = li.querySelector('.picker');
    picker.scrollIntoView({ block: 'nearest' });
    const focus = () => { if (picker.isConnected && !picker.contains(document.activeElement)) picker.querySelector('button').focus(); };
    if (e.detail) return focus();
    // A key that opened it would press the button, too, before it is released.
    // Assistive technology presses no key.
    document.addEventListener('keyup', focus, { once: true });
    setTimeout(focus, 500);
  }

  close() {
    const open = this.messages.list.querySelector('.picker');
    if (!open) return;
    const link = open.closest('li').querySelector('.react-ask');
    this.messages.change(() => open.remove());
    if (document.activeElement === document.body) link?.focus();
  }

  async submit(e) {
    const form = e.target, button = e.submitter;
    if (!form.matches('.reacts, .picker') || !button) return;
    e.preventDefault();
    const id = form.closest('li[data-id]').dataset.id;
    const address = `/api/chat/messages/${id}/reactions`;
    const init = button.name === 'remove' ? { method: 'DELETE' } :
      { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ emoji: button.value }) };
    const res = await send(button.name === 'remove' ? `${address}/${encodeURIComponent(button.value)}` : address, init).catch(() => null);
    if (!res?.ok) {
      // The page of the server says what is wrong.
      form.append(Object.assign(document.createElement('input'), { type: 'hidden', name: button.name, value: button.value }));
      form.action = `/chat/${this.messages.conversation}/message/${id}/react`;
      return HTMLFormElement.prototype.submit.call(form);
    }
    if (form.matches('.picker') && form.isConnected) this.close();
    this.changed(id);
  }
}

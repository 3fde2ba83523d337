// The Stream of the conversation on the page follows what happens.
import { fetchPage } from './live.js';
import { localise } from './times.js';

const pause = 300; // to wait for further changes, in ms

export class Panel {
  constructor(root) {
    this.root = root;
    this.address = root.dataset.stream;
    this.conversation = this.address.split('/')[2];
    root.addEventListener('submit', e => this.submit(e));
  }

  // handle takes an event of the stream of the person.
  handle(name, data) {
    const mine = !this.conversation || data?.conversationId === this.conversation; // My notes are of all conversations
    const message = mine && name.startsWith('message.') && (name !== 'message.created' || data.tagged);
    if (message || mine && name === 'stream.updated' || name === 'thought.updated' || name === 'resync') this.later();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.read(), pause);
  }

  get query() {
    const tag = this.root.dataset.tag;
    return tag ? '?tag=' + encodeURIComponent(tag) : '';
  }

  async read() {
    if (new URLSearchParams(location.search).has('until')) return;
    const { page } = await fetchPage(this.address + this.query);
    if (page) this.show(page);
  }

  show(page) {
    const now = page.getElementById('stream');
    if (!now) return;
    const at = this.place();
    this.root.replaceChildren(...document.adoptNode(now).childNodes);
    localise(this.root);
    if (at) this.root.querySelector(`#${at.id} .entry-acts :is(button, a):nth-of-type(1)`)?.focus();
  }

  // place returns the entry with the focus.
  place() { return this.root.contains(document.activeElement) ? document.activeElement.closest('.entry') : null; }

  // The forms of entries are sent without leaving the page.
  async submit(e) {
    const form = e.target;
    if (!form.closest('.entry')) return;
    e.preventDefault();
    const body = new URLSearchParams(new FormData(form, e.submitter));
    const res = await fetch(form.action, { method: 'POST', body }).catch(() => null);
    if (!res?.ok) return HTMLFormElement.prototype.submit.call(form);
    this.later();
  }
}

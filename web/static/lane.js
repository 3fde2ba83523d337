// The Context lane of a conversation, beside the messages or on a page of its
// own. It follows the events of the lane, which come on a stream of their own, and
// sends its forms without leaving the page. It makes no sound and shows no count.
import { fetchPage, follow } from './live.js';
import { localise } from './times.js';

const names = ['context.updated', 'resync'];
const pause = 300; // to wait for further changes, in ms
const begun = '.lane-edit, .lane-sure, .lane-report[open]'; // what is begun in posts

export class Lane {
  constructor(root) {
    this.root = root;
    this.address = location.pathname === root.dataset.lane ? root.dataset.lane + location.search : root.dataset.lane;
    root.addEventListener('submit', e => this.submit(e));
    root.addEventListener('click', e => this.click(e));
    follow(root.dataset.events, names, () => this.later(), document.body.dataset.position);
  }

  // handle takes an event of the stream of the person.
  handle(name) {
    if (name === 'resync' || name === 'stream.updated' || name === 'thought.updated') this.later();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.read(), pause);
  }

  // read shows the posts as they are now, unless one of them is being edited or
  // deleted, or earlier ones are shown.
  async read() {
    if (this.address.includes('cursor=') || this.busy()) return;
    const { page } = await fetchPage(this.address);
    const now = page?.getElementById('lane-items');
    if (!now || this.busy()) return;
    const items = this.root.querySelector('#lane-items');
    const at = items.contains(document.activeElement) && document.activeElement.closest('.entry')?.id;
    items.replaceChildren(...document.adoptNode(now).childNodes);
    localise(items);
    if (at) document.getElementById(at)?.querySelector('.entry-acts :is(a, button)')?.focus();
  }

  busy() { return this.root.querySelector(begun); }

  // show puts the lane of a page, the answer to a form or a link, in the place of this
  // one. What was typed for a new post stays, unless that was sent, and so do other
  // posts that are being edited or deleted. The focus goes to an element of the page,
  // unless what has it stays.
  show(page, from, focus, sent) {
    const now = page?.getElementById('lane');
    if (!now) return false;
    const typed = this.root.querySelector('#lane-text').value;
    const open = [...this.root.querySelectorAll(begun)].map(el => el.closest('.entry')).filter(li => !li.contains(from));
    const active = document.activeElement, wanted = now.querySelector(focus);
    this.root.replaceChildren(...document.adoptNode(now).childNodes);
    localise(this.root);
    for (const li of open) {
      const same = document.getElementById(li.id);
      if (same) same.replaceWith(li);
      else this.root.querySelector('#lane-items').prepend(li);
    }
    const field = this.root.querySelector('#lane-text');
    if (typed && typed !== sent) field.value = typed;
    (active.isConnected ? active : document.getElementById(active.id))?.focus();
    if (document.activeElement === document.body) wanted?.focus();
    return true;
  }

  async click(e) {
    const link = e.target.closest('a[data-here]');
    if (!link || e.metaKey || e.ctrlKey || e.shiftKey) return;
    e.preventDefault();
    const { page } = await fetchPage(link.href);
    if (!this.show(page, link, '[autofocus]')) return location.assign(link.href);
    const address = new URL(link.href);
    for (const name of ['edit', 'reply', 'delete']) address.searchParams.delete(name);
    this.address = address.pathname + address.search;
  }

  async submit(e) {
    const form = e.target;
    e.preventDefault();
    const body = new URLSearchParams(new FormData(form, e.submitter));
    return form.method === 'get' ? this.filter(form, body) : this.post(form, body);
  }

  async filter(form, body) {
    const address = form.getAttribute('action') + '?' + body;
    const { page } = await fetchPage(address);
    if (!this.show(page, form, '#lane-q')) return location.assign(address);
    this.address = address;
  }

  async post(form, body) {
    const written = form.matches('#lane-post') ? form.elements.text.value : undefined;
    const res = await fetch(form.action, { method: 'POST', body, headers: { Accept: 'text/html' } }).catch(() => null);
    const text = await res?.text().catch(() => null);
    const page = text && new DOMParser().parseFromString(text, 'text/html');
    const sent = res?.ok ? written : undefined;
    if (!page || !this.show(page, form, sent ? '#lane-text' : '[autofocus]', sent)) return HTMLFormElement.prototype.submit.call(form);
    const apart = this.root.querySelector('[data-apart]'); // what was changed, and is not among the newest
    this.address = this.root.dataset.lane + (apart ? '?at=' + apart.id.slice(2) : '');
  }
}

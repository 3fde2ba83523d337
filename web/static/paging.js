// The parts of a conversation before and after those on the page. They load by
// themselves as the reader comes near; without scripts they are links.
import { fetchPage } from './live.js';

const near = '400px 0px'; // of the edge of what is shown

export class Paging {
  // reached is called when the newest message is on the page.
  constructor(pane, messages, reached) {
    this.pane = pane;
    this.messages = messages;
    this.reached = reached;
    this.older = pane.querySelector('.older');
    this.newer = pane.querySelector('.newer');
    this.observer = new IntersectionObserver(entries => {
      for (const e of entries) if (e.isIntersecting) this.load(e.target);
    }, { root: messages.scroll, rootMargin: near });
    for (const bar of [this.older, this.newer]) {
      bar.addEventListener('click', e => this.click(e, bar));
      this.observer.observe(bar);
    }
    messages.cleared = page => this.takeOver(this.older, page);
    messages.list.addEventListener('click', e => this.toQuoted(e));
    messages.list.addEventListener('click', e => this.copy(e));
  }

  async click(e, bar) {
    const link = e.target.closest('a[data-part]');
    if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    if (!await this.load(bar)) location.assign(link.href);
  }

  // load adds the part that a bar leads to and reports whether it could be read.
  async load(bar) {
    const link = bar.querySelector('a[data-part]');
    if (!link || this.loading) return true;
    this.loading = true;
    link.setAttribute('aria-disabled', 'true');
    const { page } = await fetchPage(link.getAttribute('href'));
    this.loading = false;
    link.removeAttribute('aria-disabled');
    if (!page) return false;
    this.messages.change(() => {
      const rows = [...page.querySelectorAll('#messages > li:is([data-id], .change)')].filter(li => !li.id || !document.getElementById(li.id)).map(li => document.adoptNode(li));
      if (bar === this.older) this.messages.list.prepend(...rows);
      else this.messages.list.append(...rows);
    }, false);
    this.takeOver(bar, page);
    this.observer.unobserve(bar);
    this.observer.observe(bar); // it may still be near
    if (bar === this.newer && 'latest' in page.querySelector('.pane').dataset) {
      this.pane.dataset.latest = '';
      this.messages.latest = true;
      this.reached();
    }
    return true;
  }

  takeOver(bar, page) {
    bar.replaceChildren(...page.querySelector(bar === this.older ? '.older' : '.newer').childNodes);
  }

  // toQuoted goes to a message that is quoted, if it is on the page.
  toQuoted(e) {
    const link = e.target.closest('a.quote');
    const li = link && document.getElementById('m-' + link.dataset.message);
    if (!li || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    for (const marked of this.messages.list.querySelectorAll('.marked')) marked.classList.remove('marked');
    li.classList.add('marked');
    li.focus({ preventScroll: true });
    li.scrollIntoView({ block: 'center' });
  }

  // copy copies the address of a message.
  async copy(e) {
    const link = e.target.closest('a.link');
    if (!link || !navigator.clipboard || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    await navigator.clipboard.writeText(link.href);
    link.textContent = 'Copied';
    setTimeout(() => { link.textContent = 'Copy link'; }, 2000);
  }
}

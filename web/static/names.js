// The members of a conversation whose names are offered while "@" and letters are
// typed in a field for a message.
import { call } from './call.js';

const typed = /(?:^|[^\p{Ll}\p{Lu}\p{N}@/\\+=%&-])@([^@\s][^@\n]{0,60})?$/u; // up to the caret
const pause = 80;                                                               // while somebody types, in ms

export class Names {
  constructor(box, conversation) {
    Object.assign(this, { box, conversation, people: [], chosen: 0, latest: 0 });
    this.list = document.createElement('ul');
    this.list.className = 'names';
    this.list.id = `${box.id}-names`;
    this.list.hidden = true;
    this.list.setAttribute('role', 'listbox');
    this.list.setAttribute('aria-label', 'People to mention');
    box.before(this.list);
    box.setAttribute('aria-autocomplete', 'list');
    box.setAttribute('aria-haspopup', 'listbox');
    box.setAttribute('aria-controls', this.list.id);
    box.setAttribute('autocomplete', 'off');
    box.addEventListener('input', () => this.typed());
    box.addEventListener('click', () => this.typed());
    box.addEventListener('keydown', e => this.press(e));
    box.addEventListener('keyup', () => { this.pressed = false; });
    box.addEventListener('beforeinput', e => { if (this.pressed && e.inputType === 'insertLineBreak') e.preventDefault(); });
    box.addEventListener('blur', () => this.close());
    this.list.addEventListener('pointerdown', e => e.preventDefault()); // the field keeps the focus
    this.list.addEventListener('click', e => {
      const option = e.target.closest('li');
      if (option) this.take([...this.list.children].indexOf(option));
    });
  }

  // query returns where "@" is and what is typed behind it, or null.
  query() {
    const { selectionStart: end, selectionEnd, value } = this.box;
    const m = end === selectionEnd && value.slice(0, end).match(typed);
    if (!m) return null;
    const q = m[1] ?? '';
    return { q, start: end - q.length - 1, end };
  }

  typed() {
    const at = this.query();
    if (at?.start !== this.at?.start) this.close();
    this.at = at; // which may be longer than what the names were found for
    clearTimeout(this.timer);
    const mine = ++this.latest;
    if (at?.start !== this.nobody?.start) this.nobody = null;
    if (!at || this.isNobody(at)) return this.close();
    this.timer = setTimeout(() => this.find(at, mine), pause);
  }

  // isNobody reports whether nobody has a name that begins with what is typed,
  // because nobody had one that begins with less.
  isNobody({ q, start }) { return this.nobody?.start === start && q.startsWith(this.nobody.q); }

  async find(at, mine) {
    const { status, body } = await call('GET', `/api/chat/conversations/${this.conversation}/mentionable?q=${encodeURIComponent(at.q)}`);
    if (mine !== this.latest || status !== 200 || document.activeElement !== this.box) return;
    if (!body.people.length) { this.nobody = at; return this.close(); }
    this.nobody = null;
    this.people = body.people;
    this.list.replaceChildren(...this.people.map((p, i) => this.option(p, i)));
    this.list.hidden = false;
    this.choose(0);
  }

  option({ name, avatarUrl }, i) {
    const li = document.createElement('li');
    li.id = `${this.list.id}-${i}`;
    li.setAttribute('role', 'option');
    const face = document.createElement('span');
    face.className = 'avatar avatar-s';
    face.setAttribute('aria-hidden', 'true');
    if (avatarUrl?.startsWith('/')) face.append(Object.assign(new Image(30, 30), { src: avatarUrl, alt: '' }));
    else face.textContent = (name.match(/[\p{L}\p{N}]/u)?.[0] ?? '·').toUpperCase();
    const label = document.createElement('bdi');
    label.textContent = name;
    li.append(face, label);
    return li;
  }

  choose(i) {
    this.chosen = (i + this.people.length) % this.people.length;
    for (const [n, li] of [...this.list.children].entries()) li.setAttribute('aria-selected', String(n === this.chosen));
    const li = this.list.children[this.chosen];
    this.box.setAttribute('aria-activedescendant', li.id);
    li.scrollIntoView({ block: 'nearest' });
  }

  press(e) {
    if (this.list.hidden || e.isComposing) return;
    const plain = !e.shiftKey && !e.ctrlKey && !e.altKey && !e.metaKey;
    const act = !plain ? null
      : e.key === 'ArrowDown' ? () => this.choose(this.chosen + 1)
      : e.key === 'ArrowUp' ? () => this.choose(this.chosen - 1)
      : e.key === 'Enter' || e.key === 'Tab' ? () => this.take(this.chosen)
      : e.key === 'Escape' ? () => { this.nobody = this.at; this.close(); } : null;
    if (!act) return;
    e.preventDefault();
    this.pressed = true; // what the key would type must not get into the text
    act();
  }

  // take puts a name into the text.
  take(i) {
    const { start, end } = this.at, text = `@${this.people[i].name} `;
    this.nobody = { q: text.slice(1), start };
    this.box.setRangeText(text, start, end, 'end');
    this.box.dispatchEvent(new Event('input', { bubbles: true }));
    this.box.focus();
  }

  close() {
    this.latest++;
    clearTimeout(this.timer);
    this.list.hidden = true;
    this.box.removeAttribute('aria-activedescendant');
  }
}

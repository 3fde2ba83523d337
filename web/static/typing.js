// Who is typing: each for five seconds after their last event, or until their
// message arrives.
const stays = 5000;

export class Typing {
  constructor(pane) {
    this.conversation = pane.dataset.conversation;
    this.line = pane.querySelector('#typing');
    this.who = new Map();
  }

  // handle takes an event of the stream.
  handle(name, data) {
    if (data?.conversationId !== this.conversation) return;
    if (name === 'message.created') this.remove(data.senderId);
    if (name !== 'typing') return;
    clearTimeout(this.who.get(data.userId)?.timer);
    this.who.set(data.userId, { name: data.name, timer: setTimeout(() => this.remove(data.userId), stays) });
    this.show();
  }

  remove(id) {
    clearTimeout(this.who.get(id)?.timer);
    if (this.who.delete(id)) this.show();
  }

  show() {
    const names = [...this.who.values()].map(w => w.name);
    this.line.hidden = !names.length;
    const bdi = document.createElement('bdi');
    bdi.textContent = names.length > 2 ? 'Several people' : names.join(' and ');
    this.line.replaceChildren(bdi, names.length > 1 ? ' are typing…' : ' is typing…');
  }
}

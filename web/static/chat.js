// A chat page that stays up to date: messages appear as they are sent, the
// column follows, and readers are never moved from where they read.
import { announce, fetchPage, listen } from './live.js';
import { countMessage, fetchUnread, showUnread, takeUnread, unread } from './unread.js';
import { putMessage, putRows, removeRow, replaceColumn, showRead } from './column.js';
import { messageOf, Messages } from './messages.js';
import { Paging } from './paging.js';
import { Reading } from './reading.js';
import { connected } from './connection.js';
import { released } from './press.js';
import { Composer } from './composer.js';
import { Typing } from './typing.js';
import { Updates, most } from './updates.js';
import { Reactions } from './reactions.js';
import { Lane } from './lane.js';
import { Panel } from './panel.js';
import { openViewer } from './viewer.js';
import { inboxEvent } from './inbox.js';

const pause = 20; // to wait for further messages that the stream brings, in ms
const me = document.body.dataset.me;

export function start() {
  const pane = document.querySelector('.pane[data-conversation]');
  const current = pane?.dataset.conversation ?? '';
  const messages = pane && new Messages(pane, me);
  const reading = pane && new Reading(pane, messages);
  const typing = pane && new Typing(pane);
  // The details of a conversation mark its row, too.
  const marked = current || document.querySelector('#conversations li:has([aria-current])')?.dataset.conversation;
  const updates = new Updates(marked, { apply, refused: status => status === 409 || location.reload(), tooMany: catchUp });

  function apply(page) {
    putRows([...page.querySelectorAll('ul > li[data-conversation]')]);
    takeUnread(page);
    replaceHead(page);
    if (messages?.latest) messages.putChanges([...page.querySelectorAll('ol.changes > .change')]);
    if (messages) shown(messages.put([...page.querySelectorAll('ol:not(.changes) > li[data-id]')]));
  }

  // What the stream says about messages is put on the page soon: not while another
  // page is being read, which may be from before it, or a pointer is down.
  const brought = new Map();
  let soon;
  function bring(name, event) {
    const before = brought.get(event.id);
    if (updates.requested.messages.has(event.id)) updates.add(current, event.id); // it may be read as it was
    brought.set(event.id, { ...event, created: name === 'message.created' || before?.created, row: name !== 'reaction.updated' || before?.row });
    soon ??= setTimeout(put, pause);
  }

  // put shows them. A message that has changed may not be on the page, and a row that
  // is being read may be from before.
  async function put() {
    await released();
    soon = undefined;
    if (running || !brought.size) return;
    if (brought.size > most) return catchUp();
    const events = [...brought.values()];
    brought.clear();
    for (const event of events.filter(e => e.row)) {
      if (updates.running || !putMessage(event)) updates.add(event.conversationId);
      if (event.created) countMessage(event);
    }
    const here = events.filter(e => e.conversationId === current && (e.created && messages?.latest || document.getElementById('m-' + e.id)));
    if (here.length) shown(messages.put(here.map(e => messageOf(e.html))));
  }

  function replaceHead(page) {
    const head = page.querySelector('.pane-head');
    if (head && pane) pane.querySelector('.pane-head').replaceWith(document.adoptNode(head));
  }

  // catchUp reads the whole page again, after events were missed, and once more if
  // others are missed meanwhile.
  let running = false, again = false;
  async function catchUp() {
    again = running;
    if (running) return;
    running = true;
    if (brought.size > most) brought.clear(); // the page has them
    updates.hold();
    const address = pane ? `/chat/${current}?newest=1` : '/chat' + location.search;
    const { status, page } = await fetchPage(address);
    if (page) await released();
    running = false;
    if (status === 401 || status === 404) return location.reload();
    if (status === 409) return; // another account is signed in
    if (!page) return setTimeout(catchUp, 2000 + Math.random() * 2000);
    updates.release();
    put();
    replaceColumn(page);
    replaceHead(page);
    if (messages?.latest) shown(messages.merge(page));
    reading?.from(page.querySelector('.pane'));
    if (again) catchUp();
  }

  // shown announces messages of others that were added.
  function shown(added) {
    const last = added.at(-1);
    if (!last) return;
    const card = last.matches('.msg-card') && last.textContent.trim().replace(/\s+/g, ' ');
    announce(card || `${last.querySelector('.who')?.textContent ?? ''}: ${last.querySelector('.text')?.textContent || 'sent a file'}`);
    reading.arrived(added);
  }

  function messageEvent(name, event) {
    const { conversationId, id, senderId } = event;
    if (name === 'message.created' && conversationId === current && messages && !messages.latest && senderId !== me && !document.getElementById('m-' + id)) reading.arrived([], 1);
    bring(name, event);
  }

  // Who the conversation is with came, went or changed.
  function presenceEvent({ user }) {
    if (current && pane.querySelector('.pane-head').dataset.person === user?.id) updates.addHead();
  }

  // redactedEvent reads again what is shown of the conversation: some messages
  // are deleted now, and nobody knows which.
  function redactedEvent({ conversationId }) {
    if (conversationId !== current || !messages) return updates.add(conversationId);
    const rows = messages.list.querySelectorAll('li[data-id]');
    if (rows.length > most) return location.reload();
    again ||= running;
    for (const id of [...updates.requested.messages, ...brought.keys(), ...[...rows].map(li => li.dataset.id)]) updates.add(current, id);
  }

  function conversationEvent({ conversationId, removed }) {
    if (conversationId === current) return removed ? location.reload() : updates.addHead();
    if (!removed) return updates.add(conversationId);
    removeRow(conversationId);
  }

  function participantEvent({ conversationId }) {
    if (conversationId === current) updates.addHead();
  }

  function readEvent({ conversationId, unreadCount, mentioned }) {
    if (conversationId === current) reading.readElsewhere(unreadCount);
    // What is being read has the number of all that is unread, perhaps from before.
    if (running || updates.running) updates.add(conversationId);
    else showRead(conversationId, unreadCount, mentioned);
  }

  // read reads a message that was sent or changed here, unless the stream brings it.
  let open = false;
  function read(id) { if (!open && !brought.has(id) && !updates.has(id)) updates.add(current, id); }

  messages?.list.addEventListener('click', openViewer);
  messages?.list.addEventListener('loadedmetadata', e => showDuration(e.target), true);
  for (const audio of messages?.list.querySelectorAll('audio') ?? []) showDuration(audio);
  const composer = messages && new Composer(pane, messages, read);
  if (messages) new Paging(pane, messages, () => { composer.showWaiting(); catchUp(); });
  if (messages) new Reactions(messages, read);
  const root = document.getElementById('stream');
  const panel = root && new Panel(root);
  const laneRoot = document.getElementById('lane');
  const lane = laneRoot && new Lane(laneRoot);
  showUnread(unread());
  listen(me, ({ name, data }) => {
    inboxEvent(name);
    typing?.handle(name, data);
    panel?.handle(name, data);
    lane?.handle(name);
    if (name.startsWith('message.') || name === 'reaction.updated') messageEvent(name, data);
    else if (name === 'messages.redacted') redactedEvent(data);
    else if (name === 'conversation.updated') conversationEvent(data);
    else if (name === 'participant.updated') participantEvent(data);
    else if (name === 'read.updated') readEvent(data);
    else if (name === 'presence') presenceEvent(data);
    else if (name === 'resync') catchUp();
    else if (name === 'closed') fetchUnread();
  }, up => {
    open = up;
    connected(up, () => !running && !brought.size && updates.idle());
    if (up) reading?.save();
  });
}

// showDuration leaves the duration of a recording to its player, once that knows
// it: what a browser has recorded may not say it.
function showDuration(audio) {
  const shown = audio.nextElementSibling;
  if (shown?.matches('.file-duration')) shown.hidden = audio.readyState > 0 && Number.isFinite(audio.duration);
}

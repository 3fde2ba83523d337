// Files for the next message: picked, dropped, pasted or recorded, and uploaded at
// once, so that sending only names them.
const most = 10;
const largest = 20 << 20; // bytes
const longest = 600; // seconds of a recording

export class Files {
  constructor(pane, form) {
    this.list = form.querySelector('#attached');
    this.input = form.querySelector('#files');
    this.entries = []; // { name, id, request, li }
    this.waiting = null;
    this.input.addEventListener('change', () => { this.add(this.input.files); this.input.value = ''; });
    form.elements.content.addEventListener('paste', e => {
      if (!e.clipboardData?.files.length) return;
      e.preventDefault();
      this.add(e.clipboardData.files);
    });
    pane.addEventListener('dragover', e => {
      if (!e.dataTransfer?.types.includes('Files')) return;
      e.preventDefault();
      pane.classList.add('dropping');
    });
    pane.addEventListener('dragleave', e => { if (!pane.contains(e.relatedTarget)) pane.classList.remove('dropping'); });
    pane.addEventListener('drop', e => {
      pane.classList.remove('dropping');
      if (!e.dataTransfer?.files.length) return;
      e.preventDefault();
      this.add(e.dataTransfer.files);
    });
    this.offerRecording(form.querySelector('#record'));
  }

  busy() { return this.entries.some(f => !f.id && !f.failed); }

  // wait calls fn once every upload has ended.
  wait(fn) { this.waiting = fn; }

  // take returns the uploaded files and empties the list.
  take() {
    const done = this.entries.filter(f => f.id);
    for (const f of this.entries) f.li.remove();
    this.entries = [];
    this.list.hidden = true;
    return done;
  }

  add(files) {
    const room = most - this.entries.filter(f => !f.failed).length;
    for (const file of [...files].slice(0, room)) this.upload(file, file.name || 'file');
    if (files.length > room) this.refuse('More files', `A message can have at most ${most} files. Send the others with another message.`);
  }

  // refuse shows why something is not attached.
  refuse(name, why) { this.fail(this.entry(name), why); }

  // entry adds a row to the list.
  entry(name) {
    const entry = { name, id: '', failed: false, li: document.createElement('li') };
    const label = document.createElement('bdi');
    label.className = 'one-line';
    label.textContent = name;
    const remove = document.createElement('button');
    remove.type = 'button';
    remove.className = 'btn-link small';
    remove.textContent = 'Remove';
    remove.setAttribute('aria-label', 'Remove ' + name);
    remove.addEventListener('click', () => this.remove(entry));
    entry.li.append(label, remove);
    this.list.append(entry.li);
    this.list.hidden = false;
    this.entries.push(entry);
    return entry;
  }

  upload(file, name) {
    if (file.size > largest) return this.refuse(name, 'The file is larger than 20 MB. Choose a smaller one.');
    const entry = this.entry(name);
    const bar = document.createElement('progress');
    bar.max = 1;
    bar.value = 0;
    bar.setAttribute('aria-label', 'Uploading ' + name);
    entry.li.firstElementChild.after(bar);
    this.send(entry, file, bar);
  }

  // send uses XMLHttpRequest, because fetch does not tell how far it is.
  send(entry, file, bar) {
    const body = new FormData();
    body.append('file', file, entry.name);
    const x = entry.request = new XMLHttpRequest();
    x.open('POST', '/api/chat/attachments');
    x.setRequestHeader('X-Hearth-Me', document.body.dataset.me);
    x.responseType = 'json';
    x.upload.addEventListener('progress', e => { if (e.lengthComputable) bar.value = e.loaded / e.total; });
    x.addEventListener('loadend', () => {
      bar.remove();
      if (x.status === 201) entry.id = x.response.id;
      else if (this.entries.includes(entry)) this.fail(entry, x.response?.error ?? 'No connection.');
      this.ended();
    });
    x.send(body);
  }

  fail(entry, why) {
    entry.failed = true;
    const p = document.createElement('span');
    p.className = 'error';
    p.setAttribute('role', 'alert');
    p.textContent = why;
    entry.li.append(p);
  }

  remove(entry) {
    entry.request?.abort();
    this.entries = this.entries.filter(f => f !== entry);
    entry.li.remove();
    this.list.hidden = !this.entries.length;
    this.ended();
  }

  ended() {
    if (this.busy() || !this.waiting) return;
    const fn = this.waiting;
    this.waiting = null;
    if (!this.entries.some(f => f.failed)) fn();
  }

  // offerRecording shows the button where the browser can record.
  offerRecording(button) {
    const type = ['audio/webm;codecs=opus', 'audio/mp4'].find(t => globalThis.MediaRecorder?.isTypeSupported(t));
    if (!type || !navigator.mediaDevices?.getUserMedia) return;
    button.hidden = false;
    button.addEventListener('click', () => this.recorder ? this.recorder.stop() : this.record(button, type));
  }

  async record(button, type) {
    if (this.asking) return;
    this.asking = true;
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true }).catch(() => null);
    this.asking = false;
    if (!stream) return this.refuse('Voice note', 'The microphone cannot be used. Allow it for this site, then try again.');
    const recorder = this.recorder = new MediaRecorder(stream, { mimeType: type });
    const parts = [];
    const sign = button.lastElementChild, start = Date.now();
    const seconds = () => Math.floor((Date.now() - start) / 1000);
    const tick = setInterval(() => {
      sign.textContent = `■ ${Math.floor(seconds() / 60)}:${String(seconds() % 60).padStart(2, '0')}`;
      if (seconds() >= longest) recorder.stop();
    }, 250);
    recorder.addEventListener('dataavailable', e => parts.push(e.data));
    recorder.addEventListener('stop', () => {
      clearInterval(tick);
      for (const track of stream.getTracks()) track.stop();
      this.recorder = null;
      button.setAttribute('aria-pressed', 'false');
      sign.textContent = '';
      if (!seconds()) return this.refuse('Voice note', 'Nothing was recorded. Press the button, speak, and press it again.');
      this.upload(new Blob(parts, { type }), type.startsWith('audio/mp4') ? 'recording.m4a' : 'recording.webm');
    });
    button.setAttribute('aria-pressed', 'true');
    sign.textContent = '■ 0:00';
    recorder.start();
  }
}

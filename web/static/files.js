// Files for the next message: picked, dropped, pasted or recorded, and uploaded at
// once, so that sending only names them.
const most = 10;

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
    for (const file of [...files].slice(0, most - this.entries.length)) this.upload(file, file.name || 'file');
  }

  upload(file, name) {
    const entry = { name, id: '', failed: false };
    entry.li = document.createElement('li');
    const label = document.createElement('bdi');
    label.textContent = name;
    const bar = document.createElement('progress');
    bar.max = 1;
    bar.value = 0;
    bar.setAttribute('aria-label', 'Uploading ' + name);
    const remove = document.createElement('button');
    remove.type = 'button';
    remove.className = 'btn-link small';
    remove.textContent = 'Remove';
    remove.setAttribute('aria-label', 'Remove ' + name);
    remove.addEventListener('click', () => this.remove(entry));
    entry.li.append(label, bar, remove);
    this.list.append(entry.li);
    this.list.hidden = false;
    this.entries.push(entry);
    this.send(entry, file, bar);
  }

  // send uses XMLHttpRequest, because fetch does not tell how far it is.
  send(entry, file, bar) {
    const body = new FormData();
    body.append('file', file, entry.name);
    const x = entry.request = new XMLHttpRequest();
    x.open('POST', '/api/chat/attachments');
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
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true }).catch(() => null);
    if (!stream) { button.hidden = true; return; }
    const recorder = this.recorder = new MediaRecorder(stream, { mimeType: type });
    const parts = [];
    const stop = setTimeout(() => recorder.stop(), 10 * 60 * 1000);
    recorder.addEventListener('dataavailable', e => parts.push(e.data));
    recorder.addEventListener('stop', () => {
      clearTimeout(stop);
      for (const track of stream.getTracks()) track.stop();
      this.recorder = null;
      button.setAttribute('aria-pressed', 'false');
      button.firstElementChild.textContent = '●';
      this.upload(new Blob(parts, { type }), type.startsWith('audio/mp4') ? 'recording.m4a' : 'recording.webm');
    });
    button.setAttribute('aria-pressed', 'true');
    button.firstElementChild.textContent = '■';
    recorder.start();
  }
}

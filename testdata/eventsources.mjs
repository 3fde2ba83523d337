// Watches a list with many EventSource objects of npm, whose connections are cut at
// random, until each has received that the list itself changed.
//
//   node eventsources.mjs MODULE ADDRESS READERS BYTES
//
// MODULE is the file of the package, eventsource/dist/index.js. A connection is cut
// after up to BYTES bytes, mostly in the middle of an event. Half of the readers begin
// with all stored events, half with the next one.
//
// Written are "ready" when all are connected, and at the end a line "event ID DATA" for
// each event that anybody received, and for each reader "reader CUTS EVENTS": how often
// it was cut, and what it received, as the numbers of the events above: "0-7 9".
import http from 'node:http';
import { pathToFileURL } from 'node:url';

const [module, address, readers, bytes] = process.argv.slice(2);
const { EventSource } = await import(pathToFileURL(module));
const random = (n) => Math.floor(Math.random() * n);

const events = new Map(); // the number of each event, by id and data
let connecting = Number(readers);
let watching = Number(readers);

class Reader {
  cuts = -1;
  last = '';
  got = []; // the numbers of events, each pair from one to another

  constructor(n) {
    this.ip = `10.0.${Math.floor(n / 250)}.${n % 250}`;
    this.open(n % 2 ? '?lastEventId=0' : '');
  }

  open(query) {
    this.source = new EventSource(address + query, { fetch: (url, init) => this.fetch(url, init) });
    this.source.addEventListener('presence', (e) => {
      if (this.last === '') connecting--;
      if (connecting === 0) {
        connecting--;
        console.log('ready');
      }
      this.last = e.lastEventId || this.last || '0';
    });
    this.source.addEventListener('change', (e) => this.add(e));
    this.source.addEventListener('resync', (e) => this.add(e));
    this.source.addEventListener('error', (e) => {
      // The package does not try again.
      if (this.source.readyState === EventSource.CLOSED) throw new Error(`a stream was refused: ${e.code} ${e.message}`);
    });
  }

  add(e) {
    this.last = e.lastEventId;
    const key = `${e.lastEventId} ${e.data}`;
    let n = events.get(key);
    if (n === undefined) events.set(key, (n = events.size));
    if (this.got.at(-1) === n - 1) this.got[this.got.length - 1] = n;
    else this.got.push(n, n);
    if (e.data.includes('"table":"lists"')) {
      this.source.close();
      this.request.destroy();
      if (--watching === 0) report();
    }
  }

  // fetch is what the package needs of the function of that name. Parts that have
  // arrived are read together, and the body ends early.
  fetch(url, init) {
    return new Promise((resolve, reject) => {
      const headers = { ...init.headers, 'X-Forwarded-For': this.ip };
      const request = (this.request = http.get(url, { headers, agent: false }, (response) => {
        const body = new CutBody(request, response, this.cuts < 0 ? 4000 + random(bytes) : 1 + random(bytes), () => this.cut());
        this.cuts++;
        resolve({ status: response.statusCode, url: String(url), redirected: false, headers: { get: (name) => response.headers[name] }, body: { getReader: () => body } });
      }));
      request.on('error', reject);
      init.signal.addEventListener('abort', () => request.destroy());
    });
  }

  // cut reports whether the package is to see an error or an end of the body, or
  // reads no more of it because another stream begins where it ends.
  cut() {
    const way = ['error', 'end', 'reopen'][random(3)];
    if (way === 'reopen') {
      this.source.close();
      setTimeout(() => this.open('?lastEventId=' + this.last), random(1000));
    }
    return way;
  }
}

class CutBody {
  parts = [];
  ended = false;

  constructor(request, response, left, cut) {
    Object.assign(this, { request, left, cut });
    response.on('data', (part) => {
      this.parts.push(part);
      this.wake?.();
    });
    const end = () => {
      this.ended = true;
      this.wake?.();
    };
    response.on('end', end).on('error', end).on('close', end);
  }

  async read() {
    if (this.left <= 0) {
      this.request.destroy();
      const way = this.cut();
      if (way === 'error') throw new TypeError('terminated');
      if (way === 'end') return { done: true };
      throw new DOMException('closed', 'AbortError');
    }
    while (this.parts.length === 0) {
      if (this.ended) return { done: true };
      await new Promise((resolve) => (this.wake = resolve));
    }
    const value = Buffer.concat(this.parts).subarray(0, this.left);
    this.parts = [];
    this.left -= value.length;
    return { done: false, value };
  }
}

const all = Array.from({ length: Number(readers) }, (_, n) => new Reader(n));

function report() {
  const lines = [...events.keys()].map((key) => 'event ' + key);
  for (const { cuts, got } of all) {
    const ranges = [];
    for (let i = 0; i < got.length; i += 2) ranges.push(`${got[i]}-${got[i + 1]}`);
    lines.push(`reader ${cuts} ${ranges.join(' ')}`);
  }
  // A reader whose last event came in the last part of its body may be about to open
  // another stream, which would keep the process running.
  process.stdout.write(lines.join('\n') + '\n', () => process.exit());
}

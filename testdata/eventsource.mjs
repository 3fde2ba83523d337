// Watches a list with the EventSource of npm, and writes a line for each thing that it
// is told: "open", "change ID DATA", another kind of event by its name, and at the end
// "closed".
//
//   node eventsource.mjs MODULE ADDRESS
//
// MODULE is the file of the package, eventsource/dist/index.js.
import { pathToFileURL } from 'node:url';

const [module, address] = process.argv.slice(2);
const { EventSource } = await import(pathToFileURL(module));
const source = new EventSource(address);
source.onopen = () => console.log('open');
source.onerror = () => {
  if (source.readyState === EventSource.CLOSED) console.log('closed');
};
for (const name of ['change', 'resync', 'message']) {
  source.addEventListener(name, (e) => console.log(name, e.lastEventId, e.data));
}

// Whether a pointer is down. What is pressed is not replaced before it is released,
// since the browser would not take that for a click.
const longest = 2000; // to wait, in ms: longer presses are for something else
const after = 50;     // from the release to the click, on touch screens

let down = false, waiting = [];

addEventListener('pointerdown', () => { down = true; }, true);
for (const name of ['pointerup', 'pointercancel']) addEventListener(name, () => {
  down = false;
  setTimeout(() => { if (!down) for (const go of waiting.splice(0)) go(); }, after);
}, true);

// released waits until no pointer is down.
export function released() {
  if (!down) return Promise.resolve();
  return new Promise(resolve => {
    waiting.push(resolve);
    setTimeout(resolve, longest);
  });
}

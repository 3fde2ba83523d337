// send is fetch for the account of this page. When a different account has signed in
// since, in another tab, the server refuses.
export async function send(address, options = {}) {
  const { me } = document.body.dataset;
  const response = await fetch(address, me ? { ...options, headers: { ...options.headers, 'X-Hearth-Me': me } } : options);
  if (response.status === 409) {
    const body = await response.clone().json().catch(() => ({ code: 'other_account' })); // in place of a part of a page
    if (body.code === 'other_account') say('You are signed in as another account now. Reload the page.', { ms: 60000 });
  }
  return response;
}

// call sends a request to the API of this server, and returns its status and
// its body; the status is 0 without a response.
export async function call(method, address, body, options = {}) {
  const headers = { Accept: 'application/json', ...options.headers };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const response = await send(address, { ...options, method, headers, body: body === undefined ? undefined : JSON.stringify(body) }).catch(() => null);
  return { status: response?.status ?? 0, body: await response?.json().catch(() => null) ?? null };
}

// retryable reports whether a request that was answered so may succeed if it is sent
// again.
export const retryable = status => status === 0 || status === 429 || status >= 500;

let toast, timer;
// say shows a sentence at the bottom of the window, with a button if there is an
// act for it. It goes after ms.
export function say(text, { label, act, ms = 6000 } = {}) {
  toast?.remove();
  clearTimeout(timer);
  toast = document.createElement('p');
  toast.className = 'toast';
  toast.setAttribute('role', 'status');
  toast.append(text);
  if (act) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'btn-link';
    button.textContent = label;
    button.addEventListener('click', () => { toast.remove(); act(); });
    toast.append(' ', button);
  }
  document.body.append(toast);
  toast.querySelector('button')?.focus();
  timer = setTimeout(() => toast.remove(), ms);
}

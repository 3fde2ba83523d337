// openViewer shows a picture of a message large, above the page. Without scripts
// the link opens it.
export function openViewer(e) {
  const link = e.target.closest('a.file-picture');
  if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  const dialog = document.createElement('dialog');
  dialog.className = 'viewer';
  dialog.tabIndex = -1;
  const image = document.createElement('img');
  image.src = link.href;
  image.alt = link.querySelector('img').alt;
  dialog.setAttribute('aria-label', image.alt);
  const form = document.createElement('form');
  form.method = 'dialog';
  const close = document.createElement('button');
  close.className = 'btn';
  close.textContent = 'Close';
  const open = document.createElement('a');
  open.className = 'btn';
  open.href = link.href;
  open.textContent = 'Open file';
  form.append(close, open);
  dialog.append(image, form);
  dialog.addEventListener('close', () => { dialog.remove(); link.focus(); });
  dialog.addEventListener('click', ev => { if (ev.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
  dialog.focus(); // not a button, which the rest of the Enter that opened the picture would press
}

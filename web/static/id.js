// newID is crypto.randomUUID, which browsers have over https only.
export function newID() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = 0x40 | b[6] & 0x0f;
  b[8] = 0x80 | b[8] & 0x3f;
  const hex = Array.from(b, x => x.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Those below U+00A0. */
const ASCII = new Uint8Array(160);
for (const code of "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!$&'()*+,-./:;=?@_~") {
  ASCII[code.charCodeAt(0)] = 1;
}

/** https://url.spec.whatwg.org/#url-code-points */
export function isUrlCodePoint(code: number): boolean {
  if (code < 0xa0) return ASCII[code] === 1;
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  const noncharacter = (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe;
  return !surrogate && !noncharacter;
}

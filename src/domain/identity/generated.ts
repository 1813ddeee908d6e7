/**
 * Values that are generated with each build or visit do not identify an element: hashes in class names (CSS modules,
 * styled-components, Emotion), counters in ids (React, Ember, jQuery UI), UUIDs, timestamps. What looks like one is
 * left out. Leaving out too much costs precision: two elements may look alike. Keeping too much makes an old finding
 * look new. So a doubtful value is left out.
 */

/** Ids that libraries generate by counting or at random. */
const COUNTED = [
  // React's useId: `:r1:`, `«r1»`, `_r_1_`, also inside of other ids.
  /:[rR][0-9a-zA-Z]*:|«[rR][0-9a-zA-Z]*»|_[rR]_[0-9a-z]+_/,
  /^ember-?\d+$/,
  /^ext-gen\d+$/,
  /^yui_[\d_]+$/,
  /^ui-id-\d+$/,
  /^mui-\d+$/,
  /^(?:react-select|select2|headlessui|radix|chakra|mantine|downshift|dijit|cdk|mat)-.*\d/,
  /^(?:guid|uid|uuid|gen|auto|random|tmp|temp)[-_]?\d+$/i,
];
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
/** Seconds or milliseconds since 1970, and other long counters. */
const LONG_NUMBER = /\d{9,}/;
const TOKENS = /[A-Za-z0-9]+/g;
const LETTERS_ONLY = /^(?:[a-z]+|[A-Z]+)$/;
const DIGITS_ONLY = /^\d+$/;
/** Shorter tokens are abbreviations: `h1`, `2xl`, `w3c`. */
const MIN_LENGTH = 5;

/** True for a generated value, or a generated part of one between punctuation. */
export function isGenerated(value: string): boolean {
  if (UUID.test(value) || LONG_NUMBER.test(value) || COUNTED.some((pattern) => pattern.test(value))) return true;
  return (value.match(TOKENS) ?? []).some(isRandom);
}

/** A word without its generated parts; "" when nothing else is in it. */
export function withoutGenerated(value: string): string {
  if (UUID.test(value) || COUNTED.some((pattern) => pattern.test(value))) return "";
  return value.replace(TOKENS, (token) => (LONG_NUMBER.test(token) || isRandom(token) ? "" : token));
}

/**
 * True for a token such as `3xYz1`, `a1b2c3d4` or `kDmMAq`: it switches between cases and digits more often than words,
 * abbreviations and camelCase do.
 */
function isRandom(token: string): boolean {
  if (token.length < MIN_LENGTH || LETTERS_ONLY.test(token) || DIGITS_ONLY.test(token)) return false;
  const kinds = [...token].map(kindOf);
  let changes = 0;
  for (let at = 1; at < kinds.length; at++) if (kinds[at] !== kinds[at - 1]) changes++;
  // In camelCase each word adds two changes, and has some letters.
  if (/^[A-Za-z]+$/.test(token)) return changes >= 3 && token.length / (changes + 1) < 1.5;
  // Words with a number at the end or the beginning (`column12`, `3columns`) have one change.
  if (/^[0-9a-f]+$/i.test(token) && token.length >= 6) return changes >= 2;
  return changes >= 3 && token.length / (changes + 1) < 2.5;
}

function kindOf(character: string): "digit" | "lower" | "upper" {
  if (character <= "9") return "digit";
  return character >= "a" ? "lower" : "upper";
}

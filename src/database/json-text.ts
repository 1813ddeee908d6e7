/**
 * JSON that PostgreSQL can store: it takes neither NUL nor halves of surrogate pairs,
 * and pages hold both. They become U+FFFD.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  // JSON.stringify writes exactly these two as escapes; an escaped backslash before them is text.
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return json.replaceAll(/\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g, (found) => (found === "\\\\" ? found : "\ufffd"));
}

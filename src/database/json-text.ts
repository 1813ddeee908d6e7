/**
 * JSON that PostgreSQL can store. It accepts neither NUL nor lone surrogates, and pages may
 * contain both: they become U+FFFD.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  // JSON.stringify writes these two as escapes; after an escaped backslash the same characters are text.
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return json.replaceAll(/\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g, (found) => (found === "\\\\" ? found : "\ufffd"));
}

/** True when PostgreSQL can store the value unchanged. Resources on Kubernetes may have values that it cannot store. */
export function isStorable(value: unknown): boolean {
  return storableJson(value) === JSON.stringify(value);
}

/** A JSON text that is safe for a terminal: JSON.stringify does not escape some control characters. */
export function visibleJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/[\x7F-\x9F\u2028\u2029]|\p{Cf}/gu, escaped);
}

/** A character beyond U+FFFF has two units. */
function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/**
 * A name as in CSS selectors (CSS Syntax, section 4.3.11), always escaped in the same way: without spaces, which
 * separate steps only. A character that is not allowed at its place becomes six hexadecimal digits.
 */
export function escapeName(name: string): string {
  return name.replace(/^-?[0-9]|^-$|[\0-\x2c\x2e\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]/g, (found) =>
    found.length > 1 ? `-${inDigits(found.slice(1))}` : escapeCharacter(found),
  );
}

function escapeCharacter(character: string): string {
  return /[\0-\x20\x7f0-9]/.test(character) ? inDigits(character) : `\\${character}`;
}

function inDigits(character: string): string {
  return `\\${character.charCodeAt(0).toString(16).padStart(6, "0")}`;
}

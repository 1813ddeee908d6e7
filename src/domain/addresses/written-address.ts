/** What can be told from an address as it is written in a document, before anybody asks for it. */

/** So much of an address is looked at. */
const MAX_READ = 500;
/** Schemes that are meant, although they look like others. */
const MEANT: ReadonlySet<string> = new Set(["shttp", "http", "https", "mailto", "callto", "tel", "javascript"]);
/** Schemes that people mistype, and in how many characters. */
const MISTYPED = [
  ["http", 1],
  ["https", 1],
  ["mailto", 2],
  ["javascript", 2],
] as const;

/**
 * Whether the scheme of an address is a mistake: a typing error (`htp:`), a host with a port and no scheme
 * (`localhost:8080`), or the letter of a disk. An unknown one is not: programs have schemes of their own.
 */
export function isMistaken(written: string): boolean {
  const [, scheme = "", rest = ""] = /^\s*([a-z][a-z0-9+.-]*):(.*)/is.exec(written.slice(0, MAX_READ)) ?? [];
  const name = scheme.toLowerCase();
  if (scheme === "" || MEANT.has(name)) return false;
  if (scheme.length === 1) return /^[\\/]/.test(rest);
  if ((name === "localhost" || name.includes(".")) && /^\d{1,5}(?:[/?#\\]|\s*$)/.test(rest)) return true;
  if (MISTYPED.some(([meant, most]) => distance(name, meant) <= most)) return true;
  return distance(name, "tel") === 1 && /^\s*\+?[\d\s()./-]{3,}$/.test(rest);
}

/** How many characters have to be added, left out, replaced or exchanged with the next one. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const [left, above, diagonal] = [row[j - 1] ?? 0, last?.[j] ?? 0, last?.[j - 1] ?? 0];
      row[j] = Math.min(left + 1, above + 1, diagonal + (isSame ? 0 : 1), isExchanged ? (before?.[j - 2] ?? 0) + 1 : 9);
    }
    [before, last] = [last, row];
  }
  return last?.[b.length] ?? 0;
}

/** Whether a script fills in an address that is written so: `{{ url }}`, `${url}`, `<%= url %>`, `[[ url ]]`. */
export function mayBeTemplate(written: string): boolean {
  if (!/[{<[]|%7B/i.test(written)) return false;
  return /\{\{.*\}\}|\{%.*%\}|\$\{[^}]*\}|<%.*%>|\[\[.*\]\]|%7B%7B.*%7D%7D/is.test(written.slice(0, MAX_READ));
}

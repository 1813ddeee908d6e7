import { isDeepStrictEqual } from "node:util";

/**
 * A field before and after, as text: a text is itself, anything else is JSON, and null is nothing. `hidden`: it was set, and
 * neither value is kept.
 */
export type Change = { field: string; before: string | null; after: string | null; hidden: boolean };

/** What was set, and is in no entry. */
export const hidden = (field: string): Change => ({ field, before: null, after: null, hidden: true });

type Values = Readonly<Record<string, unknown>>;

/** The most characters of a value: a change says what was changed, and is no copy of it. */
const MAX_TEXT = 1_000;
/** The most fields of one change; what else has changed is counted in the last one. */
const MAX_FIELDS = 100;

/**
 * What has changed of the fields that somebody may set. What a document does not show in either state is only named: it is a
 * secret, or as good as one.
 *
 * @param before as a document that everybody may read shows it; undefined before something is created, or where nothing
 *   shows it
 * @param after the same afterwards; undefined for what is deleted
 * @param given what was asked for
 * @param settable the names of the fields that can be set
 */
export function changesOf(
  { before, after, given }: { before: Values | undefined; after: Values | undefined; given: Values },
  settable: ReadonlySet<string>,
): Change[] {
  const isShown = (name: string) => Object.hasOwn(before ?? {}, name) || Object.hasOwn(after ?? {}, name);
  // Of what is created, the rest are defaults.
  const isNew = before === undefined && after !== undefined;
  const names = [...settable].filter((name) => !isNew || Object.hasOwn(given, name));
  const changes = names.flatMap((name): Change[] => {
    if (!isShown(name)) return Object.hasOwn(given, name) ? [hidden(name)] : [];
    const [old, now] = [before?.[name] ?? null, after?.[name] ?? null];
    const differing = differences(name, old, now);
    // Shown in part, as an address is: what was given is another one, and looks the same.
    const isMasked = differing.length === 0 && isPart(given[name], now);
    return isMasked ? [hidden(name)] : differing;
  });
  if (changes.length <= MAX_FIELDS) return changes;
  const left = `${changes.length - MAX_FIELDS + 1} fields`;
  return [...changes.slice(0, MAX_FIELDS - 1), { field: "…", before: null, after: left, hidden: false }];
}

/** What has changed of one field: nothing, or objects by their members, everything else as a whole. */
export function differences(field: string, before: unknown, after: unknown): Change[] {
  if (isDeepStrictEqual(before, after)) return [];
  if ([before, after].every((value) => value === null || isObject(value))) {
    const [old, now] = [(before ?? {}) as Values, (after ?? {}) as Values];
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    return names.flatMap((name) => differences(`${field}.${name}`, old[name] ?? null, now[name] ?? null));
  }
  return [{ field, before: textOf(before), after: textOf(after), hidden: false }];
}

const isObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a document shows less than what was given: an address without its end, or members without their values. */
function isPart(given: unknown, shown: unknown): boolean {
  if (given === undefined || given === null || shown === null) return false;
  if (typeof given === "string" && typeof shown === "string") return shown.includes("…") && !given.includes("…");
  if (typeof given !== "object" || typeof shown !== "object") return false;
  return JSON.stringify(given).length > JSON.stringify(shown).length;
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text;
}

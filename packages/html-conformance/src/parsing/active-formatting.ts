import type { OpenElement } from "./open-elements.ts";

/** The most elements that are kept open across blocks: otherwise those of hostile pages would multiply without end. */
const MAX_FORMATTING_ELEMENTS = 500;
/** The most equal elements that are kept ("Noah's Ark"). */
const MAX_EQUAL = 3;

/** Elements and markers (undefined), the last one at the end. */
export type FormattingList = (OpenElement | undefined)[];

/**
 * Adds an element to the list of active formatting elements; of more than three equal ones since the last marker, the
 * earliest is dropped.
 *
 * @see HTML Standard, 13.2.4.3 The list of active formatting elements
 */
export function pushFormatting(list: FormattingList, entry: OpenElement): void {
  const equal: number[] = [];
  let first = list.length;
  while (first > 0 && list[first - 1] !== undefined) {
    first -= 1;
    const found = list[first];
    if (found && isEqual(found, entry)) equal.push(first);
  }
  const earliest = equal[MAX_EQUAL - 1];
  if (earliest !== undefined) list.splice(earliest, 1);
  else if (list.length - first >= MAX_FORMATTING_ELEMENTS) list.splice(first, 1);
  list.push(entry);
}

export function removeFormatting(list: FormattingList, entry: OpenElement): void {
  const at = list.lastIndexOf(entry);
  if (at >= 0) list.splice(at, 1);
}

/** Drops everything from the last marker on, including the marker. */
export function clearToMarker(list: FormattingList): void {
  while (list.length > 0 && list.pop() !== undefined);
}

/** The last element of this name since the last marker. */
export function findFormatting(list: FormattingList, name: string): OpenElement | undefined {
  for (let i = list.length - 1; i >= 0; i--) {
    const entry = list[i];
    if (!entry || entry.key === name) return entry;
  }
  return undefined;
}

function isEqual({ key, element: { attrs } }: OpenElement, other: OpenElement): boolean {
  const others = other.element.attrs;
  if (key !== other.key || attrs.length !== others.length || attrs.length > 50) return false;
  return attrs.every(({ name, value }) => others.some((found) => found.name === name && found.value === value));
}

/** Adds a marker. Until it is cleared, formatting elements before it are not reopened. */
export function pushMarker(list: FormattingList): void {
  list.push(undefined);
}

type Extract = { extract: string; coordinates?: { hilite_start: number; hilite_length: number } };

/** The faulty markup of an element, without the source around it. */
export function markupOf({ extract, coordinates }: Extract): string {
  if (!coordinates) return extract;
  const { hilite_start: start, hilite_length: length } = coordinates;
  return extract.slice(start, start + length) || extract;
}

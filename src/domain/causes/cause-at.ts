import type { CausedBy } from "../findings/consequence.ts";
import type { CheckKind, Issue } from "../findings/findings.ts";
import { markupOf } from "../findings/markup.ts";
import { causeOf } from "./cause.ts";

/** The cause of the finding at a place, which is that of what follows from it, too; undefined where none is known. */
export type CauseAt = (place: CausedBy) => string | undefined;

/** The causes of a page's findings that others follow from. */
export function causesAt(kind: CheckKind, issues: readonly Issue[]): CauseAt {
  const wanted = new Set(
    issues.flatMap(({ html }) => html.flatMap(({ caused_by }) => (caused_by ? [keyOf(caused_by)] : []))),
  );
  const causes = new Map<string, string>();
  if (wanted.size === 0) return () => undefined;
  for (const { rule, message, html } of issues)
    for (const element of html) {
      const { first_line, first_column } = element.coordinates ?? {};
      if (rule === null || first_line === undefined || first_column == null) continue;
      const key = keyOf({ rule, first_line, first_column });
      if (!wanted.has(key) || causes.has(key)) continue;
      const markup = { extract: markupOf(element), contrast: element.contrast ?? null };
      const selector = element.element?.selector ?? null;
      causes.set(key, causeOf({ kind, rule, message, selector, element: markup }).key);
    }
  return (place) => causes.get(keyOf(place));
}

function keyOf({ rule, first_line, first_column }: CausedBy): string {
  return `${first_line} ${first_column} ${rule}`;
}

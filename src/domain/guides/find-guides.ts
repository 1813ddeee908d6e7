import type { CheckKind } from "../../checks/kinds.ts";
import type { Guide } from "./guide.ts";

/**
 * The guides with all words of a text in their title, rule or success criteria; if there are none, those with the words
 * anywhere.
 *
 * @param kind only those of this kind
 */
export function findGuides(
  guides: readonly Guide[],
  { kind, text }: { kind?: CheckKind | undefined; text: string },
): Guide[] {
  // Each word once: a URL has room for thousands.
  const words = [...new Set(text.toLowerCase().split(/\s+/).filter(Boolean))];
  const ofKind = guides.filter((guide) => kind === undefined || guide.kind === kind);
  const having = (textOf: (guide: Guide) => string) =>
    ofKind.filter((guide) => {
      const said = textOf(guide).toLowerCase();
      return words.every((word) => said.includes(word));
    });
  const named = having(nameOf);
  return named.length > 0 ? named : having((guide) => [nameOf(guide), ...guide.parts.map(textOfPart)].join("\n"));
}

function nameOf({ title, rule, engine, criteria }: Guide): string {
  return [title, rule, engine, ...criteria.map((criterion) => `${criterion.number} ${criterion.title}`)].join("\n");
}

function textOfPart({ markdown }: Guide["parts"][number]): string {
  return markdown;
}

import type { CheckKind } from "../../checks/kinds.ts";
import type { Guide } from "./guide.ts";
import { parseGuide } from "./parse-guide.ts";
import { toHtml, toPlainText } from "./render-markdown.ts";

/** A guide's text without its headings and examples, in three formats. */
export type GuideDescription = { text: string; markdown: string; html: string };

export type RenderedGuide = {
  guide: Guide;
  /** The guide's parts in HTML. */
  parts: readonly { heading: string; html: string }[];
  description: GuideDescription;
};

export type Guides = {
  /**
   * The guide to a rule: its own, or the one to all rules with the same name up to the slash.
   *
   * @throws UsageError when the guide has a mistake
   */
  find(kind: CheckKind, rule: string): RenderedGuide | undefined;
  /** The guide of exactly that name. */
  get(kind: CheckKind, name: string): RenderedGuide | undefined;
  /** All guides, by kind and name. */
  list(): Guide[];
};

/**
 * The guides. Each is read and rendered on first use, and kept.
 *
 * @param files the text of each by its path in the folder of guides: `html/img/alt.md`
 */
export function createGuides(files: ReadonlyMap<string, string>): Guides {
  const known = new Map<string, RenderedGuide>();
  const read = (file: string): RenderedGuide | undefined => {
    const text = files.get(file);
    if (text === undefined) return undefined;
    const rendered = known.get(file) ?? render(parseGuide(file, text));
    known.set(file, rendered);
    return rendered;
  };
  const get: Guides["get"] = (kind, name) => read(`${kind}/${name}.md`);
  return {
    get,
    find: (kind, rule) => get(kind, rule) ?? get(kind, rule.split("/")[0] ?? ""),
    list: () => [...files.keys()].toSorted().flatMap((file) => read(file)?.guide ?? []),
  };
}

function render(guide: Guide): RenderedGuide {
  const markdown = guide.parts.map((part) => part.markdown).join("\n\n");
  return {
    guide,
    parts: guide.parts.map((part) => ({ heading: part.heading, html: toHtml(part.markdown) })),
    description: { text: toPlainText(markdown), markdown, html: toHtml(markdown) },
  };
}

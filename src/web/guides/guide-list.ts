import { type CheckKind, manifestOf, worstFirst } from "../../checks/kinds.ts";
import type { Guide } from "../../domain/guides/guide.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { titleOf } from "../parts/finding.ts";
import { texts } from "../texts/en.ts";

const t = texts.guides;

/** The path of a guide. Names of rules need no encoding. */
export function guidePath({ kind, rule }: Pick<Guide, "kind" | "rule">): string {
  return `/guides/${kind}/${rule}`;
}

/** Guides with links, by kind and by what they have in common. */
export function guideList({ href }: Pick<PageContext, "href">, guides: readonly Guide[]): Html {
  const byKind = Map.groupBy(guides, ({ kind }) => kind);
  return worstFirst.map((kind) => {
    const ofKind = byKind.get(kind);
    return ofKind && section(kind, ofKind, href);
  });
}

function section(kind: CheckKind, guides: readonly Guide[], href: PageContext["href"]): Html {
  const groups = [...Map.groupBy(guides, groupOf)].toSorted(([one], [another]) => rank(one) - rank(another));
  return html`<section class="card grid" aria-labelledby=${kind}>
    <h2 id=${kind}>${titleOf(kind)}: ${t.count(guides.length)}</h2>
    ${groups.map(
      ([name, ofGroup]) =>
        html`<h3>${name}: ${ofGroup.length}</h3>
          <ul class="guides">
            ${ofGroup.map((guide) => html`<li>${entry(guide, href)}</li>`)}
          </ul>`,
    )}
  </section>`;
}

function entry(guide: Guide, href: PageContext["href"]): Html {
  const numbers = guide.criteria.map(({ number }) => number).join(", ");
  return html`<a href=${href(guidePath(guide))}>${guide.title}</a>
    <span class="quiet"><code>${guide.rule}</code>${numbers && ` ${numbers}`}</span>`;
}

/** Puts guides to requirements of a standard first; the other groups are in the order of their rules. */
function rank(group: string): number {
  return group === t.groups.wcag ? 0 : 1;
}

function groupOf({ kind, rule, engine, criteria }: Guide): string {
  if (manifestOf(kind).hasStandards) return criteria.length > 0 ? t.groups.wcag : t.groups.practice;
  return rule.startsWith("parse/") ? t.groups.parse : t.groups.engine(engine);
}

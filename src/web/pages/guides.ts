import { type CheckKind, checkKinds, worstFirst } from "../../checks/kinds.ts";
import { findGuides } from "../../domain/guides/find-guides.ts";
import type { Guide } from "../../domain/guides/guide.ts";
import { guideList } from "../guides/guide-list.ts";
import { type Html, html } from "../html.ts";
import { nearest } from "../nearest.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { titleOf } from "../parts/finding.ts";
import { input, select } from "../parts/form.ts";
import { empty } from "../parts/text.ts";
import { unknownValues } from "../parts/unknown-values.ts";
import { texts } from "../texts/en.ts";

const t = texts.guides;
const PATH = "/guides";

/** All guides, or those that a search finds. */
export const guidesPage: PageRoute = { path: PATH, access: "public", read };

type Filters = { kind: CheckKind | undefined; text: string };

async function read(context: PageContext): Promise<View> {
  const { query } = context;
  const filters = { kind: checkKinds.find((kind) => kind === query.get("kind")), text: query.get("text") ?? "" };
  const all = (await context.guides()).list();
  const found = findGuides(all, filters);
  const isFiltered = filters.kind !== undefined || filters.text.trim() !== "";
  const content = html`<div>
    ${unknownValues(context, { kind: { label: t.kind, values: checkKinds } })}
    <p>${t.intro(t.count(all.length))}</p>
    ${filterForm(context, filters)} ${isFiltered && found.length > 0 ? html`<p>${t.found(t.count(found.length))}</p>` : null}
    ${found.length > 0 ? guideList(context, found) : empty(t.none, meant(context, all, filters) ?? t.noneWhat)}
  </div>`;
  return { title: t.title, content, isForEverybody: true };
}

/** The rule whose name was probably typed. */
function meant({ href }: PageContext, all: readonly Guide[], { text }: Filters): Html {
  const rule = nearest(
    text.trim(),
    all.map((guide) => guide.rule),
  );
  return rule === undefined ? null : html`${texts.errors.meant} <a href=${href(PATH, { text: rule })}>${rule}</a>?`;
}

function filterForm({ href }: PageContext, { kind, text }: Filters): Html {
  const kinds = worstFirst.map((value) => ({ value, label: titleOf(value) }));
  return html`<form class="filters" method="get" action=${href(PATH)} aria-label=${texts.issues.filters}>
    ${input({ name: "text", label: t.text, value: text, bare: true })}
    ${select({ name: "kind", label: t.kind, value: kind ?? "", options: [{ value: "", label: texts.issues.all }, ...kinds] })}
    <button>${texts.issues.apply}</button>
    <a href=${href(PATH)}>${texts.issues.reset}</a>
  </form>`;
}

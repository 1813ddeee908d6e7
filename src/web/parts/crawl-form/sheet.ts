import type { Attributes, One } from "../../../api/documents.ts";
import { checkKinds, nounOf } from "../../../checks/kinds.ts";
import { type Html, html } from "../../html.ts";
import type { Attempt, PageContext } from "../../page.ts";
import { texts } from "../../texts/en.ts";
import { hiddenFields, problems } from "../form.ts";
import { duration } from "../text.ts";
import type { Values } from "./values.ts";

const t = texts.crawlForm;

/** The form of a report or schedule, beside what will happen with the values that it shows at first. */
export function crawlSheet(
  context: PageContext,
  {
    action,
    attempt,
    names,
    fields,
    buttons,
    beside,
  }: {
    action: string;
    attempt: Attempt | undefined;
    /** Of all fields, for links to those that were refused. */
    names: readonly string[];
    fields: Html;
    buttons: Html;
    beside: Html;
  },
): Html {
  return html`<div class="grid split">
    <form class="grid" method="post" action=${context.href(action)}>
      ${hiddenFields(context)} ${problems(attempt, names)} ${fields}
      <p class="line near">${buttons}</p>
    </form>
    <div class="grid">${beside}</div>
  </div>`;
}

/** Links between the form for one run and that for a schedule. */
export function onceOrScheduled({ href, query }: PageContext, current: "once" | "scheduled"): Html {
  const url = query.get("url") ?? "";
  const link = (name: "once" | "scheduled", path: string) =>
    html`<a href=${href(path, { url })} aria-current=${name === current ? "page" : undefined}>${t[name]}</a>`;
  return html`<nav class="seg" aria-label=${t.howOften}>${link("once", "/reports/new")} ${link("scheduled", "/schedules/new")}</nav>`;
}

/** What a run with these values does, and what it uses. */
export async function whatHappens({ api }: PageContext, values: Values): Promise<Html> {
  const { data } = await api.get<One<"usage">>("/usage");
  const pages = Number(values.max_pages);
  const rate = Number(values.rate_limit);
  const checks = checkKinds.filter((kind) => values[`perform_${nounOf(kind)}_checks`] === "true").length;
  const about = rate > 0 && pages > 0 ? t.about(duration((pages / rate) * 1_000)) : "";
  return html`<section class="card grid" aria-labelledby="happens">
    <h2 id="happens">${t.happens}</h2>
    <ol class="steps">
      <li><span class="no h">1</span> <span>${pages > 0 ? t.looks(pages) : t.looksWithoutLimit}</span></li>
      <li><span class="no h">2</span> <span>${t.opens(rate)}${about}</span></li>
      <li><span class="no h">3</span> <span>${t.sees}</span></li>
    </ol>
    ${pages > 0 && html`<p class="quiet">${uses(pages * checks, data.attributes)}</p>`}
  </section>`;
}

function uses(credits: number, { left }: Attributes<"usage">): string {
  return left === null ? t.uses(credits) : t.usesOf(credits, left);
}

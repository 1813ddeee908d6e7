import type { One } from "../../../api/documents.ts";
import { checkKinds, needsBrowser, nounOf } from "../../../checks/kinds.ts";
import { splitList } from "../../../schema/api-names.ts";
import { type Html, html } from "../../html.ts";
import type { Attempt, PageContext } from "../../page.ts";
import { texts } from "../../texts/en.ts";
import { mayWrite, seesAll } from "../access.ts";
import { hiddenFields, problems } from "../form.ts";
import { duration } from "../text.ts";
import { stepsIn } from "./attributes.ts";
import { heldBy, type Values } from "./values.ts";

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

/** Links between the form for one run and that for a schedule; nothing for people who may only read. */
export function onceOrScheduled(context: PageContext, current: "once" | "scheduled"): Html {
  if (!mayWrite(context)) return null;
  const { href, query } = context;
  const url = query.get("url") ?? "";
  const link = (name: "once" | "scheduled", path: string) =>
    html`<a href=${href(path, { url })} aria-current=${name === current ? "page" : undefined}>${t[name]}</a>`;
  return html`<nav class="seg" aria-label=${t.howOften}>${link("once", "/reports/new")} ${link("scheduled", "/schedules/new")}</nav>`;
}

/** What a run with these values does, and what it uses. @param attempt what was typed, if it was refused */
export async function whatHappens(context: PageContext, values: Values, attempt?: Attempt): Promise<Html> {
  // How many credits are left is known of the whole account.
  const left = seesAll(context) ? (await context.api.get<One<"usage">>("/usage")).data.attributes.left : null;
  const held = heldBy({ values, attempt });
  const pages = Number(held("max_pages"));
  const rate = Number(held("rate_limit"));
  // Each page on each device, there and in each state, is checked in a browser.
  const states = stepsIn(held("states"));
  const variants =
    (1 + splitList(held("devices"), "commas").length) * (1 + (Array.isArray(states) ? states.length : 0));
  const checks = checkKinds
    .filter((kind) => held(`perform_${nounOf(kind)}_checks`) === "true")
    .reduce((sum, kind) => sum + (needsBrowser(kind) ? variants : 1), 0);
  const about = rate > 0 && pages > 0 ? t.about(duration((pages / rate) * 1_000)) : "";
  return html`<section class="card grid" aria-labelledby="happens">
    <h2 id="happens">${t.happens}</h2>
    <ol class="steps">
      <li><span class="no h">1</span> <span>${pages > 0 ? t.looks(pages) : t.looksWithoutLimit}</span></li>
      <li><span class="no h">2</span> <span>${t.opens(rate)}${about}</span></li>
      <li><span class="no h">3</span> <span>${t.sees}</span></li>
    </ol>
    ${pages > 0 && html`<p class="quiet">${uses(pages * checks, left)}</p>`}
  </section>`;
}

function uses(credits: number, left: number | null): string {
  return left === null ? t.uses(credits) : t.usesOf(credits, left);
}

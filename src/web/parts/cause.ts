import type { Attributes, Resource } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { formatCompact, texts } from "../texts/en.ts";
import { mayWrite } from "./access.ts";
import { whoHasIt } from "./assignment.ts";
import { bar } from "./chart.ts";
import { fixLine } from "./consequence.ts";
import { crop } from "./crop.ts";
import { thumbnail } from "./finding.ts";
import { icon } from "./icon.ts";
import { reportPath } from "./report.ts";
import { roleName } from "./report-cards.ts";
import { wayBack } from "./way-back.ts";

const t = texts.causes;

type Cause = Attributes<"cause">;

/** How it is known what a cause removes, as a drawing and a word. */
export function knownBy({ known_by, verified }: Pick<Cause, "known_by" | "verified">): Html {
  return html`${icon(known_by)} ${t.knownBy[known_by]}${known_by === "estimated" && html` <span class="quiet">(${t.someVerified(verified)})</span>`}`;
}

export function impactName({ impact }: Pick<Cause, "impact">): Html {
  return impact ? html`${icon(impact)} ${texts.impacts[impact]}` : html`${icon("markup")} ${t.htmlOnly}`;
}

/** Where the change is made, as far as a crawler can see. */
export function place({ place: where, num_pages, element }: Pick<Cause, "place" | "num_pages" | "element">): Html {
  const line = element?.coordinates?.first_line;
  return html`${t.onPages(num_pages)}${line !== undefined && `, ${t.line(line)}`}, ${where === "" ? t.everyPage : html`<code>${where}</code>`}`;
}

/** Where all findings of a cause are listed. */
export function causePath(context: PageContext, id: string): string {
  return context.href(reportPath(context, `/causes/${id}`), wayBack(context));
}

/**
 * A cause among those to fix first: its picture or source, what is wrong, where, what the change removes, and the change.
 *
 * @param all errors of the report
 * @param most errors that a cause of the list removes
 * @param owned the reader may mute it
 */
export function causeItem(
  context: PageContext,
  { id, attributes }: Resource<"cause">,
  { number, all, most, owned }: { number: number; all: number; most: number; owned: boolean },
): Html {
  const { title, message, role, success_criteria, how_many, num_pages, rules, element, change } = attributes;
  const picture = crop(context, { attributes });
  return html`<li>
    <div>${picture ?? (element && thumbnail(element))}</div>
    <div class="grid close">
      <h3><a href=${causePath(context, id)}>${number}. ${title}</a></h3>
      <p class="line near">
        <span class="tag">${roleName(role)}</span> <span>${impactName(attributes)}</span>
        ${success_criteria.map((criterion) => html`<span class="quiet">${criterion.number}</span>`)}
      </p>
      <p class="quiet">${message !== title && `${sentence(message)} `}${place(attributes)}</p>
    </div>
    <div class="grid close amount">
      <p><b>${t.removesErrors(how_many)}</b>, ${t.share(how_many, all)}</p>
      ${bar({ value: how_many, kind: attributes.impact ?? "markup" }, most)}
      <p>${knownBy(attributes)}</p>
      ${attributes.met !== null && html`<p title=${t.metMeans}>${t.met(formatCompact(attributes.met))}</p>`}
      <p class="quiet">${t.ofRules(rules.length, num_pages)}</p>
      <p class="screen"><a href=${causePath(context, id)} aria-label=${t.allPlacesOf(how_many, title)}>${t.allPlaces(how_many)}</a></p>
      ${
        owned &&
        mayWrite(context, "common") &&
        html`<p class="screen"><a class="quiet" href=${context.href("/mutings/new", mutingOf(context, attributes))} aria-label=${`${texts.issue.mute}: ${title}`}>${icon("mute")} ${texts.issue.mute}</a></p>`
      }
    </div>
    ${element?.fix && html`<div class="whole">${fixLine(element.fix)}</div>`}
    ${change && html`<div class="whole">${changeLines(change)}</div>`}
    ${owned && mayWrite(context) && html`<div class="whole">${whoHasIt(context, attributes, causePath(context, id))}</div>`}
  </li>`;
}

/** The fields of a form that mutes the elements of the cause's first rule: all of its shape, or those at the place of the one that stands for them. */
export function mutingOf({ params, path }: PageContext, { rule, rules, place: where, element, url }: Cause) {
  const isShape = rules.length === 1 && where !== "" && !/^#[0-9a-f]{6}$/.test(where);
  const selector = isShape ? where : (element?.selector ?? undefined);
  return {
    rule: rule ?? undefined,
    selector,
    url_match: `//${new URL(url).host}/`,
    report_id: params.report_id,
    next: path,
  };
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The old and the new source. */
function changeLines({ before, after }: NonNullable<Cause["change"]>): Html {
  const line = (name: "del" | "ins", word: string, text: string) =>
    html`<${name}><code><span class="hidden">${word}</span>${text}</code></${name}>`;
  return html`<pre class="change">${before !== null && line("del", t.before, before)}${line("ins", t.after, after)}</pre>`;
}

/** What a cause is about, above all of its places. */
export function causeFacts(cause: Cause): Html {
  const { role, how_many, rules, success_criteria, change } = cause;
  return html`<div class="card grid close">
    <p class="line near">
      <b>${t.removesErrors(how_many)}</b> <span>${knownBy(cause)}</span> <span class="tag">${roleName(role)}</span>
      <span>${impactName(cause)}</span>
      ${success_criteria.map(({ number }) => html`<span class="quiet">${number}</span>`)}
    </p>
    <p class="quiet">${place(cause)}</p>
    <p class="quiet">${t.byRules(rules.length)} ${rules.map((rule, index) => html`${index > 0 && ", "}<code>${rule.slice(rule.indexOf(" ") + 1)}</code>`)}</p>
    ${change && changeLines(change)}
  </div>`;
}

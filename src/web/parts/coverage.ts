import type { Attributes } from "../../api/documents.ts";
import { namesAddress, tallyPages } from "../../domain/coverage/coverage.ts";
import { leftOutTexts } from "../../domain/coverage/left-out.ts";
import type { ExclusionReason } from "../../domain/failure.ts";
import { camelCase } from "../../schema/api-names.ts";
import { type Html, html } from "../html.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { icon } from "./icon.ts";
import { address } from "./text.ts";

const t = texts.coverage;
type Notice = NonNullable<Attributes<"report">["coverage"]>["notices"][number];

/** How much of the site the result covers, in a line. */
export function coveredPages({ coverage: covered }: Attributes<"report">): string[] {
  if (!covered) return [];
  const { pages, checked, failed, withoutPage } = tallyPages(covered);
  const left = Object.entries(covered.pages.left_out).map(
    ([reason, count]) => `${formatNumber(count)} ${leftOutTexts[reason as ExclusionReason].counted}`,
  );
  return [
    t.checked(checked, pages),
    ...(failed > 0 ? [t.failed(failed)] : []),
    ...(withoutPage > 0 ? [t.withoutPage(withoutPage)] : []),
    ...(left.length > 0 ? [t.leftOut(left.join(", "))] : []),
  ];
}

/** Why the result is incomplete, a strip for each reason, above everything that was found; what else is to know is folded. */
export function coverage({ coverage: covered }: Attributes<"report">, details?: string): Html {
  if (!covered) return null;
  const of = (severity: Notice["severity"]) => covered.notices.filter((notice) => notice.severity === severity);
  const [gaps, notes] = [of("gap"), of("note")];
  if (gaps.length + notes.length === 0) return null;
  return html`<section class="grid close" aria-label=${covered.complete ? t.notes(notes.length) : t.incomplete}>
    ${gaps.map((gap) => html`<div class="strip" data-notice=${gap.code}>${icon("alert")} <div>${notice(gap)}</div> ${remedy(gap, details)}</div>`)}
    ${
      notes.length > 0 &&
      html`<details>
        <summary>${t.notes(notes.length)}</summary>
        <ul class="rows">${notes.map((note) => html`<li data-notice=${note.code}>${notice(note)}</li>`)}</ul>
      </details>`
    }
  </section>`;
}

/** What is said of a run that is under way. */
export function noticesSoFar(notices: readonly Notice[]): Html {
  return notices.map(
    (one) => html`<div class="strip" data-notice=${one.code}>${icon("alert")} <div>${notice(one)}</div></div>`,
  );
}

/** What helps where a page of this service has it. */
function remedy({ code }: Notice, details: string | undefined): Html {
  return details !== undefined && code === "pages_failed" ? html`<p><a href=${details}>${t.showPages}</a></p>` : null;
}

function notice({ message, advice, examples, num_urls }: Notice): Html {
  const more = num_urls - examples.length;
  return html`<p><b>${message}</b> ${inLabels(advice)}</p>
    ${
      examples.length > 0 &&
      html`<details>
        <summary>${t.examples}</summary>
        <ul>
          ${examples.map((example) => html`<li>${!namesAddress(example) && address(example.url)} ${example.detail !== "" && html`<span class="quiet">${example.detail}</span>`}</li>`)}
          ${more > 0 && html`<li class="quiet">${texts.count.others(more)}</li>`}
        </ul>
      </details>`
    }`;
}

/** A text that names attributes of the API, with the labels of the form's fields in their place. */
function inLabels(text: string): string {
  const labels: Readonly<Record<string, unknown>> = texts.crawlForm;
  return text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => {
    const label = labels[camelCase(name)];
    return typeof label === "string" ? `“${label}”` : name;
  });
}

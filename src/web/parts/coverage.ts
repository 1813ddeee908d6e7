import type { Attributes } from "../../api/documents.ts";
import { namesAddress, tallyPages } from "../../domain/coverage/coverage.ts";
import { leftOutTexts } from "../../domain/coverage/left-out.ts";
import type { ExclusionReason } from "../../domain/failure.ts";
import { camelCase } from "../../schema/api-names.ts";
import { type Html, html } from "../html.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { address } from "./text.ts";

const t = texts.coverage;
type Notice = NonNullable<Attributes<"report">["coverage"]>["notices"][number];

/** What the result covers, above everything that was found. @param details where every address that was left out is listed */
export function coverage({ coverage: covered }: Attributes<"report">, details?: string): Html {
  if (!covered) return null;
  const { complete, notices } = covered;
  const { pages, checked, failed, withoutPage } = tallyPages(covered);
  const [gaps, notes] = (["gap", "note"] as const).map((severity) =>
    notices.filter((notice) => notice.severity === severity),
  ) as [Notice[], Notice[]];
  const left = Object.entries(covered.pages.left_out).map(
    ([reason, count]) => `${formatNumber(count)} ${leftOutTexts[reason as ExclusionReason].counted}`,
  );
  const facts = [
    t.checked(checked, pages),
    ...(failed > 0 ? [t.failed(failed)] : []),
    ...(withoutPage > 0 ? [t.withoutPage(withoutPage)] : []),
    ...(left.length > 0 ? [t.leftOut(left.join(", "))] : []),
  ];
  return html`<section class=${complete ? "coverage" : "coverage incomplete"} aria-labelledby="coverage">
    <h2 id="coverage">${complete ? t.complete : t.incomplete}</h2>
    <p>${facts.join(" · ")}${details !== undefined && left.length > 0 && html` <a href=${details}>${t.details}</a>`}</p>
    ${gaps.length > 0 && html`<ul class="rows">${gaps.map(notice)}</ul>`}
    ${
      notes.length > 0 &&
      html`<details>
        <summary>${t.notes(notes.length)}</summary>
        <ul class="rows">${notes.map(notice)}</ul>
      </details>`
    }
  </section>`;
}

function notice({ code, message, advice, examples, num_urls }: Notice): Html {
  const more = num_urls - examples.length;
  return html`<li>
    <strong>${message}</strong> ${inLabels(advice)} <code>${code}</code>
    ${
      examples.length > 0 &&
      html`<details>
        <summary>${t.examples}</summary>
        <ul>
          ${examples.map((example) => html`<li>${!namesAddress(example) && address(example.url)} ${example.detail !== "" && html`<span class="quiet">${example.detail}</span>`}</li>`)}
          ${more > 0 && html`<li class="quiet">${texts.count.others(more)}</li>`}
        </ul>
      </details>`
    }
  </li>`;
}

/** A text that names attributes of the API, with the labels of the form's fields in their place. */
function inLabels(text: string): string {
  const labels: Readonly<Record<string, unknown>> = texts.crawlForm;
  return text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => {
    const label = labels[camelCase(name)];
    return typeof label === "string" ? `“${label}”` : name;
  });
}

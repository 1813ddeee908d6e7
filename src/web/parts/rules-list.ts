import type { Resource } from "../../api/documents.ts";
import { type Role, roles } from "../../domain/findings/role.ts";
import { type Html, html } from "../html.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { bar } from "./chart.ts";
import { engineText, titleOf, typeBadge } from "./finding.ts";
import { icon } from "./icon.ts";
import { roleName } from "./report-cards.ts";

const t = texts.issues;

type Row = Resource<"report_rule">;
/** What a row does: it leads to its rule, or opens in place. */
type Does = { link: (row: Row) => string } | { inside: (row: Row) => Html };

/** Rules with bars on one scale. */
export function rulesList(
  { id, title, below, most }: { id: string; title: string; below: Html; most?: number },
  list: readonly Row[],
  does: Does,
): Html {
  const scale = most ?? Math.max(...list.map(({ attributes }) => attributes.how_many));
  return html`<section class="card flush" aria-labelledby=${id}>
    <div class="rules-head">
      <h2 id=${id}>${title}</h2>
      <span class="n small quiet">${t.columns.findings}</span><span class="n small quiet">${t.columns.pages}</span>
    </div>
    <ol class="rules">
      ${list.map((row) =>
        "link" in does
          ? html`<li>${cells(row, scale, html`<a href=${does.link(row)}>${row.attributes.title}</a>`)}</li>`
          : html`<li>
              <details>
                <summary>${icon("next")} ${cells(row, scale, html`<b>${row.attributes.title}</b>`, true)}</summary>
                <div class="inside grid close">${does.inside(row)}</div>
              </details>
            </li>`,
      )}
    </ol>
    ${below && html`<div class="tools">${below}</div>`}
  </section>`;
}

/** @param isMerged rules of several engines are one row, which says of which */
function cells({ attributes: row }: Row, most: number, title: Html, isMerged = false): Html {
  const { rules, issue_type, impact, outside_standard, states, roles: counts } = row;
  const { how_many, num_pages, success_criteria } = row;
  const names = rules.flatMap(({ rule }) => rule ?? []);
  const kinds = [...new Set(rules.map(({ kind }) => kind))];
  return html`${impact ? icon(impact, texts.impacts[impact]) : icon("markup")}
    <span>
      <span class="block">${title} ${names.length > 0 && html`<code class="quiet">${names.join(", ")}</code>`}</span>
      ${engineText(row)}
    </span>
    <span class="line near about">
      ${states && states.new > 0 && html`<span class="tag bad">${formatNumber(states.new)} ${texts.states.new}</span>`}
      ${counts && (Object.keys(roles) as Role[]).map((role) => counts[role] > 0 && html`<span class="tag">${roleName(role)}</span>`)}
      ${isMerged && kinds.map((kind) => html`<span class="tag">${titleOf(kind)}</span>`)}
      ${outside_standard ? typeBadge(issue_type, true) : issue_type === "warning" && typeBadge(issue_type)}
      ${success_criteria.map(({ number }) => html`<span class="tag">${number}</span>`)}
    </span>
    ${bar({ value: how_many, kind: impact ?? "markup" }, most)}
    <b class="n">${formatNumber(how_many)}<span class="hidden"> ${t.columns.findings}</span></b>
    <span class="n quiet">${formatNumber(num_pages)}<span class="hidden"> ${t.columns.pages}</span></span>`;
}

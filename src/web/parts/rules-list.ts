import type { Resource } from "../../api/documents.ts";
import { type Role, roles } from "../../domain/findings/role.ts";
import { type Html, html } from "../html.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { bar } from "./chart.ts";
import { engineText, typeBadge } from "./finding.ts";
import { icon } from "./icon.ts";
import { roleName } from "./report-cards.ts";

const t = texts.issues;

/** Rules with bars on one scale. Each row leads to its rule. */
export function rulesList(
  { id, title, below }: { id: string; title: string; below: Html },
  list: readonly Resource<"report_rule">[],
  link: (row: Resource<"report_rule">) => string,
): Html {
  const most = Math.max(...list.map(({ attributes }) => attributes.how_many));
  return html`<section class="card flush" aria-labelledby=${id}>
    <div class="rules-head">
      <h2 id=${id}>${title}</h2>
      <span class="n small quiet">${t.columns.findings}</span><span class="n small quiet">${t.columns.pages}</span>
    </div>
    <ol class="rules">
      ${list.map((row) => {
        const { title: text, rule, issue_type, impact, outside_standard, states, roles: counts } = row.attributes;
        const { how_many, num_pages, success_criteria } = row.attributes;
        return html`<li>
          ${impact ? icon(impact, texts.impacts[impact]) : icon("markup")}
            <span>
              <span class="block"><a href=${link(row)}>${text}</a> ${rule && html`<code class="quiet">${rule}</code>`}</span>
              ${engineText(row.attributes)}
            </span>
            <span class="line near about">
              ${states && states.new > 0 && html`<span class="tag bad">${formatNumber(states.new)} ${texts.states.new}</span>`}
              ${counts && (Object.keys(roles) as Role[]).map((role) => counts[role] > 0 && html`<span class="tag">${roleName(role)}</span>`)}
              ${outside_standard ? typeBadge(issue_type, true) : issue_type === "warning" && typeBadge(issue_type)}
              ${success_criteria.map(({ number }) => html`<span class="tag">${number}</span>`)}
            </span>
            ${bar({ value: how_many, kind: impact ?? "markup" }, most)}
            <b class="n">${formatNumber(how_many)}<span class="hidden"> ${t.columns.findings}</span></b>
            <span class="n quiet">${formatNumber(num_pages)}<span class="hidden"> ${t.columns.pages}</span></span>
        </li>`;
      })}
    </ol>
    ${below && html`<div class="tools">${below}</div>`}
  </section>`;
}

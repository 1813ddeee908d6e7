import type { Attributes } from "../../api/documents.ts";
import { type Role, roles } from "../../domain/findings/role.ts";
import { type Html, html } from "../html.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { bar } from "./chart.ts";
import { type CommonIssueType, type Rule, typeBadge } from "./finding.ts";
import { icon } from "./icon.ts";
import { roleName } from "./report-cards.ts";

const t = texts.issues;

/** An issue of any kind, as lists show it. */
export type ListedRule = Rule & Pick<Attributes<CommonIssueType>, "how_many" | "num_pages" | "states" | "roles">;

/**
 * Rules with bars on one scale. Each row leads to its rule.
 *
 * @param pagesOf on how many pages a rule is found, if that is more than a number
 */
export function rulesList<Row extends ListedRule>(
  { id, title, below }: { id: string; title: string; below: Html },
  list: readonly Row[],
  link: (row: Row) => string,
  pagesOf: (row: Row) => string = ({ num_pages }) => formatNumber(num_pages),
): Html {
  const most = Math.max(...list.map(({ how_many }) => how_many));
  return html`<section class="card flush" aria-labelledby=${id}>
    <div class="rules-head">
      <h2 id=${id}>${title}</h2>
      <span class="n small quiet">${t.columns.findings}</span><span class="n small quiet">${t.columns.pages}</span>
    </div>
    <ol class="rules">
      ${list.map((row) => {
        const { title: text, rule, type, impact, outside, states, roles: counts, how_many, criteria } = row;
        return html`<li>
          ${impact ? icon(impact, texts.impacts[impact]) : icon("markup")}
            <span>
              <a href=${link(row)}>${text}</a>${" "}
              ${rule && html`<code class="quiet">${rule}</code>`}
            </span>
            <span class="line near about">
              ${states && states.new > 0 && html`<span class="tag bad">${formatNumber(states.new)} ${texts.states.new}</span>`}
              ${counts && (Object.keys(roles) as Role[]).map((role) => counts[role] > 0 && html`<span class="tag">${roleName(role)}</span>`)}
              ${outside ? typeBadge(type, true) : type === "warning" && typeBadge(type)}
              ${criteria.map(({ number }) => html`<span class="tag">${number}</span>`)}
            </span>
            ${bar({ value: how_many, kind: impact ?? "markup" }, most)}
            <b class="n">${formatNumber(how_many)}<span class="hidden"> ${t.columns.findings}</span></b>
            <span class="n quiet">${pagesOf(row)}<span class="hidden"> ${t.columns.pages}</span></span>
        </li>`;
      })}
    </ol>
    ${below && html`<div class="tools">${below}</div>`}
  </section>`;
}

import type { Attributes, List } from "../../api/documents.ts";
import { type Role, roles } from "../../domain/findings/role.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { holderName, until } from "./assignment.ts";
import { bar } from "./chart.ts";
import { select } from "./form.ts";
import { icon } from "./icon.ts";
import { shares } from "./rates.ts";
import { reportPath, totalsOf } from "./report.ts";
import { externalLink } from "./text.ts";

const t = texts.report.cards;

/** Who can mend something: a drawing and a word. */
export function roleName(role: Role): Html {
  return html`${icon(role)}\u00A0${texts.roles[role]}`;
}

/** A row of a list whose bars are on one scale. */
type Row = { name: Html; value: number; beside: Html; to: string };

function rows(list: readonly Row[]): Html {
  const most = Math.max(1, ...list.map(({ value }) => value));
  return html`<ul class="tree">
    ${list.map(
      ({ name, value, beside, to }) =>
        html`<li><a href=${to}><span>${name}</span>${bar({ value, kind: "markup" }, most)}<b class="n">${formatNumber(value)}</b><span class="n quiet">${beside}</span></a></li>`,
    )}
  </ul>`;
}

/** Who can mend the errors: null before the report has ended, and without errors. */
export function whoFixes(context: PageContext, { roles: counts }: Attributes<"report">): Html {
  const all = counts ? Object.values(counts).reduce((sum, count) => sum + count, 0) : 0;
  if (!counts || all === 0) return null;
  const names = Object.keys(roles) as Role[];
  const parts = shares(names.map((role) => counts[role]));
  const list = names.map((role, index) => ({
    name: html`${roleName(role)} <span class="quiet extra">${t.roleMeans[role]}</span>`,
    value: counts[role],
    beside: parts[index],
    to: context.href(reportPath(context, "/issues"), { role }),
  }));
  return html`<section class="card grid close" aria-labelledby="who"><h2 id="who">${t.who}</h2>${rows(list)}</section>`;
}

const MAX_SECTIONS = 12;
/** In a list to choose from; others are reached from the report. */
const MAX_PARTS = 50;

/** The folders of the site with the most errors; null for a site without folders. */
export async function sections(context: PageContext, report: Attributes<"report">): Promise<Html> {
  const { data, meta } = await context.api.get<List<"section">>(`/reports/${context.params.report_id}/sections`, {
    "page[size]": String(MAX_SECTIONS),
  });
  if (meta.total < 2) return null;
  const row = (name: Html, value: number, pages: number, path?: string) => ({
    ...{ name, value, beside: formatNumber(pages), to: context.href(reportPath(context, "/issues"), { path }) },
  });
  const held = (assignment: Attributes<"section">["assignment"]) => {
    if (!assignment) return null;
    const end = until(assignment, context.now);
    return html` <span class="quiet small">${icon("person")} ${holderName(assignment)}${end && ", "}${end}</span>`;
  };
  const list = [
    row(html`<b>${t.wholeSite}</b>`, totalsOf(report).errors, report.num_pages),
    ...data.map(({ attributes: { path, errors, num_pages, assignment } }) =>
      row(html`${path === "/" ? t.topLevel : path}${held(assignment)}`, errors, num_pages, path),
    ),
  ];
  return html`<section class="card grid close" aria-labelledby="parts">
    <div class="line"><h2 id="parts">${t.parts}</h2><span class="quiet small push">${t.partsColumns}</span></div>
    ${rows(list)} ${meta.total > data.length && html`<p class="quiet">${texts.count.others(meta.total - data.length)}</p>`}
  </section>`;
}

/** A choice of one of the site's folders, for a form above a list; null for a site without folders. */
export async function partsOf({ api, params, query }: PageContext): Promise<Html> {
  const { data, meta } = await api.get<List<"section">>(`/reports/${params.report_id}/sections`, {
    "page[size]": String(MAX_PARTS),
  });
  const value = query.get("path") ?? "";
  const paths = [...new Set([...(value ? [value] : []), ...data.map(({ attributes }) => attributes.path)])];
  if (meta.total < 2 && value === "") return null;
  const options = paths.map((path) => ({ value: path, label: path === "/" ? t.topLevel : path }));
  return select({ name: "path", label: t.part, value, options: [{ value: "", label: t.wholeSite }, ...options] });
}

const marks = { fails: "✕", nothing_found: "✓", not_judged: "" } as const;
const tones = { fails: "fails", nothing_found: "good", not_judged: "quiet" } as const;

/** In a sentence, where nothing has a background. */
const sumTones = { ...tones, fails: "bad" };

/** What is known of each success criterion of the report's standard; null where it has none. */
export async function criteriaCard(context: PageContext, report: Attributes<"report">): Promise<Html> {
  if (!report.checks.a11y && !report.checks.html) return null;
  const { data } = await context.api.get<List<"criterion">>(`/reports/${context.params.report_id}/criteria`, {
    "page[size]": "100",
  });
  if (data.length === 0) return null;
  const counts = Map.groupBy(data, ({ attributes }) => attributes.state);
  const summary = (Object.keys(marks) as (keyof typeof marks)[]).map(
    (state) =>
      html`<li class=${sumTones[state]}>${marks[state]} <b>${formatNumber(counts.get(state)?.length ?? 0)}</b> ${t.sums[state]}</li>`,
  );
  return html`<section class="card grid close" aria-labelledby="criteria">
    <h2 id="criteria">${texts.standards[report.standard] ?? report.standard}</h2>
    <ul class="line near">${summary}</ul>
    <ul class="wcag">
      ${data.map(({ attributes: { number, title, state, url } }) => {
        const words = html`${number} ${marks[state]}<span class="hidden"> ${title}: ${t.states[state]}</span>`;
        const issues = context.href(reportPath(context, "/issues"), { criterion: number });
        const link = state === "fails" ? html`<a href=${issues}>${words}</a>` : externalLink(url, words);
        return html`<li class=${tones[state]} title=${title}>${link}</li>`;
      })}
    </ul>
  </section>`;
}

import type { CursorList, List, One, Resource } from "../../api/documents.ts";
import { type Role, roles } from "../../domain/findings/role.ts";
import { isEndPhase } from "../../schema/status.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { faultCard } from "../page-findings/fault-card.ts";
import { faultsOf } from "../page-findings/faults.ts";
import { readConsequences } from "../page-findings/read-consequences.ts";
import { segments } from "../parts/chips.ts";
import { input } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { reportPath, reportRoutes } from "../parts/report.ts";
import { readFrame } from "../parts/report-head.ts";
import { cursorQuery, nextPart, pageQuery, pagination } from "../parts/table.ts";
import { address, empty, externalLink } from "../parts/text.ts";
import { unknownValues } from "../parts/unknown-values.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.editors;
const PATH = "/editors";
const MAX_PAGES = 20;
const MAX_FINDINGS = 50;

/** What editors can repair, page by page: for somebody who is sent a link, and knows neither rules nor engines. */
export const editorPages: readonly PageRoute[] = [
  ...reportRoutes(PATH, read),
  ...reportRoutes(`${PATH}/:page_id`, read),
];

async function read(context: PageContext): Promise<View> {
  const { api, params, query } = context;
  const root = `/reports/${params.report_id}`;
  const { data: report } = await api.get<One<"report">>(root);
  const { tabs, ...frame } = await readFrame(context, report.attributes, "editors");
  const list = await api.get<List<"web_page">>(`${root}/web_pages`, {
    "filter[url]": query.get("url") ?? undefined,
    sort: "errors-desc",
    ...pageQuery(query, MAX_PAGES),
  });
  const shown =
    params.page_id === undefined
      ? (list.data.find(({ attributes }) => attributes.faults.content > 0) ?? list.data[0])
      : (await api.get<One<"web_page">>(`${root}/web_pages/${params.page_id}`)).data;
  const content = html`<div>
    ${tabs} ${unknownValues(context, { role: { label: texts.issues.role, values: Object.keys(roles) } })}
    ${
      isEndPhase(report.attributes.phase)
        ? html`<div class="grid beside">${pageList(context, list, shown)} ${shown && (await toRepair(context, shown))}</div>`
        : empty(t.running)
    }
  </div>`;
  return { ...frame, title: `${t.title}: ${report.attributes.starting_url}`, content };
}

/** The pages, those with the most errors first, with how much of their text is to be repaired. */
function pageList(
  context: PageContext,
  { data, meta }: List<"web_page">,
  shown: Resource<"web_page"> | undefined,
): Html {
  const url = context.query.get("url") ?? "";
  const item = ({ id, attributes }: Resource<"web_page">) => {
    const count = attributes.faults.content;
    const to = context.href(reportPath(context, `${PATH}/${id}`), { url });
    return html`<li>
      <a href=${to} aria-current=${id === shown?.id ? "page" : undefined}>
        <span>${address(attributes.url)}</span>
        <b class="n push">${count > 0 ? formatNumber(count) : attributes.status === "checked" ? icon("passed", t.nothing) : "–"}</b>
      </a>
    </li>`;
  };
  return html`<nav class="card flush grid close" aria-labelledby="which">
    <div class="tools grid close">
      <div class="line"><h2 id="which">${t.which}</h2><span class="push small quiet">${t.errors}</span></div>
      <form class="filters" method="get" action=${context.href(reportPath(context, PATH))} aria-label=${texts.issues.filters}>
        ${input({ name: "url", label: texts.pages.filter, value: url, bare: true })}
        <button class="quiet">${t.show}</button>
      </form>
    </div>
    ${data.length === 0 ? html`<p class="tools">${texts.pages.none}</p>` : html`<ol class="found">${data.map(item)}</ol>`}
    <div class="tools">${pagination({ ...context, path: reportPath(context, PATH) }, texts.pages.title, meta, { size: MAX_PAGES })}</div>
  </nav>`;
}

/** What is to be repaired on a page: in its text or, if that is chosen, in the template or the design. */
async function toRepair(context: PageContext, page: Resource<"web_page">): Promise<Html> {
  const { api, params, query } = context;
  const path = reportPath(context, `${PATH}/${page.id}`);
  const role = (Object.keys(roles) as Role[]).find((name) => name === query.get("role")) ?? "content";
  const findings = await api.get<CursorList<"finding">>(`/reports/${params.report_id}/findings`, {
    ...{ "filter[web_page_id]": page.id, "filter[role]": role, "page[size]": String(MAX_FINDINGS) },
    ...{ "filter[consequence]": "false", ...cursorQuery(query) },
  });
  const faults = faultsOf(findings.data, await readConsequences(api, params.report_id ?? "", page.id));
  const guides = await context.guides();
  return html`<section class="grid" aria-labelledby="repair">
    <h2 id="repair">${externalLink(page.attributes.url, html`${address(page.attributes.url)} ${icon("out", texts.page.open)}`)}</h2>
    <p class="verdict"><b>${t.things(page.attributes.faults[role])}</b> ${t.where[role]}</p>
    ${segments({ ...context, path }, { name: "role", label: texts.issues.role, all: undefined, ...choices })}
    ${faults.length === 0 ? html`<p class="card">${t.nothing}</p>` : html`<ol class="cards">${faults.map((fault) => faultCard(context, guides, fault))}</ol>`}
    ${nextPart({ ...context, path }, findings.links, { role })}
    <p class="quiet">${t.limits} <a href=${context.href(reportPath(context, `/pages/${page.id}`))}>${t.more}</a></p>
  </section>`;
}

/** What is in the text is shown unless something else is chosen. */
const choices = {
  allText: t.roles.content,
  values: (Object.keys(roles) as Role[])
    .filter((role) => role !== "content")
    .map((value) => ({ value, text: t.roles[value] })),
};

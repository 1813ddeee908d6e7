import type { Attributes, CursorList, List, One, Resource } from "../../api/documents.ts";
import { checkKinds, nounOf } from "../../checks/kinds.ts";
import { urlText } from "../../domain/addresses/page-variant.ts";
import { type Role, roles } from "../../domain/findings/role.ts";
import { type Html, html } from "../html.ts";
import type { FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { details, type IssueElement } from "../page-findings/details.ts";
import { type Fault, faultsOf, firstOf, orphansOf } from "../page-findings/faults.ts";
import { pagePicture } from "../page-findings/picture.ts";
import { readConsequences } from "../page-findings/read-consequences.ts";
import { segments } from "../parts/chips.ts";
import { fixLine } from "../parts/consequence.ts";
import { engineText, type PageIssueType } from "../parts/finding.ts";
import { actionForm } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { linkedFrom } from "../parts/linked-from.ts";
import { pathOnSite } from "../parts/page-name.ts";
import { isOwned, reportPath, reportRoutes } from "../parts/report.ts";
import { readFrame } from "../parts/report-head.ts";
import { cursorQuery, nextPart } from "../parts/table.ts";
import { address, externalLink, milliseconds, time } from "../parts/text.ts";
import { unknownValues } from "../parts/unknown-values.ts";
import type { Place } from "../source/excerpts.ts";
import { sourcePane } from "../source/source-section.ts";
import { texts } from "../texts/en.ts";
import { listParameters, listQuery } from "./web-pages.ts";

const t = texts.page;

export const pageRoutes: readonly PageRoute[] = [
  ...reportRoutes("/pages/:page_id", read),
  ...reportRoutes("/pages/:page_id/screenshot", async ({ params }) => ({
    forward: { path: `${pathOf(params)}/screenshot` },
  })),
  ...reportRoutes("/pages/:page_id/pictures/:picture_id", async ({ params }) => ({
    forward: { path: `${pathOf(params)}/pictures/${params.picture_id}` },
  })),
];

export const webPageForms: readonly FormRoute[] = [
  {
    path: "/reports/:report_id/pages/:page_id/again",
    access: "account",
    submit: async ({ api, params, href }) => {
      await api.patch(pathOf(params), { status: "pending" });
      return { redirect: href(`/reports/${params.report_id}/pages/${params.page_id}`, { done: "queued" }) };
    },
  },
];

/** The page in the API. */
function pathOf({ report_id, page_id }: PageContext["params"]): string {
  return `/reports/${report_id}/web_pages/${page_id}`;
}

/** As many findings as one page of ours shows: the next part has the others. */
const MAX_FINDINGS = 100;

async function read(context: PageContext): Promise<View> {
  const { api, params, query } = context;
  const { data: report } = await api.get<One<"report">>(`/reports/${params.report_id}`);
  const { data: page } = await api.get<One<"web_page">>(pathOf(params));
  const role = (Object.keys(roles) as Role[]).find((name) => name === query.get("role"));
  const { listed, named, orphans, consequences } = await findingsOf(context, page.id, role);
  const all = faultsOf([...named, ...listed.data, ...orphans], consequences);
  // As they are counted: one of several rules may have two roles.
  const faults = all.filter(
    ({ findings }) => role === undefined || findings.some(({ attributes }) => attributes.role === role),
  );
  const asked = faults.find((fault) => isAskedFor(fault, query));
  const selected = asked ?? faults[0];
  const { tabs, ...frame } = await readFrame(context, report.attributes, "pages");
  const waits = page.attributes.status === "pending" || page.attributes.status === "checking";
  const owned = isOwned(context, report.attributes);
  const kept = ["role", "after", "at", ...listParameters, ...(named.length > 0 ? naming : [])];
  const content = html`<div>
    ${tabs} ${unknownValues(context, { role: { label: texts.issues.role, values: Object.keys(roles) } })} ${head(context, page, { owned, report: report.attributes, beside: await besideOf(context) })}
    ${waits && [html`<p class="quiet when-script" role="status">${t.live}</p>`, html`<noscript><p class="quiet">${t.liveWithout}</p></noscript>`]}
    ${selected && !asked && ["finding", ...naming].some((name) => query.has(name)) && html`<p class="card tools problems" role="status">${t.notAmong}</p>`}
    ${selected ? await panes(context, page, { faults, selected, owned, kept, total: Math.max(faults.length, page.attributes.faults[role ?? "all"]) }) : nothing(context, page)}
    ${nextPart(context, listed.links, { role })}
  </div>`;
  const live = waits ? context.href(reportPath(context, "/events")) : undefined;
  const list = Object.fromEntries(listParameters.map((name) => [name, query.get(name) ?? undefined]));
  const crumb = { text: texts.report.tabs.pages, to: context.href(reportPath(context, "/pages"), list) };
  const crumbs = query.has("at") ? [...(frame.crumbs ?? []), crumb] : frame.crumbs;
  return { ...frame, ...(crumbs && { crumbs }), title: urlText(page.attributes.url), content, live };
}

/** The parameters by which lists name a finding of a page. */
const naming = ["component", "rule"];

/**
 * The part of the page's findings that the address asks for, of those that follow from no other.
 *
 * @returns also the finding that the address names where it is in another part; those that follow from muted ones; and
 *   the first ones that follow from others
 */
async function findingsOf({ api, params, query }: PageContext, pageId: string, role: Role | undefined) {
  const list = (more: Readonly<Record<string, string | undefined>>) =>
    api.get<CursorList<"finding">>(`/reports/${params.report_id}/findings`, { "filter[web_page_id]": pageId, ...more });
  const part = { "page[size]": String(MAX_FINDINGS), ...cursorQuery(query) };
  const first = await list({ ...part, "filter[consequence]": "false" });
  const consequences = await readConsequences(api, params.report_id ?? "", pageId);
  const isWhole = !query.has("after") && !first.links.next;
  // Faults keep their numbers where all of them are known: then what has the role is chosen afterwards.
  const listed =
    role === undefined || isWhole
      ? first
      : await list({ ...part, "filter[consequence]": "false", "filter[role]": role });
  const name = naming.find((one) => query.get(one));
  const orphans = orphansOf(listed.data, consequences);
  if (isWhole) return { listed, named: [], orphans, consequences };
  // What follows from a finding of another part is not here.
  const known = [...listed.data, ...consequences.filter((one) => !orphans.includes(one))];
  if (!name || known.some(({ attributes }) => isNamed(attributes, query)))
    return { listed, named: [], orphans: [], consequences };
  const { data: named } = await list({
    ...{ [`filter[${name}]`]: query.get(name) ?? "", "filter[role]": role, "page[size]": "1" },
  });
  return { listed, named, orphans: [], consequences };
}

/** By its number or, in links of lists, by its rule or its component. */
function isAskedFor({ number, findings, consequences }: Fault, query: URLSearchParams): boolean {
  if (query.has("finding")) return query.get("finding") === String(number);
  return [...findings, ...consequences].some(({ attributes }) => isNamed(attributes, query));
}

function isNamed({ rule, component }: Attributes<"finding">, query: URLSearchParams): boolean {
  return (rule !== null && rule === query.get("rule")) || component === query.get("component");
}

function roleOf(fault: Fault): Role | undefined {
  return firstOf(fault, ({ role }) => role);
}

/** Where a page is in the list that led to it, with links to those beside it. */
type Beside = { at: number; total: number; previous: string | undefined; next: string | undefined };

/** The pages before and after it in the list that led here; null from elsewhere, or when that list has changed. */
async function besideOf(context: PageContext): Promise<Beside | null> {
  const { api, params, query, href } = context;
  const at = Number(query.get("at"));
  if (!Number.isSafeInteger(at) || at < 1) return null;
  const kept = Object.fromEntries(listParameters.map((name) => [name, query.get(name) ?? undefined]));
  const asked = listQuery(context);
  const read = async (place: number) => {
    if (place < 1) return undefined;
    const one = { ...asked, "page[size]": "1", "page[number]": String(place) };
    const { data, meta } = await api.get<List<"web_page">>(`/reports/${params.report_id}/web_pages`, one);
    return { id: data[0]?.id, total: meta.total };
  };
  const [before, here, after] = await Promise.all([read(at - 1), read(at), read(at + 1)]);
  if (here?.id !== params.page_id) return null;
  const to = (id: string | undefined, place: number) =>
    id === undefined ? undefined : href(reportPath(context, `/pages/${id}`), { ...kept, at: String(place) });
  return { at, total: here?.total ?? 0, previous: to(before?.id, at - 1), next: to(after?.id, at + 1) };
}

function stepper({ at, total, previous, next }: Beside): Html {
  const link = (to: string | undefined, name: "previous" | "next") =>
    to !== undefined &&
    html`<a class="button quiet" rel=${name === "next" ? "next" : "prev"} href=${to} aria-label=${t.pageSteps[name]}>${icon(name)}</a>`;
  return html`<nav class="line near" aria-label=${texts.pages.title}>${link(previous, "previous")}<span>${texts.count.of(at, total)}</span>${link(next, "next")}</nav>`;
}

type Head = { owned: boolean; report: Attributes<"report">; beside: Beside | null };

/** The page's name and address, its state, and what can be done with it. */
function head(context: PageContext, page: Resource<"web_page">, { owned, report, beside }: Head): Html {
  const { faults } = page.attributes;
  const values = (Object.keys(roles) as Role[]).flatMap((role) =>
    faults[role] > 0 || context.query.get("role") === role
      ? [{ value: role, text: texts.roles[role], count: faults[role] }]
      : [],
  );
  return html`<div class="line">
      ${beside && stepper(beside)}
      <div>
        ${page.attributes.title !== null && html`<h2>${page.attributes.title}</h2>`}
        <${page.attributes.title === null ? "h2" : "p"} class=${page.attributes.title === null ? undefined : "quiet"}>
          ${externalLink(page.attributes.url, html`${address(page.attributes.title === null ? page.attributes.url : pathOnSite(report.starting_url, page.attributes.url))} ${icon("out", t.open)}`)}
        <//>
      </div>
      <div class="line near push">
        ${values.length > 1 && segments(context, { name: "role", label: texts.issues.role, all: faults.all, values })}
        ${owned && actionForm(context, `/reports/${context.params.report_id}/pages/${page.id}/again`, html`${icon("again")} ${t.again}`, { quiet: true })}
      </div>
    </div>
    ${facts(page)}`;
}

function facts({ attributes: page }: Resource<"web_page">): Html {
  const checks = checkKinds.map((kind) => page[`${nounOf(kind)}_check`]);
  const from = linkedFrom(page, externalLink);
  const failures = new Set(checks.flatMap((check) => check?.failure?.detail ?? check?.failure?.code ?? []));
  return html`<ul class="line">
    <li>${icon(statusIcons[page.status])} ${texts.pages.status[page.status]}</li>
    ${from && html`<li><span class="quiet">${t.linkedFrom}</span> ${from}</li>`}
    ${page.last_checked_at && html`<li><span class="quiet">${t.checkedAt}</span> ${time(page.last_checked_at)}</li>`}
    ${page.duration_ms !== null && html`<li><span class="quiet">${t.took}</span> ${milliseconds(page.duration_ms)}</li>`}
    ${checks.some((check) => check?.reused) && html`<li>${t.unchanged}</li>`}
    ${[...failures].map((detail) => html`<li>${detail}</li>`)}
  </ul>`;
}

const statusIcons = { pending: "running", checking: "running", checked: "passed", failed: "alert" } as const;

/** What stands in place of findings. */
function nothing({ query }: PageContext, { attributes: { status } }: Resource<"web_page">): Html {
  if (query.has("role")) return html`<p class="card">${texts.issues.none}</p>`;
  return html`<p class="card">${status === "checked" ? t.noFindings : status === "failed" ? t.notChecked : t.notYet}</p>`;
}

/** `kept` are the parameters of the address on which the numbers of the faults depend. */
type Shown = { faults: readonly Fault[]; selected: Fault; owned: boolean; kept: readonly string[]; total: number };

/** The faults, where they are in the picture and the source, and what helps against the selected one. */
async function panes(
  context: PageContext,
  page: Resource<"web_page">,
  { faults, selected, owned, kept, total }: Shown,
): Promise<Html> {
  const elements = await elementsOf(context, selected);
  const { query, path, href } = context;
  const others = Object.fromEntries([...query].filter(([name]) => kept.includes(name)));
  const link = (number: number) => `${href(path, { ...others, finding: String(number) })}#how`;
  const shapes = new Map(faults.map(({ number, shape }) => [number, shape]));
  const source = await sourcePane(context, page, {
    places: placesOf(faults, selected, elements),
    shapeOf: (number) => shapes.get(number) ?? "h",
    selected: selected.number,
    link,
    fix: fixLine(firstOf(selected, ({ element }) => element?.fix)),
  });
  const at = faults.indexOf(selected);
  const step = (index: number, name: "previous" | "next") => {
    const to = faults[index];
    return (
      to &&
      html`<a class="button quiet" rel=${name === "next" ? "next" : "prev"} href=${link(to.number)} aria-label=${t.steps[name]}>${icon(name)}</a>`
    );
  };
  const steps = html`<nav class="line near" aria-label=${t.findings}>${step(at - 1, "previous")}<span>${faults.length < total ? t.ofPart(at + 1, faults.length) : texts.count.of(at + 1, total)}</span>${step(at + 1, "next")}</nav>`;
  return html`<div class="card flush">
    <div class="panes">
      ${list(faults, selected, link, total)}
      ${pagePicture(context, page, { faults, selected: selected.number, link: ({ number }) => link(number) })} ${source}
    </div>
    ${details(context, await context.guides(), { fault: selected, elements, owned, steps })}
  </div>`;
}

/** @param total how many faults there are: a page of ours may show a part */
function list(faults: readonly Fault[], selected: Fault, link: (number: number) => string, total: number): Html {
  const item = (fault: Fault) => {
    const { attributes: finding } = fault.findings[0];
    const impact = firstOf(fault, (one) => one.impact);
    const role = roleOf(fault);
    const more = fault.consequences.reduce((sum, one) => sum + one.attributes.how_many, 0);
    return html`<li>
      <a href=${link(fault.number)} aria-current=${fault === selected ? "true" : undefined}>
        <span class=${`no ${fault.shape}`}>${fault.number}</span>
        <span>
          ${finding.title}${engineText(finding)}<br />
          <span class="small quiet">
            ${impact ? html`${icon(impact)} ${texts.impacts[impact]}` : html`${icon("markup")} ${t.withoutImpact}`}${finding.issue_type === "warning" && `, ${texts.types.warning}`}${role && `, ${texts.roles[role]}`}${more > 0 && ` ${texts.consequences.andMore(more)}`}
          </span>
        </span>
      </a>
    </li>`;
  };
  return html`<section class="pane" aria-labelledby="findings">
    <h3 id="findings">${texts.count.findings(total)}</h3>
    ${faults.length < total && html`<p class="small quiet">${t.shownHere(faults.length)}</p>`}
    <ol class="found">${faults.map(item)}</ol>
  </section>`;
}

/** All elements of a fault, which look alike: a finding has only the first of them. */
async function elementsOf({ api, params }: PageContext, { findings }: Fault): Promise<IssueElement[]> {
  const several = findings.filter(({ attributes }) => attributes.how_many > 1);
  const lists = await Promise.all(
    several.map(async ({ attributes: { fingerprint }, relationships }) => {
      const path = relationships.issue.links.related.split(`/web_pages/${params.page_id}`)[1] ?? "";
      const { data } = await api.get<One<PageIssueType>>(`${pathOf(params)}${path}`);
      const elements: readonly IssueElement[] = (data.attributes as Attributes<PageIssueType>).html;
      return elements.filter((element) => element.fingerprint === fingerprint);
    }),
  );
  return lists.flat();
}

/** The places of the faults in the source: of the selected one all, and those of what follows from it, of the others the first. */
function placesOf(faults: readonly Fault[], selected: Fault, elements: readonly IssueElement[]): Place[] {
  return faults.flatMap((fault): Place[] => {
    const all =
      fault === selected
        ? elements.flatMap((one) => ("coordinates" in one && one.coordinates ? [one.coordinates] : []))
        : [];
    const first = firstOf(fault, ({ element }) => element?.coordinates);
    const follow = fault.consequences.flatMap(({ attributes }) => attributes.element?.coordinates ?? []);
    const own = all.length > 0 ? all : first ? [first] : [];
    return (fault === selected ? [...own, ...follow] : own).map((place) => ({ number: fault.number, ...place }));
  });
}

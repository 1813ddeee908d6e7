import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { nextDay } from "../../domain/calendar-day.ts";
import { RequestError } from "../../domain/errors.ts";
import { isEndPhase } from "../../schema/status.ts";
import { dayIn, textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, FormRoute, Outcome, PageContext, View } from "../page.ts";
import { mayWrite, requireHost } from "../parts/access.ts";
import { chips } from "../parts/chips.ts";
import { utc } from "../parts/dates.ts";
import { hiddenFields, input, problems, select } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { type Icon, icon } from "../parts/icon.ts";
import { totalsOf, verdictOfWhole } from "../parts/report.ts";
import { settingsCrumbs } from "../parts/settings.ts";
import { pageNumber, pageQuery, pagination, table } from "../parts/table.ts";
import { shortTime, time } from "../parts/text.ts";
import { unknownValues } from "../parts/unknown-values.ts";
import { formatBytes, texts } from "../texts/en.ts";

export const PATH = "/kept";
export const SELECTED = `${PATH}/selected`;
/** Chooses the reports that the limits above would delete. */
export const GOING = "going";
const t = texts.kept;
/** As many rows, and so many reports that can be ticked. */
const SIZE = 100;
/** From so many on, whoever deletes reports writes how many. */
const MANY = 100;

/** What people call the site that starts at a URL; the URL itself where they have said nothing. */
export type NameOf = (startingUrl: string) => string;
type Going = Pick<Attributes<"retention_preview">, "reports" | "report_ids">;
type Results = NonNullable<List<"report">["meta"]["results"]>;

const noResults: Results = { all: 0, passed: 0, not_passed: 0, no_limits: 0, failed: 0, running: 0, pinned: 0 };
const icons = {
  ...{ passed: "passed", not_passed: "failed", no_limits: "ended", failed: "alert", running: "running" },
  pinned: "pin",
} as const satisfies Record<Exclude<keyof Results, "all">, Icon>;
const shows = Object.keys(icons) as (keyof typeof icons)[];

/** The reports of an account and its guests, to look at, pin or delete. @param goes what the limits above would delete */
export async function reportsCard(
  context: PageContext,
  { nameOf, goes }: { nameOf: NameOf; goes: Going | undefined },
): Promise<Html> {
  const { query, href } = context;
  const url = query.get("url") ?? "";
  const sort = Object.keys(t.sorts).find((known) => known === query.get("sort")) ?? "last_checked_at-desc";
  const { data, meta } = await listed(context, { url, sort, goes });
  const results = meta.results ?? noResults;
  const show = query.get("show");
  const field = (name: "from" | "to") =>
    input({ name, label: t[name], type: "date", value: dayIn(query, name) ?? "", bare: true });
  // The filter is put beside what is typed above.
  const kept = [...query].filter(([name]) => !["url", "from", "to", "sort", "page", "done", "tick"].includes(name));
  const known = shows.filter((name) => results[name] > 0 || name === show);
  const values = [
    { value: "", text: texts.all, count: results.all },
    ...known.map((value) => ({ value, text: html`${icon(icons[value])} ${t.shows[value]}`, count: results[value] })),
    ...(goes && (goes.reports > 0 || show === GOING) ? [{ value: GOING, text: t.going, count: goes.reports }] : []),
  ];
  const rows = html`${reportTable(context, data, nameOf)}
    <div class="tools">${pagination(context, t.list, meta, { size: SIZE, section: "reports" })}</div>`;
  return html`<section class="card flush" aria-labelledby="reports">
    <div class="tools line"><h2 id="reports">${t.list}</h2><p class="quiet">${t.listWhat}</p></div>
    ${unknownValues(context, { sort: { label: t.sort, values: Object.keys(t.sorts) }, show: { label: t.show, values: goes ? [...shows, GOING] : shows } })}
    <div class="grid tools close">
      <form class="filters" method="get" action=${`${href(PATH)}#reports`} aria-label=${texts.issues.filters}>
        ${kept.map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
        ${input({ name: "url", label: t.find, value: url, bare: true })} ${field("from")} ${field("to")}
        ${select({ name: "sort", label: t.sort, value: sort, options: Object.entries(t.sorts).map(([value, label]) => ({ value, label })) })}
        <button class="quiet">${t.apply}</button>
      </form>
      ${chips(context, { name: "show", label: t.show, values })}
      ${goes && show === GOING && html`<p class="small quiet">${t.goingWhat(goes.reports, goes.report_ids.length)}</p>`}
    </div>
    ${
      data.length === 0
        ? html`<p class="tools">${t.none}</p>`
        : mayWrite(context, "common")
          ? html`<form method="post" action=${href(SELECTED)}>
              ${hiddenFields(context)} ${rows} ${dock(context)}
            </form>`
          : rows
    }
    <p class="tools quiet">${t.pinnedNote}</p>
  </section>`;
}

/** What can be done with the ticked reports. */
function dock(context: PageContext): Html {
  const { query, href } = context;
  const tick = (which?: string) =>
    `${href(PATH, { ...Object.fromEntries(query), done: undefined, tick: which })}#reports`;
  return html`<div class="dock line near">
    <span class="ticked">${t.ticked}</span> <span class="quiet" data-sum=""></span>
    ${mayWrite(context, "share") && html`<button class="quiet" name="part" value="pin">${icon("pin")} ${t.pin}</button>`}
    <button class="quiet" name="part" value="pictures">${t.deletePictures}</button>
    <button class="quiet" name="part" value="report">${t.delete}</button>
    <p class="push small screen"><a href=${tick("all")}>${texts.pages.tickAll}</a> · <a href=${tick()}>${texts.pages.tickNone}</a></p>
  </div>`;
}

type Asked = { url: string; sort: string; goes: Going | undefined };

/** The part of the list that the address asks for. Of what would be deleted the other filters choose nothing. */
async function listed(
  { api, query }: PageContext,
  { url, sort, goes }: Asked,
): Promise<Pick<List<"report">, "data" | "meta">> {
  const show = shows.find((known) => known === query.get("show"));
  const isGoing = goes !== undefined && query.get("show") === GOING;
  const to = dayIn(query, "to");
  const list = await api.get<List<"report">>("/reports", {
    ...{
      created_by: "all",
      results: "true",
      sort,
      "filter[url]": url || undefined,
      "filter[from]": dayIn(query, "from"),
    },
    "filter[to]": to && nextDay(to),
    ...(show === "pinned" ? { "filter[pinned]": "true" } : { "filter[result]": show }),
    ...(isGoing ? { "page[size]": "1" } : pageQuery(query, SIZE)),
  });
  if (!isGoing) return list;
  const all = goes?.report_ids ?? [];
  const before = (pageNumber(query) - 1) * SIZE;
  const meta = { ...list.meta, total: all.length, page_size: SIZE };
  const data = await reportsWith(api, all.slice(before, before + SIZE));
  return { data, meta };
}

/** The reports with these ids that are there, in this order. */
async function reportsWith(api: PageContext["api"], ids: readonly string[]): Promise<Resource<"report">[]> {
  const byId = new Map<string, Resource<"report">>();
  // A page of the list has fewer where they are large: the others are asked for again.
  for (let rest = ids; rest.length > 0; ) {
    const { data } = await api.get<List<"report">>("/reports", {
      ...{ created_by: "all", "filter[id]": rest.join(","), "page[size]": String(SIZE) },
    });
    for (const report of data) byId.set(report.id, report);
    rest = data.length === 0 ? [] : rest.filter((id) => !byId.has(id));
  }
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function reportTable(context: PageContext, reports: readonly Resource<"report">[], nameOf: NameOf): Html {
  const isTicked = context.query.get("tick") === "all";
  return table<Resource<"report">>({
    caption: t.list,
    hideCaption: true,
    rows: reports,
    columns: [
      {
        title: t.report,
        header: true,
        cell: ({ id, attributes: { inserted_at, pin, phase, bytes } }) => {
          const link = html`<a href=${context.href(`/reports/${id}`)}>${time(inserted_at)}</a>`;
          if (!mayWrite(context, "common")) return link;
          const isFixed = pin !== null || !isEndPhase(phase);
          return html`<span class="pick"><input type="checkbox" name="report" value=${id} aria-label=${t.select(utc(inserted_at))} data-bytes=${String(bytes ?? 0)} checked=${isTicked && !isFixed} disabled=${isFixed || undefined} /><span>${link}</span></span>`;
        },
      },
      { title: t.site, cell: ({ attributes }) => html`<span class="url">${nameOf(attributes.starting_url)}</span>` },
      {
        title: t.state,
        cell: ({ attributes: { phase, passed, passed_now, pin } }) =>
          html`${stateOf({ phase, passed, passed_now })}${pin && html` <span class="small block">${icon("pin")} ${t.pinnedFor(pin.reason)}</span>`}`,
      },
      {
        title: t.found,
        cell: ({ attributes }) =>
          html`<span class="quiet">${t.errorsOn(totalsOf(attributes).errors, attributes.num_pages)}</span>`,
      },
      { title: t.size, numeric: true, cell: ({ attributes: { bytes } }) => formatBytes(bytes ?? 0) },
    ],
  });
}

function stateOf({ phase, ...verdict }: Pick<Attributes<"report">, "phase" | "passed" | "passed_now">): Html {
  if (phase === "Complete") return verdictOfWhole(verdict);
  const name = phase === "Failed" ? "failed" : "running";
  return html`${icon(icons[name])} ${name === "failed" ? texts.report.endings.notChecked : t.running}`;
}

const selectedParts = ["report", "pictures", "pin"] as const;
type SelectedPart = (typeof selectedParts)[number];

function partIn(given: URLSearchParams): SelectedPart {
  return selectedParts.find((part) => part === given.get("part")) ?? "report";
}

/** What becomes of the ticked reports is asked first, on a page of its own. */
export const selectedForm: FormRoute = formRoute(SELECTED, askAgain, async (context, fields) => {
  const ids = idsIn(fields.getAll("report"));
  const part = partIn(fields);
  if (ids.length === 0) return { redirect: context.href(PATH, { done: "noneSelected" }) };
  if (fields.get("act") !== "do") return { redirect: context.href(SELECTED, { reports: ids.join(","), part }) };
  const repeatKey = fields.get("key") ?? undefined;
  if (part === "pin") {
    await pinAll(context, ids, textIn(fields, "reason"));
    return { redirect: context.href(PATH, { done: "pinnedAll" }) };
  }
  if (part === "report" && ids.length >= MANY && textIn(fields, "how_many") !== String(ids.length))
    throw refused("how_many", t.writeHowMany(ids.length));
  const { data } = await context.api.post<One<"deletion">>("/deletions", { report_ids: ids, part }, { repeatKey });
  return { redirect: context.href(`${PATH}/deletions/${data.id}`) };
});

/** Pins each of the reports, or none of them if they are too many. */
async function pinAll({ api }: PageContext, ids: readonly string[], reason: string | undefined): Promise<void> {
  const { data } = await api.get<One<"retention">>("/retention");
  const { pins, max_pins } = data.attributes;
  // Somebody may have pinned one meanwhile, with a reason that stays.
  const reports = (await reportsWith(api, ids)).filter(({ attributes: { pin } }) => pin === null);
  const more = reports.length;
  if (reports.some(({ attributes: { phase } }) => !isEndPhase(phase))) throw refused("reason", t.pinLater);
  if (pins + more > max_pins) throw refused("reason", t.tooManyPins(more, pins, max_pins));
  const pinned: string[] = [];
  try {
    for (const { id } of reports) {
      await api.post("/pins", { report_id: id, reason });
      pinned.push(id);
    }
  } catch (error) {
    // Somebody else took the last pins at the same moment.
    for (const id of pinned) await api.delete(`/pins/${id}`);
    throw error;
  }
}

function refused(field: string, detail: string): RequestError {
  const source = { pointer: `/data/attributes/${field}` };
  return new RequestError({ status: 422, code: "invalid_value", title: "Invalid attribute", detail, source });
}

function idsIn(given: readonly string[]): string[] {
  return [...new Set(given)].filter((id) => /^[0-9a-f-]{36}$/.test(id)).slice(0, SIZE);
}

export function askAboutSelected(context: PageContext): Promise<Outcome> {
  return ask(context, idsIn((context.query.get("reports") ?? "").split(",")), partIn(context.query));
}

async function askAgain(context: PageContext, attempt: Attempt): Promise<View> {
  const outcome = await ask(context, idsIn(attempt.fields.getAll("report")), partIn(attempt.fields), attempt);
  if ("redirect" in outcome)
    throw new RequestError({ status: 404, code: "not_found", title: "Not found", detail: t.none });
  return outcome;
}

/** Says what the chosen reports are, and what becomes of them. */
async function ask(
  context: PageContext,
  ids: readonly string[],
  part: SelectedPart,
  attempt?: Attempt,
): Promise<View | { redirect: string }> {
  requireHost(context);
  const { api, href } = context;
  const reports = await reportsWith(api, ids);
  if (reports.length === 0) return { redirect: href(PATH, { done: "noneSelected" }) };
  const n = reports.length;
  const title = { report: t.sure(n), pictures: t.surePictures(n), pin: t.surePin(n) }[part];
  const isMany = part === "report" && n >= MANY;
  const field =
    part === "pin"
      ? input({ name: "reason", label: t.why, required: true, attempt })
      : isMany && input({ name: "how_many", label: t.howMany, help: t.howManyWhat(n), required: true, attempt });
  const button = {
    report: html`<button class="danger" name="act" value="do">${t.deleteNow(n)}</button>`,
    pictures: html`<button class="danger" name="act" value="do">${t.deletePicturesNow(n)}</button>`,
    pin: html`<button name="act" value="do">${icon("pin")} ${t.pinAll(n)}</button>`,
  }[part];
  const content = html`<form class="card grid" method="post" action=${href(SELECTED)}>
    ${hiddenFields(context)} ${reports.map(({ id }) => html`<input type="hidden" name="report" value=${id} />`)}
    <input type="hidden" name="part" value=${part} />
    ${problems(attempt, ["reason", "how_many"])}
    <p>${aboutReports(reports)}</p>
    ${part !== "pin" && consequences(reports, part)} ${field}
    <p class="line near">${button} <a class="button quiet" href=${href(PATH)}>${part === "pin" ? texts.form.cancel : t.keep}</a></p>
  </form>`;
  return { title, ...settingsCrumbs(context, "kept"), content };
}

/** "They are of 2 sites, the oldest from 22 Oct 2025: 55 MB." */
function aboutReports(reports: readonly Resource<"report">[]): Html {
  const sites = new Set(reports.map(({ attributes }) => attributes.starting_url)).size;
  const [oldest = ""] = reports.map(({ attributes }) => attributes.inserted_at).sort();
  const bytes = reports.reduce((sum, { attributes }) => sum + (attributes.bytes ?? 0), 0);
  return html`${t.theyAreOf} <b>${texts.count.sites(sites)}</b>, ${t.oldestFrom} ${shortTime(oldest, "date")}: ${formatBytes(bytes)}.`;
}

function consequences(reports: readonly Resource<"report">[], part: SelectedPart): Html {
  const shared = reports.filter(({ attributes }) => attributes.shared).length;
  return html`<ul class="grid close">
    <li>${icon("verified")} ${t.sureCharts}</li>
    ${part === "report" && html`<li>${icon("alert")} ${shared > 0 && html`<b>${t.sureShared(shared)}</b>`} ${t.sureLinks}</li>`}
    <li>${icon("pin")} ${t.sureStays}</li>
  </ul>`;
}

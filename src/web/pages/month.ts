import type { Attributes, One } from "../../api/documents.ts";
import { RequestError } from "../../domain/errors.ts";
import { type Role, roles } from "../../domain/findings/role.ts";
import { monthAfter, nameOf, titleOf as titleOfMonth } from "../../domain/months/calendar.ts";
import { YEAR } from "../../domain/months/month-report.ts";
import { monthHeadline, monthSummary } from "../../domain/months/sentences.ts";
import { type Html, html } from "../html.ts";
import type { FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters, seesAll } from "../parts/access.ts";
import { bar } from "../parts/chart.ts";
import { titleOf } from "../parts/finding.ts";
import { hiddenFields } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { perPage, rateText, shares } from "../parts/rates.ts";
import { verdictNow } from "../parts/report.ts";
import { roleName } from "../parts/report-cards.ts";
import { siteName, turn } from "../parts/site-name.ts";
import { table } from "../parts/table.ts";
import { shortTime, time } from "../parts/text.ts";
import { runBars } from "../plot/run-bars.ts";
import { weekLine } from "../plot/week-line.ts";
import { formatNumber, formatShare, texts } from "../texts/en.ts";

const PATH = "/months/:month";

export const monthPages: readonly PageRoute[] = [
  { path: PATH, access: "account", read },
  {
    path: `${PATH}/report.pdf`,
    access: "account",
    read: async ({ params }) => ({ forward: { path: `/months/${params.month}/file.pdf` } }),
  },
];

export const monthForms: readonly FormRoute[] = [
  {
    path: `${PATH}/file`,
    access: "account",
    submit: async ({ api, href, params }, fields) => {
      const repeatKey = fields.get("key") ?? undefined;
      await api.post(`/months/${params.month}/file`, {}, { repeatKey });
      return { redirect: href(`/months/${params.month}`) };
    },
  },
];

const t = texts.month;

type Report = Attributes<"month_report">;
type Site = Report["sites"][number];
/** What the parts of the page are made from. */
type Shown = Report & { month: string };

async function read(context: PageContext): Promise<View> {
  const document = await context.api.get<One<"month_report">>(`/months/${context.params.month}`);
  return monthView(context, document, await fileOf(context));
}

type MonthFile = Attributes<"month_file">;

/** The PDF as it is; null before somebody has asked for it. */
async function fileOf(context: PageContext): Promise<MonthFile | null> {
  const { api, params } = context;
  // The file is about all sites.
  if (!seesAll(context)) return null;
  try {
    return (await api.get<One<"month_file">>(`/months/${params.month}/file`)).data.attributes;
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return null;
    throw error;
  }
}

/** The PDF, or the button that asks for it. */
function fileTools(context: PageContext, month: string, file: MonthFile | null): Html {
  const ask = (text: string) =>
    forWriters(
      context,
      () => html`<form method="post" action=${context.href(`/months/${month}/file`)}>
        ${hiddenFields(context)} <button class="quiet">${icon("export")} ${text}</button>
      </form>`,
      "common",
    );
  if (file === null) return ask(t.asPdf);
  if (file.state === "ready")
    return html`<a class="button quiet" href=${context.href(`/months/${month}/report.pdf`)} download=${`month-${month}.pdf`}>${icon("export")} ${t.pdf} ${shortTime(file.asked_at, "day")}</a> ${ask(t.pdfAgain)}`;
  if (file.state === "failed") return html`<span class="bad">${t.pdfFailed}</span> ${ask(t.pdfAgain)}`;
  return html`<span class="quiet" role="status">${icon("running")} ${t.pdfMaking}</span>`;
}

/** How often the page looks whether the PDF is there, in seconds. */
const LOOK_AGAIN = 3;

/** The page of a month, and what its file has. @param file its PDF as it is */
export function monthView(context: PageContext, { data }: One<"month_report">, file: MonthFile | null): View {
  const { href, now } = context;
  const month = { ...data.attributes, month: data.id };
  const link = (to: string | null, rel: "prev" | "next") =>
    to && html`<a class="button quiet" rel=${rel} href=${href(`/months/${to}`)}>${nameOf(to)}</a>`;
  const tools = html`${link(month.previous, "prev")} ${link(month.next, "next")} <a class="button quiet" href=${href("/")}>${t.sitesNow}</a> ${fileTools(context, month.month, file)}`;
  const isMade = file?.state === "waiting" || file?.state === "making";
  const made = now.toISOString().slice(0, 19);
  const content = html`<div class="month">
    <div class="grid close">
      <p class="quiet"><b>${titleOfMonth(month.month)}</b>: ${t.about(month.num_sites, month.totals.pages, month.num_runs)} ${
        month.ended ? html`${t.made} ${shortTime(made, "date")}.` : html`${t.until} ${time(made)}.`
      }</p>
      <p>${monthSummary(month)} ${mostNew(context, month)}</p>
    </div>
    ${month.totals.sites === 0 ? nothing(month) : numbers(context, month)}
    ${sitesCard(context, month)}
    <div class="grid">
      ${openCard(context, month)} ${month.totals.sites > 0 && [wcagCard(month), meaningCard(month)]}
    </div>
  </div>`;
  const title = t.title(titleOfMonth(month.month));
  return {
    title,
    heading: monthHeadline(month),
    section: "sites",
    crumbs: [{ text: texts.sites.title, to: href("/") }],
    tools,
    content,
    ...(isMade && { refresh: LOOK_AGAIN }),
  };
}

function nothing({ month }: Shown): Html {
  return html`<div class="card grid close"><h2>${t.nothingTitle(nameOf(month))}</h2><p>${t.nothingWhat}</p></div>`;
}

/** Where most of what came is. */
function mostNew(context: PageContext, { sites }: Shown): Html {
  const added = ({ now, before, turn: of }: Site) =>
    now && before && of !== "not_compared" ? now.errors - before.errors : 0;
  const [most] = sites.toSorted((a, b) => added(b) - added(a));
  return most && added(most) > 0 ? html`${t.mostNew} ${siteLink(context, most)}.` : null;
}

function siteLink({ href }: PageContext, site: Pick<Site, "site_id" | "name" | "starting_url">): Html {
  return html`<a class=${site.name === null ? "url" : undefined} href=${href(`/sites/${site.site_id}`)}>${siteName(site)}</a>`;
}

function numbers(context: PageContext, month: Shown): Html {
  return html`${tiles(month)}
    <div class="grid pair">${yearCard(month)} ${movedCard(context, month)}</div>
    <div class="grid pair">${changesCard("away", month)} ${changesCard("came", month)}</div>
    ${whoCard(month)}
    ${worstCard(context, month)}`;
}

function tiles({ month, num_sites, totals, before, limits, away, came, num_not_checked, num_in_part }: Shown): Html {
  const tile = (name: Html, figure: Html, what: Html) =>
    html`<div class="card"><dt>${name}</dt><dd><b class="figure">${figure}</b> <span class="quiet">${what}</span></dd></div>`;
  const small = (text: string) => html`<span class="quiet">${text}</span>`;
  const rate = perPage(totals.errors, totals.pages);
  const change = before.sites > 0 && turn(Number(rate) - Number(perPage(before.errors, before.pages)));
  return html`<dl class="tiles">
    ${tile(t.perPage, html`${rate} ${change}`, t.errorsOn(totals.errors, totals.pages))}
    ${tile(t.meet, html`${formatNumber(limits.met)} ${small(t.of(num_sites))}`, t.limits(limits.not_met, limits.none, limits.unknown))}
    ${tile(t.away(nameOf(month)), formatNumber(away.errors), t.andCame(came.errors))}
    ${tile(html`${icon("critical")} ${t.critical}`, formatNumber(totals.critical), t.criticalWhat)}
    ${tile(html`${icon("alert")} ${t.notChecked}`, html`${formatNumber(num_not_checked)} ${small(t.sites(num_not_checked))}`, t.inPart(num_in_part))}
  </dl>`;
}

/** All sites together in each of the last months: a cross where nothing was checked. */
function yearCard({ month, months }: Shown): Html {
  const first = months[0]?.month ?? month;
  const slots = Array.from({ length: YEAR }, (_, index) => monthAfter(month, index + 1 - YEAR)).filter(
    (one) => one >= first,
  );
  const rateOf = (one: string) => {
    const found = months.find((of) => of.month === one);
    return found ? Number(perPage(found.errors, found.pages)) : null;
  };
  const said = slots.map((one) => `${nameOf(one).slice(0, 3)} ${rateOf(one)?.toFixed(1) ?? "–"}`).join(", ");
  const bars = slots.map((one) => ({
    ...{ value: rateOf(one), date: nameOf(one).slice(0, 3), current: one === month },
  }));
  return html`<section class="card grid close" aria-labelledby="year">
    <h2 id="year">${t.byMonth}</h2>
    ${runBars(bars, `${t.byMonth}: ${said}`)}
    <details class="screen">
      <summary>${t.byMonthTable}</summary>
      ${table<Report["months"][number]>({
        caption: t.byMonth,
        hideCaption: true,
        rows: months.toReversed(),
        columns: [
          { title: t.columns.month, header: true, cell: (one) => titleOfMonth(one.month) },
          { title: t.columns.perPageOfAll, numeric: true, cell: ({ errors, pages }) => perPage(errors, pages) },
          { title: t.columns.errors, numeric: true, cell: ({ errors }) => formatNumber(errors) },
          { title: t.columns.pages, numeric: true, cell: ({ pages }) => formatNumber(pages) },
          { title: t.columns.sites, numeric: true, cell: ({ sites }) => formatNumber(sites) },
        ],
      })}
    </details>
  </section>`;
}

/** As many sites are named of those that moved. */
const NAMED = 3;

function movedCard(context: PageContext, { turns, sites, before, totals, away, came, not_compared }: Shown): Html {
  const by = ({ now, before: then }: Site) => Math.abs((now?.errors_per_page ?? 0) - (then?.errors_per_page ?? 0));
  const named = (of: "better" | "worse") => {
    const found = sites.filter((site) => site.turn === of).toSorted((a, b) => by(b) - by(a));
    const shown = found.slice(0, NAMED);
    const left = turns[of] - shown.length;
    return shown.length === 0
      ? t.none
      : html`${shown.map((site, index) => html`${index > 0 && ", "}${siteLink(context, site)} ${fromTo(site)}`)} ${left > 0 && t.others(left)}`;
  };
  const row = (name: string, what: Html) => html`<div><dt>${name}</dt><dd>${what}</dd></div>`;
  const other = not_compared.before > 0 || not_compared.now > 0;
  return html`<section class="card grid close" aria-labelledby="moved">
    <h2 id="moved">${t.moved}</h2>
    <dl class="facts">
      ${row(t.turns.better, named("better"))} ${row(t.turns.worse, named("worse"))}
      ${row(t.turns.as_before, texts.count.sites(turns.as_before))}
      ${turns.not_compared > 0 && row(t.turns.not_compared, html`${texts.count.sites(turns.not_compared)} <span class="small quiet">${t.notComparedWhat}</span>`)}
    </dl>
    ${
      before.sites > 0 &&
      html`<p class="small quiet sum">${
        other
          ? t.addsUpOther(before.errors, away.errors, not_compared.before, came.errors, not_compared.now, totals.errors)
          : t.addsUp(before.errors, away.errors, came.errors, totals.errors)
      }</p>`
    }
  </section>`;
}

function fromTo({ before, now }: Site): Html {
  return before && now && html`${perPage(before.errors, before.pages)} → ${perPage(now.errors, now.pages)}`;
}

function changesCard(which: "away" | "came", month: Shown): Html {
  const { errors, num_rules, rules } = month[which];
  const tone = which === "away" ? "good" : "bad";
  const sign = which === "away" ? "−" : "+";
  const left = errors - rules.reduce((sum, one) => sum + one.errors, 0);
  const title = which === "away" ? t.awayTitle(errors) : t.cameTitle(errors);
  type Row = { name: Html; errors: number };
  const rows: Row[] = rules.map(({ kind, title: name, impact, sites, num_sites, errors: ofRule }) => ({
    name: html`${icon(impact ?? "markup", impact ? texts.impacts[impact] : titleOf(kind))} ${name ?? t.deleted(titleOf(kind))}
      <span class="small quiet block">${t.onSites(sites.join(", "), num_sites - sites.length)}</span>`,
    errors: ofRule,
  }));
  if (left > 0)
    rows.push({ name: html`<span class="quiet">${t.otherRules(num_rules - rules.length)}</span>`, errors: left });
  return html`<section class="card flush" aria-labelledby=${which}>
    <div class="tools line"><h2 id=${which}>${title}</h2><p class="small quiet">${t.byRule}</p></div>
    ${
      rows.length === 0
        ? html`<p class="tools quiet">${t.nothing}</p>`
        : table<Row>({
            caption: title,
            hideCaption: true,
            rows,
            columns: [
              { title: t.columns.what, header: true, cell: ({ name }) => name },
              {
                title: t.columns.errors,
                numeric: true,
                cell: (row) => html`<b class=${tone}>${sign}${formatNumber(row.errors)}</b>`,
              },
            ],
          })
    }
  </section>`;
}

function whoCard({ roles: counts }: Shown): Html {
  const names = Object.keys(roles) as Role[];
  const all = names.reduce((sum, role) => sum + counts[role], 0);
  const parts = shares(names.map((role) => counts[role]));
  const most = Math.max(1, ...names.map((role) => counts[role]));
  const rows = names
    .map((role, index) => ({ role, share: parts[index] }))
    .toSorted((a, b) => counts[b.role] - counts[a.role]);
  return html`<section class="card grid close" aria-labelledby="who">
    <h2 id="who">${t.who}</h2>
    ${
      all > 0 &&
      html`<ul class="row">
        ${rows.map(({ role, share }) => html`<li><span class="line near">${roleName(role)} <b>${formatNumber(counts[role])}</b> <span class="quiet">${share}</span></span> ${bar({ value: counts[role], kind: "markup" }, most)} <span class="small quiet block">${texts.report.cards.roleMeans[role]}</span></li>`)}
      </ul>`
    }
    <p>${icon("template")} ${t.template}</p>
    ${counts.unknown_sites > 0 && html`<p class="quiet">${t.rolesUnknown(counts.unknown_sites)}</p>`}
  </section>`;
}

/** The worst sites, each with the change that removes the most. */
function worstCard(context: PageContext, { worst, sites, totals }: Shown): Html {
  type Row = Report["worst"][number] & { site: Site };
  const rows = worst.flatMap((one): Row[] => {
    const site = sites.find(({ site_id }) => site_id === one.site_id);
    return site ? [{ ...one, site }] : [];
  });
  if (rows.length === 0) return null;
  const removed = rows.reduce((sum, { cause }) => sum + (cause?.how_many ?? 0), 0);
  const known = rows.filter(({ cause }) => cause !== null).length;
  const report = ({ site }: Row) => `/reports/${site.now?.report_id}`;
  return html`<section class="card flush" aria-labelledby="worst">
    <div class="tools line">
      <h2 id="worst">${t.worst}</h2>
      ${known > 0 && html`<p class="quiet">${t.theseRemove(known, removed, formatShare(removed, totals.errors))}</p>`}
    </div>
    ${table<Row>({
      caption: t.worst,
      hideCaption: true,
      rows,
      columns: [
        {
          title: t.columns.site,
          header: true,
          cell: (row) => {
            const { before, now } = row.site;
            const [from, to] = [before, now].map((run) => (run ? perPage(run.errors, run.pages) : "–"));
            return html`<a class=${row.site.name === null ? "url" : undefined} href=${context.href(report(row))}><b>${siteName(row.site)}</b></a>
              <span class="small quiet block">${t.why[row.why](from ?? "", to ?? "")}</span>`;
          },
        },
        {
          title: t.columns.helps,
          cell: (row) =>
            row.cause
              ? html`${icon(row.cause.impact ?? "markup", row.cause.impact ? texts.impacts[row.cause.impact] : titleOf("html"))}${" "}<a href=${context.href(`${report(row)}/causes/${row.cause.id}`)}>${row.cause.title}</a>
                <span class="small quiet block">${t.changes(row.cause.num_places, row.cause.num_pages)}</span>`
              : html`<span class="quiet">${t.noCause}</span>`,
        },
        {
          title: t.columns.who,
          cell: ({ cause, site }) =>
            html`${cause?.assignee ?? site.owner ?? "–"} ${cause && html`<span class="tag">${roleName(cause.role)}</span>`}`,
        },
        {
          title: t.columns.errors,
          numeric: true,
          cell: ({ cause }) => (cause ? html`<b>${formatNumber(cause.how_many)}</b>` : "–"),
        },
      ],
    })}
  </section>`;
}

type Limit = keyof typeof t.limit;
const limitIcons = {
  met: "passed",
  not_met: "failed",
  none: "ended",
  unknown: "ended",
  not_checked: "alert",
} as const satisfies Record<Limit, string>;

function limitOf({ now }: Site): Limit {
  if (!now) return "not_checked";
  if (!now.has_report) return "unknown";
  return now.passed === null ? "none" : now.passed ? "met" : "not_met";
}

/** All sites by tag, each with its weeks. */
function sitesCard(context: PageContext, { month, sites, num_sites }: Shown): Html {
  if (sites.length === 0) return null;
  const groups = [...Map.groupBy(sites, ({ tags }) => tags[0] ?? "")].toSorted(
    ([a], [b]) => Number(a === "") - Number(b === "") || (a < b ? -1 : 1),
  );
  const hasTags = groups.some(([tag]) => tag !== "");
  const columns = [
    t.columns.site,
    t.columns.owner,
    t.columns.limits,
    t.columns.perPage,
    t.columns.change,
    t.columns.weeks,
    t.columns.critical,
  ];
  const numeric: string[] = [t.columns.perPage, t.columns.change, t.columns.critical];
  return html`<section class="card flush sites" aria-labelledby="all">
    <div class="tools line">
      <h2 id="all">${t.all(num_sites)}</h2>
      <p class="quiet small push">${t.allWhat(nameOf(monthAfter(month, -1)))}</p>
    </div>
    <table class="stack">
      <caption class="hidden">${t.all(num_sites)}</caption>
      <thead class="small"><tr>${columns.map((name) => html`<th scope="col" class=${numeric.includes(name) ? "n" : undefined}>${name}</th>`)}</tr></thead>
      ${groups.map(
        ([tag, group]) => html`<tbody>
          ${hasTags && html`<tr class="group"><th scope="rowgroup" colspan=${columns.length}><b>${tag || t.noTag}</b> <span class="quiet">${texts.count.sites(group.length)}</span></th></tr>`}
          ${group.map((site) => siteRow(context, site))}
        </tbody>`,
      )}
    </table>
    ${num_sites > sites.length && html`<p class="tools"><a href=${context.href("/")}>${t.left(num_sites - sites.length)}</a></p>`}
  </section>`;
}

function siteRow(context: PageContext, site: Site): Html {
  const { now, before, last_known, owner, weeks } = site;
  const limit = limitOf(site);
  const change =
    now && before && (site.turn === "better" || site.turn === "worse")
      ? turn(Number(perPage(now.errors, now.pages)) - Number(perPage(before.errors, before.pages)))
      : "–";
  const known =
    last_known &&
    html` <span class="small quiet">${perPage(last_known.errors, last_known.pages)} ${t.on} ${shortTime(last_known.ended_at, "day")}</span>`;
  return html`<tr>
    <th scope="row"><b>${siteLink(context, site)}</b></th>
    <td class="quiet" data-title=${t.columns.owner}>${owner ?? "–"}</td>
    <td data-title=${t.columns.limits}>${icon(limitIcons[limit])} ${t.limit[limit]}${now && verdictNow(now)}</td>
    <td class="n" data-title=${t.columns.perPage}>${now ? html`<b>${perPage(now.errors, now.pages)}</b>` : html`–${known}`}</td>
    <td class="n" data-title=${t.columns.change}>${change}</td>
    <td data-title=${t.columns.weeks}>${weekLine(
      weeks.map(({ weeks_ago, errors_per_page }) => ({ ago: weeks_ago, value: Number(rateText(errors_per_page)) })),
      t.weeksOf(siteName(site)),
    )}</td>
    <td class="n" data-title=${t.columns.critical}>${now ? formatNumber(now.critical) : "–"}</td>
  </tr>`;
}

/** Sites without a result, those that were checked in part, and in one row those that no schedule checks. */
function openCard(context: PageContext, { sites }: Shown): Html {
  const isPart = ({ now }: Site) => now !== null && now.pages_left > 0;
  const byHand = sites.filter((site) => site.now !== null && !isPart(site) && !site.scheduled);
  type Row = { sites: Html; checked: Html; helps: Html; who: Html };
  const rows = [...sites.filter(({ now }) => now === null), ...sites.filter(isPart)].map(
    (site): Row => ({
      sites: html`<b>${siteLink(context, site)}</b>`,
      checked: checkedOf(site),
      helps: helpOf(context, site),
      who: site.owner ?? "–",
    }),
  );
  if (byHand.length > 0)
    rows.push({
      sites: namedSites(context, byHand),
      checked: t.byHand,
      helps: scheduleLink(context, byHand),
      who: "–",
    });
  if (rows.length === 0) return null;
  return html`<section class="card flush" aria-labelledby="open">
    <h2 id="open" class="tools">${t.open}</h2>
    ${table<Row>({
      caption: t.open,
      hideCaption: true,
      rows,
      columns: [
        { title: t.columns.site, header: true, cell: (row) => row.sites },
        { title: t.columns.checked, cell: (row) => row.checked },
        { title: t.columns.helps, cell: (row) => row.helps },
        { title: t.columns.who, cell: (row) => row.who },
      ],
    })}
  </section>`;
}

function namedSites(context: PageContext, sites: readonly Site[]): Html {
  const left = sites.length - NAMED;
  return html`${sites.slice(0, NAMED).map((site, index) => html`${index > 0 && ", "}${siteLink(context, site)}`)} ${left > 0 && t.others(left)}`;
}

function scheduleLink({ href }: PageContext, sites: readonly Site[]): Html {
  const [only] = sites.length === 1 ? sites : [];
  return html`<a href=${href("/schedules/new", { url: only?.starting_url })}>${t.addSchedule}</a>`;
}

function checkedOf({ now, without_result, last_known }: Site): Html {
  if (now)
    return now.pages_left > 0 ? html`${icon("alert")} ${t.partly(now.pages, now.pages + now.pages_left)}` : t.byHand;
  const code = without_result?.failure_code;
  const why = without_result ? (code ? (texts.failed.reasons[code] ?? code) : t.noReason) : t.noRun;
  const since =
    last_known &&
    html`<span class="small quiet block">${t.since} ${shortTime(last_known.ended_at, "date")}, ${t.thenRate(perPage(last_known.errors, last_known.pages))}</span>`;
  return html`${icon("alert")} ${t.nothingChecked} ${why} ${since}`;
}

function helpOf(context: PageContext, site: Site): Html {
  const { now, scheduled, without_result } = site;
  const help: Html[] = [];
  if (now?.has_report) help.push(html`<a href=${context.href(`/reports/${now.report_id}/failed`)}>${t.seeWhy}</a>`);
  if (without_result) help.push(html`<a href=${context.href(`/reports/${without_result.report_id}`)}>${t.seeRun}</a>`);
  if (!scheduled) help.push(scheduleLink(context, [site]));
  return help.length === 0 ? "–" : help.map((one, index) => html`${index > 0 && ", "}${one}`);
}

function wcagCard({ criteria }: Shown): Html {
  if (criteria.length === 0) return null;
  const count = (state: string) => formatNumber(criteria.filter((one) => one.state === state).length);
  const failing = criteria.filter(({ state }) => state === "fails").toSorted((a, b) => b.errors - a.errors);
  return html`<section class="card flush" aria-labelledby="wcag">
    <div class="tools grid close">
      <h2 id="wcag">${t.wcag(criteria.length)}</h2>
      <p class="line near"><span><b class="bad">✕ ${count("fails")}</b> ${t.fail}</span> <span><b class="good">✓ ${count("nothing_found")}</b> ${t.nothingFound}</span> <span class="quiet"><b>${count("not_judged")}</b> ${t.onlyPeople}</span></p>
    </div>
    ${
      failing.length === 0
        ? html`<p class="tools">${t.noneFails}</p>`
        : table<Report["criteria"][number]>({
            caption: t.columns.criterion,
            hideCaption: true,
            rows: failing,
            columns: [
              { title: t.columns.criterion, header: true, cell: ({ number, title }) => `${number} ${title}` },
              { title: t.columns.sites, numeric: true, cell: (one) => formatNumber(one.sites) },
              { title: t.columns.errors, numeric: true, cell: (one) => html`<b>${formatNumber(one.errors)}</b>` },
            ],
          })
    }
    <p class="tools quiet">${t.several}</p>
  </section>`;
}

function meaningCard({ month, engines }: Shown): Html {
  return html`<section class="card grid close" aria-labelledby="meaning">
      <h2 id="meaning">${t.meaning}</h2>
      <dl class="facts">
        ${t.meanings(nameOf(monthAfter(month, -1)), nameOf(month)).map(([what, means]) => html`<div><dt>${what}</dt><dd>${means}</dd></div>`)}
      </dl>
    </section>
    ${engines.length > 0 && html`<p class="quiet">${t.engines(engines.join(", "))}</p>`}`;
}

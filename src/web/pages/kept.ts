import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { AUDIT_DAYS } from "../../domain/audit/kept.ts";
import { RequestError } from "../../domain/errors.ts";
import { limitMaxima, limitNames } from "../../domain/retention/limits.ts";
import { given, numberIn, textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, Fields, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { mayWrite, requireHost, whyNot } from "../parts/access.ts";
import { bar } from "../parts/chart.ts";
import { utc } from "../parts/dates.ts";
import { confirmForm, hiddenFields, input, problems } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { icon } from "../parts/icon.ts";
import { timeLeft } from "../parts/live.ts";
import { pinForm } from "../parts/pin.ts";
import { settingsCrumbs, settingsView } from "../parts/settings.ts";
import { table } from "../parts/table.ts";
import { duration, time } from "../parts/text.ts";
import { formatBytes, formatNumber, texts } from "../texts/en.ts";
import { askAboutSelected, GOING, type NameOf, PATH, reportsCard, SELECTED, selectedForm } from "./kept-reports.ts";

const DELETION = `${PATH}/deletions/:deletion_id`;
const t = texts.kept;

export const keptPages: readonly PageRoute[] = [
  { path: PATH, access: "account", read: (context) => view(context) },
  { path: SELECTED, access: "account", read: askAboutSelected },
  { path: DELETION, access: "account", read: readDeletion },
];

export const keptForms: readonly FormRoute[] = [
  formRoute(PATH, view, async (context, fields) => {
    if (fields.get("do") === "preview") {
      await context.api.post("/retention/preview", limitsIn(fields));
      const typed = [...limitNames, "audit_days"].map((name) => [name, fields.get(name) ?? ""]);
      return { redirect: context.href(PATH, Object.fromEntries(typed)) };
    }
    await context.api.patch("/retention", given({ ...limitsIn(fields), audit_days: numberIn(fields, "audit_days") }));
    return { redirect: context.href(PATH, { done: "saved" }) };
  }),
  selectedForm,
  {
    path: `${DELETION}/stop`,
    access: "account",
    submit: async ({ api, href, params }) => {
      await api.patch(`/deletions/${params.deletion_id}`, { stopped: true });
      return { redirect: href(`${PATH}/deletions/${params.deletion_id}`) };
    },
  },
  formRoute("/reports/:report_id/pin", refusedPin, async ({ api, href, params }, fields) => {
    const { report_id } = params;
    // Of others' reports nothing is said, not even what is wrong in the form, or who may pin.
    await api.get(`/reports/${report_id}`);
    const isOver = fields.get("act") === "unpin";
    if (isOver) await api.delete(`/pins/${report_id}`);
    else await api.post("/pins", { report_id, reason: textIn(fields, "reason") });
    return { redirect: href(`/reports/${report_id}`, { done: isOver ? "unpinned" : "pinned" }) };
  }),
];

/** What was typed: nothing keeps for ever, and what is no number is refused by the API. */
function limitsIn(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(
    limitNames.map((name) => {
      const typed = numberIn(fields, name) ?? "";
      return [name, typed === "" ? null : typed];
    }),
  );
}

function refusedPin(context: PageContext, attempt: Attempt): View {
  return {
    title: t.pinNow,
    section: "sites",
    content: html`<div class="card sheet">${pinForm(context, attempt)}</div>`,
  };
}

async function view(context: PageContext, attempt?: Attempt): Promise<View> {
  requireHost(context);
  const { api, query } = context;
  const { data } = await api.get<One<"retention">>("/retention");
  const saved = data.attributes;
  const asked = limitNames.some((name) => query.has(name));
  const shown = attempt ?? (asked ? { fields: query, violations: [] } : undefined);
  const preview =
    attempt || !mayWrite(context, "keep") ? undefined : await previewOf(context, shown ? limitsIn(shown.fields) : {});
  const named = new Map((await context.siteNames?.())?.map(({ starting_url, name }) => [starting_url, name]));
  const nameOf: NameOf = (url) => named.get(url) ?? url;
  const content = html`<div class="grid pair">
      ${form(context, saved, { attempt: shown, reports: preview?.data.attributes.reports ?? 0, asked })}
      <div class="grid">${preview && previewCard(context, saved, preview.data.attributes)} ${staysCard(context, saved)}</div>
    </div>
    ${preview && sitesCard(context, preview.data.attributes, nameOf)} ${await reportsCard(context, { nameOf, goes: preview?.data.attributes })} ${await deletionsCard(context)}`;
  return settingsView(context, "kept", content);
}

/** What would be deleted by these limits; undefined for some that nobody can have, as only an address has them. */
async function previewOf(
  { api }: PageContext,
  limits: Record<string, unknown>,
): Promise<One<"retention_preview"> | undefined> {
  try {
    return await api.post<One<"retention_preview">>("/retention/preview", limits);
  } catch (error) {
    if (error instanceof RequestError && error.status === 422) return undefined;
    throw error;
  }
}

type Saved = Attributes<"retention">;

function form(
  context: PageContext,
  saved: Saved,
  { attempt, reports, asked }: { attempt: Attempt | undefined; reports: number; asked: boolean },
): Html {
  const fields = limitNames.map((name) => {
    const [own, most] = [saved[name], saved.limits[name]];
    const help = [...(asked ? [t.savedNow(own)] : []), t.about[name], ...(most === null ? [] : [t.atMost(most)])].join(
      " ",
    );
    const value = own === null ? "" : String(own);
    const max = most ?? limitMaxima[name];
    return input({ name, label: t.fields[name], type: "number", min: 1, max, value, help, attempt });
  });
  return html`<form class="card grid" method="post" action=${context.href(PATH)} aria-labelledby="keep">
    ${hiddenFields(context)}
    <div class="line">
      <h2 id="keep">${t.title}</h2>
      <p class="quiet push">${t.now(texts.count.reports(saved.reports), formatBytes(saved.bytes))}</p>
    </div>
    ${problems(attempt, [...limitNames, "audit_days"])}
    <div class="grid pair">
      ${fields}
      ${input({
        ...{ name: "audit_days", label: t.auditDays, type: "number", help: t.aboutAudit, required: true },
        attempt: attempt?.fields.get("audit_days") == null ? undefined : attempt,
        ...{ value: String(saved.audit_days), min: AUDIT_DAYS.least, max: AUDIT_DAYS.most },
      })}
    </div>
    ${
      mayWrite(context, "keep")
        ? html`<p class="line">
            <button>${asked && reports > 0 ? t.saveAndDelete(reports) : t.save}</button>
            <button name="do" value="preview" class="quiet">${t.update}</button>
          </p>`
        : html`<p class="quiet">${whyNot(context)}</p>`
    }
  </form>`;
}

const rowNames = ["by_age", "by_runs", "pictures", "raw"] as const;

function previewCard(context: PageContext, saved: Saved, preview: Attributes<"retention_preview">): Html {
  const stays = Object.values(preview.stays).reduce((sum, number) => sum + number, 0);
  const isNothing = rowNames.every((name) => preview[name].reports === 0);
  return html`<section class="card flush" aria-labelledby="preview">
    <div class="tools grid close">
      <h2 id="preview">${t.preview}</h2>
      ${
        isNothing
          ? html`<p class="verdict">${t.nothing}</p>`
          : html`<p class="verdict">${t.wouldDelete} ${preview.reports === 0 ? html`<b>${texts.count.reports(0)}</b>` : html`<a href=${`${context.href(PATH, { ...Object.fromEntries(context.query), show: GOING, page: undefined, tick: undefined })}#reports`}><b>${texts.count.reports(preview.reports)}</b></a>`}, <b>${formatBytes(preview.bytes)}</b>.</p>
            <p class="quiet">${t.inTheNight(utc(preview.takes_effect_at))}</p>`
      }
      ${saved.takes_effect_at !== null && html`<p class="quiet">${t.holdsNow} ${time(saved.takes_effect_at)}.</p>`}
    </div>
    ${
      !isNothing &&
      table<(typeof rowNames)[number]>({
        caption: t.preview,
        hideCaption: true,
        rows: rowNames,
        columns: [
          {
            title: t.what,
            header: true,
            cell: (name) =>
              html`${t.rows[name]}${t.rowsWhat[name] !== "" && html` <span class="small quiet block">${t.rowsWhat[name]}</span>`}`,
          },
          { title: t.reports, numeric: true, cell: (name) => formatNumber(preview[name].reports) },
          { title: t.size, numeric: true, cell: (name) => formatBytes(preview[name].bytes) },
        ],
      })
    }
    ${stays > 0 && html`<p class="tools quiet">${t.staysToo(stays)}</p>`}
  </section>`;
}

function staysCard({ href }: PageContext, { pins }: Saved): Html {
  const all = [
    t.staysNewest,
    t.staysCompared,
    pins === 0
      ? t.staysPinned(pins)
      : html`<a href=${`${href(PATH, { show: "pinned" })}#reports`}>${t.staysPinned(pins)}</a>`,
    t.staysNumbers,
  ];
  return html`<section class="card grid close" aria-labelledby="stays">
    <h2 id="stays">${t.stays}</h2>
    <ul class="grid close">${all.map((text) => html`<li>${icon("verified")} ${text}</li>`)}</ul>
  </section>`;
}

function sitesCard(context: PageContext, { sites, num_sites }: Attributes<"retention_preview">, nameOf: NameOf): Html {
  if (sites.length === 0) return null;
  const most = Math.max(1, ...sites.map(({ bytes }) => bytes));
  return html`<section class="card flush" aria-labelledby="largest">
    <div class="tools"><h2 id="largest">${t.largest}</h2></div>
    ${table<(typeof sites)[number]>({
      caption: t.largest,
      hideCaption: true,
      rows: sites,
      columns: [
        {
          title: t.site,
          header: true,
          cell: ({ starting_url }) =>
            html`<a class="url" href=${`${context.href(PATH, { url: starting_url })}#reports`}>${nameOf(starting_url)}</a>`,
        },
        { title: t.reports, numeric: true, cell: ({ reports }) => formatNumber(reports) },
        {
          title: t.size,
          cell: ({ bytes }) =>
            html`<b class="amount">${formatBytes(bytes)}</b>${bar({ value: bytes, kind: "quiet" }, most)}`,
        },
        { title: t.pictures, numeric: true, cell: ({ pictures }) => formatBytes(pictures) },
        { title: t.less, numeric: true, cell: ({ less }) => (less === 0 ? "–" : `−${formatBytes(less)}`) },
      ],
    })}
    ${num_sites > sites.length && html`<p class="tools quiet">${t.otherSites(num_sites - sites.length)}</p>`}
  </section>`;
}

type Deletion = Attributes<"deletion">;

async function deletionsCard(context: PageContext): Promise<Html> {
  const { data } = await context.api.get<List<"deletion">>("/deletions", { "page[size]": "10" });
  if (data.length === 0) return null;
  return html`<section class="card flush" aria-labelledby="deletions">
    <div class="tools"><h2 id="deletions">${t.deletions}</h2></div>
    ${table<Resource<"deletion">>({
      caption: t.deletions,
      hideCaption: true,
      rows: data,
      columns: [
        {
          title: t.when,
          header: true,
          cell: ({ id, attributes }) =>
            html`<a href=${context.href(`${PATH}/deletions/${id}`)}>${time(attributes.inserted_at)}</a>`,
        },
        { title: t.who, cell: ({ attributes }) => attributes.asked_by ?? t.limits },
        { title: t.state, cell: ({ attributes }) => t.deletionStates[attributes.state] },
        {
          title: t.reports,
          numeric: true,
          cell: ({ attributes: { deleted, total } }) => `${formatNumber(deleted)} / ${formatNumber(total)}`,
        },
        { title: t.size, numeric: true, cell: ({ attributes }) => formatBytes(attributes.bytes) },
      ],
    })}
  </section>`;
}

/** How far a deletion is, and afterwards what became of it. */
async function readDeletion(context: PageContext): Promise<View> {
  const { data } = await context.api.get<One<"deletion">>(
    `/deletions/${encodeURIComponent(context.params.deletion_id ?? "")}`,
  );
  const of = data.attributes;
  const isOver = of.state === "ended" || of.state === "stopped";
  const content = html`<div>
    ${isOver ? result(context, data.id, of) : progress(context, data.id, of)}
    ${of.left.length > 0 && leftTable(context, of)}
  </div>`;
  return {
    title: t.deletion,
    ...settingsCrumbs(context, "kept"),
    content,
    refresh: isOver ? undefined : 2,
  };
}

const started = ({ asked_by, inserted_at }: Deletion): Html =>
  html`${asked_by === null ? t.byNight : t.startedBy(asked_by)} ${time(inserted_at)}.`;

function progress(context: PageContext, id: string, of: Deletion): Html {
  const done = of.total - of.waiting;
  const since = of.started_at === null ? 0 : context.now.getTime() - Date.parse(`${of.started_at}Z`);
  return html`<div class="card grid">
    <div class="line">
      <h2 class="verdict">${icon("running")} ${t.progress(of.deleted, of.total)}</h2>
      ${done > 0 && since > 0 && html`<p class="quiet" role="status">${timeLeft((since / done / 1_000) * of.waiting, true)}</p>`}
    </div>
    <progress aria-label=${t.deletion} value=${done} max=${Math.max(1, of.total)}></progress>
    <p class="quiet">${started(of)} ${t.goesOn}</p>
    ${confirmForm(context, `${PATH}/deletions/${id}/stop`, { summary: t.stop, what: t.stopWhat(of.waiting), sure: t.stopNow })}
  </div>`;
}

function result(context: PageContext, id: string, of: Deletion): Html {
  const isAll = of.deleted === of.total;
  return html`<div class=${isAll ? "strip fine" : "strip"} role="status">
    ${icon(isAll ? "passed" : "alert")}
    <p><b>${isAll ? t.allDeleted(of.deleted, of.bytes) : t.someDeleted(of.deleted, of.total, of.bytes)}</b> ${of.state === "stopped" && t.stopped} ${started(of)} ${took(of)}</p>
    ${mayWrite(context, "audit") && html`<p class="push"><a href=${context.href("/audit", { of: id })}>${t.inTheLog}</a></p>`}
  </div>`;
}

const took = ({ started_at, ended_at }: Deletion): Html =>
  started_at !== null &&
  ended_at !== null &&
  t.took(duration(Date.parse(`${ended_at}Z`) - Date.parse(`${started_at}Z`)));

function leftTable(context: PageContext, { left }: Deletion): Html {
  return html`<section class="card flush" aria-labelledby="left">
    <div class="tools"><h2 id="left">${t.left}</h2></div>
    ${table<Deletion["left"][number]>({
      caption: t.left,
      hideCaption: true,
      rows: left,
      columns: [
        {
          title: t.report,
          header: true,
          cell: ({ report_id, reason }) =>
            reason === "gone" ? report_id : html`<a href=${context.href(`/reports/${report_id}`)}>${report_id}</a>`,
        },
        { title: t.reason, cell: ({ reason }) => t.leftWhy[reason] },
      ],
    })}
  </section>`;
}

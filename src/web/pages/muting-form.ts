import type { Attributes, CursorList, One, Resource } from "../../api/documents.ts";
import { endOfDay } from "../../domain/calendar-day.ts";
import { RequestError } from "../../domain/errors.ts";
import { type MutingCategory, mutingCategories } from "../../schema/muting.ts";
import { given, textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import { localPath, withParameter } from "../local-path.ts";
import type { Attempt, Fields, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters, mayWrite } from "../parts/access.ts";
import { crop } from "../parts/crop.ts";
import { confirmForm, hiddenFields, input, isRefusedFor, problems, radios } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { icon } from "../parts/icon.ts";
import { address, time } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.mutingForm;
const criteria = ["rule", "selector", "component", "fingerprint", "message", "url_match"] as const;
const names = [...criteria, "category", "comment", "reason", "expires_at"] as const;

export const mutingFormPages: readonly PageRoute[] = [
  { path: "/mutings/new", access: "account", read: newPage },
  { path: "/mutings/:muting_id", access: "account", read: (context) => editView(context) },
];

export const mutingForms: readonly FormRoute[] = [
  formRoute(
    "/mutings/new",
    (context, { fields, violations }) => newView(context, fields, undefined, violations),
    async (context, fields) => {
      const attributes = attributesOf(fields);
      if (fields.get("do") === "preview") return newView(context, fields, await previewOf(context, fields));
      await context.api.post("/mutings", attributes, { repeatKey: fields.get("key") ?? undefined });
      const next = localPath(fields.get("next"));
      if (next === undefined) return { redirect: context.href("/mutings", { done: "created" }) };
      return { redirect: context.href(withParameter(next, "done", "muted")) };
    },
  ),
  formRoute("/mutings/:muting_id", editView, async (context, fields) => {
    const path = pathOf(context);
    const { data } = await context.api.get<One<"muting">>(path);
    if (fields.get("do") === "preview") {
      const attempt = { fields, violations: [] };
      return editView(context, attempt, await previewOf(context, fields, data.attributes));
    }
    await context.api.patch(path, attributesOf(fields, data.attributes));
    return { redirect: context.href("/mutings", { done: "saved" }) };
  }),
  {
    path: "/mutings/:muting_id/delete",
    access: "account",
    submit: async (context) => {
      await context.api.delete(pathOf(context));
      return { redirect: context.href("/mutings", { done: "deleted" }) };
    },
  },
];

function pathOf({ params }: PageContext): string {
  return `/mutings/${params.muting_id}`;
}

/** The API's attributes for what was filled in. @param before the muting that is changed */
function attributesOf(fields: Fields, before?: Attributes<"muting">): Record<string, unknown> {
  const text = (name: string) => (fields.get(name) === null ? undefined : textIn(fields, name) || null);
  const typed = Object.fromEntries([...criteria, "category", "comment", "reason"].map((name) => [name, text(name)]));
  return given({ ...typed, expires_at: expiryOf(text("expires_at"), before?.expires_at ?? null) });
}

/** The end of the chosen day; undefined, which keeps the exact time, for the day on which the muting already ends. */
function expiryOf(typed: string | null | undefined, before: string | null): string | null | undefined {
  if (typed && typed === before?.slice(0, 10)) return undefined;
  return typed && endOfDay(typed);
}

/** `ofReport`: in the report that the form was opened from, if there is one. `all`: in the newest reports of all sites. */
type Preview = {
  ofReport: Attributes<"muting_preview"> | undefined;
  all: Attributes<"muting_preview">;
  /** It is a change of a muting that is there. */
  isChange: boolean;
};

/** @throws RequestError as for the muting itself */
async function previewOf(
  { api, params }: PageContext,
  fields: Fields,
  before?: Attributes<"muting">,
): Promise<Preview> {
  const attributes = attributesOf(fields, before);
  const preview = async (report_id?: string) => {
    const query = { report_id, muting_id: params.muting_id };
    return (await api.post<One<"muting_preview">>("/mutings/preview", attributes, { query })).data.attributes;
  };
  const all = await preview();
  const report = fields.get("report_id") || undefined;
  const known = all.sites.find(({ report_id }) => report_id === report);
  const one = known ? { ...all, ...known, reports: 1 } : undefined;
  return { ofReport: one ?? (report ? await preview(report) : undefined), all, isChange: before !== undefined };
}

/** The form as filled in by a link from a finding, with a preview of what it would mute. */
async function newPage(context: PageContext): Promise<View> {
  const { query } = context;
  const isFilled = criteria.some((name) => query.get(name));
  if (!isFilled || !mayWrite(context, "common")) return newView(context, query);
  try {
    return newView(context, query, await previewOf(context, query));
  } catch (error) {
    // The link's values are not a valid muting yet: the reader can complete them.
    if (error instanceof RequestError && error.status < 500) return newView(context, query);
    throw error;
  }
}

/** The finding that the form was opened from: an example of what is muted. */
async function aboutOf({ api }: PageContext, fields: Fields): Promise<Resource<"finding"> | undefined> {
  const component = fields.get("of") || fields.get("component");
  const report = fields.get("report_id");
  if (!component || !report) return undefined;
  const path = `/reports/${encodeURIComponent(report)}/findings`;
  try {
    const query = { "filter[component]": component, "page[size]": "1" };
    return (await api.get<CursorList<"finding">>(path, query)).data[0];
  } catch (error) {
    // The address may name anything: the form does without the example.
    if (error instanceof RequestError && error.status < 500) return undefined;
    throw error;
  }
}

/** One of the findings that a muting silences; undefined once it silences that no more. */
async function exampleOf(
  { api }: PageContext,
  { report_id, component }: NonNullable<NonNullable<Attributes<"muting">["now"]>["example"]>,
): Promise<Resource<"finding"> | undefined> {
  const query = { "filter[component]": component, "filter[muted]": "true", "page[size]": "1" };
  return (await api.get<CursorList<"finding">>(`/reports/${report_id}/findings`, query)).data[0];
}

function finding(context: PageContext, found: Resource<"finding">): Html {
  const { title, impact, success_criteria, rule, element, url } = found.attributes;
  const [, report_id = ""] = /\/reports\/([^/]+)\//.exec(element?.picture?.url ?? "") ?? [];
  const picture = crop({ ...context, params: { report_id }, path: `/reports/${report_id}` }, found);
  const where = element?.target ?? element?.selector;
  return html`<div class=${picture ? "grid pair" : "grid"}>
    ${picture}
    <div class="grid close">
      <h2>${title}</h2>
      <p class="line near">
        ${impact && html`<span>${icon(impact)} ${texts.impacts[impact]}</span>`}
        ${success_criteria.map(({ number }) => html`<span class="quiet">${number}</span>`)} ${rule && html`<code class="quiet">${rule}</code>`}
      </p>
      <p class="quiet">${where && html`<code>${where}</code> `}${address(url)}</p>
    </div>
  </div>`;
}

/** How much is muted: the element or its rule, on its site or everywhere. Each is a link, which shows what it would mute. */
function extent(
  context: PageContext,
  fields: Fields,
  { attributes: { component, rule, url } }: Resource<"finding">,
): Html {
  const site = `//${new URL(url).host}/`;
  const extents: Partial<Record<keyof typeof t.extents, Record<string, string>>> = {
    elementOnSite: { component, url_match: site },
    element: { component },
    ...(rule !== null && { ruleOnSite: { rule, url_match: site }, rule: { rule } }),
  };
  const kept = { of: component, report_id: fields.get("report_id") ?? "", next: fields.get("next") ?? "" };
  const isChosen = (values: Record<string, string>) =>
    criteria.every((name) => (fields.get(name) ?? "") === (values[name] ?? ""));
  return html`<nav aria-labelledby="extent">
    <h3 id="extent">${t.extent}</h3>
    <ul class="grid close">
      ${(Object.entries(extents) as [keyof typeof t.extents, Record<string, string>][]).map(
        ([name, values]) =>
          html`<li><a class="choice" href=${context.href("/mutings/new", { ...values, ...kept })} aria-current=${isChosen(values) ? "true" : undefined}>${t.extents[name]}<span class="small quiet">${t.extentWhat[name]}</span></a></li>`,
      )}
    </ul>
  </nav>`;
}

async function newView(
  context: PageContext,
  fields: Fields,
  preview?: Preview,
  violations: Attempt["violations"] = [],
): Promise<View> {
  const about = await aboutOf(context, fields);
  const hidden = { report_id: fields.get("report_id"), next: fields.get("next"), of: about?.attributes.component };
  const found = (preview?.ofReport ?? preview?.all)?.findings ?? 0;
  const submit = found > 0 ? `${t.create} ${texts.count.findings(found)}` : t.create;
  const form = { path: "/mutings/new", submit, preview, values: {} };
  const content = forWriters(
    context,
    () =>
      mutingForm(context, {
        ...form,
        attempt: { fields, violations },
        hidden: Object.entries(hidden).map(
          ([name, value]) => value && html`<input type="hidden" name=${name} value=${value} />`,
        ),
        about: about && html`${finding(context, about)} ${extent(context, fields, about)}`,
      }),
    "common",
  );
  const crumbs = [{ text: texts.mutings.title, to: context.href("/mutings") }];
  return { title: t.newTitle, section: "mutings", crumbs, content: html`<div>${content}</div>` };
}

async function editView(context: PageContext, attempt?: Attempt, preview?: Preview): Promise<View> {
  const path = pathOf(context);
  const { data } = await context.api.get<One<"muting">>(path, { now: "true" });
  const values = { ...data.attributes, expires_at: data.attributes.expires_at?.slice(0, 10) ?? null };
  const { now, created_by, inserted_at } = data.attributes;
  const example = now?.example && (await exampleOf(context, now.example));
  const content = html`<div>
    <section class="card grid" aria-label=${texts.mutings.columns.what}>
      ${example ? finding(context, example) : now?.title && html`<h2>${now.title}</h2>`}
      <p class="quiet">${texts.mutings.mutedByIt(now?.findings ?? 0)} ${created_by && html`${created_by}, `}${time(inserted_at)}</p>
    </section>
    ${forWriters(context, () => mutingForm(context, { path, submit: t.save, values, attempt, preview }), "common")}
    ${confirmForm(context, `${path}/delete`, { summary: t.delete, what: t.deleteWhat, sure: t.deleteSure, right: "common" })}
  </div>`;
  return { title: t.editTitle, section: "mutings", content };
}

type Form = {
  path: string;
  submit: string;
  values: Partial<Attributes<"muting">>;
  attempt: Attempt | undefined;
  preview: Preview | undefined;
  hidden?: Html;
  /** What is muted, where the form was opened from a finding: then the exact criteria are folded. */
  about?: Html;
};

function mutingForm(context: PageContext, { path, submit, values, attempt, preview, hidden, about }: Form): Html {
  const field = (name: (typeof names)[number], label: string, help: string) => {
    return { name, label, help, value: values[name] ?? "", attempt, bare: true };
  };
  const which = html`<p class="quiet">${t.whichHelp}</p>
    <div class="row">
      ${input(field("rule", t.rule, t.ruleHelp))} ${input(field("selector", t.selector, t.selectorHelp))}
      ${input(field("component", t.component, t.componentHelp))} ${input(field("fingerprint", t.fingerprint, t.fingerprintHelp))}
      ${input(field("message", t.message, t.messageHelp))} ${input(field("url_match", t.urlMatch, t.urlMatchHelp))}
    </div>`;
  return html`<form class=${preview ? "grid pair" : "grid"} method="post" action=${context.href(path)}>
    <div class="card grid">
      ${hiddenFields(context)} ${hidden} ${problems(attempt, names)} ${about}
      ${
        about && !isRefusedFor(attempt, criteria)
          ? html`<details><summary>${t.exactly}</summary><div class="grid close">${which}</div></details>`
          : html`<fieldset class="grid close"><legend>${t.which}</legend>${which}</fieldset>`
      }
      ${radios({
        ...{ name: "category", label: t.why, value: values.category ?? "", attempt },
        options: [
          { value: "", label: t.noCategory, what: t.noCategoryWhat },
          ...(Object.keys(mutingCategories) as MutingCategory[]).map((value) => ({
            ...{ value, label: texts.mutings.categories[value], what: t.categoryWhat[value] },
          })),
        ],
      })}
      ${input({ ...field("comment", t.comment, t.commentHelp), rows: 2 })}
      <div class="row">
        ${input({ ...field("expires_at", t.expiresAt, t.expiresAtHelp), type: "date" })}
        ${input({ ...field("reason", t.reason, t.reasonHelp) })}
      </div>
      <p class="line near">
        <button>${submit}</button>
        <button class="quiet" name="do" value="preview">${preview ? t.update : t.preview}</button>
      </p>
    </div>
    ${preview && previewed(context, preview, submit)}
  </form>`;
}

/** The preview of what a muting would silence. It has the focus, so that its button is one key away. */
function previewed(context: PageContext, { ofReport, all, isChange }: Preview, submit: string): Html {
  const { findings, issues, pages, reports, num_sites } = ofReport ?? all;
  const numbers = Object.entries({ findings, issues, pages }) as ["findings" | "issues" | "pages", number][];
  return html`<section class="card grid preview" tabindex="-1" autofocus aria-labelledby="preview">
    <h2 id="preview">${t.previewTitle}</h2>
    <p class="verdict">${findings === 0 ? t.previewNothing : t.sum(findings, pages)}</p>
    <p class="quiet">${num_sites === 0 ? t.previewNoReports : t.previewIn(reports)}</p>
    <dl class="numbers">${numbers.map(([name, value]) => html`<div><dt>${t[name]}</dt><dd>${formatNumber(value)}</dd></div>`)}</dl>
    <button>${submit}</button>
    ${touched(context, all, isChange)}
    <p class="quiet">${t.keeps}</p>
  </section>`;
}

/** Every site on which it would silence something, so that nobody silences more of them than was meant. */
function touched(
  { href }: PageContext,
  { sites, reports, num_sites, complete }: Attributes<"muting_preview">,
  isChange: boolean,
): Html {
  if (num_sites === 0) return null;
  // What a muting already silences is not in the numbers of reports.
  const change = ({ errors, report_errors }: (typeof sites)[number]) =>
    !isChange && errors > 0 && html`, <b>${t.errorsBecome(report_errors, report_errors - errors)}</b>`;
  return html`<h3>${(complete ? t.sites : t.sitesSoFar)(sites.length, reports)}</h3>
    ${!complete && html`<p>${t.sitesLeft(num_sites - reports)}</p>`}
    ${!isChange && sites.length > 0 && html`<p>${t.verdicts(sites.filter(changesVerdict).length)}</p>`}
    <ul class="rows">
      ${sites.map(
        (site) =>
          html`<li>${address(site.starting_url, href(`/reports/${site.report_id}`))} <span class="quiet">${texts.count.findings(site.findings)}, ${texts.count.pages(site.pages)}</span>${change(site)}${verdict(site)}</li>`,
      )}
    </ul>`;
}

type Touched = Attributes<"muting_preview">["sites"][number];

function changesVerdict({ passes, would_pass }: Touched): boolean {
  return passes !== would_pass;
}

/** How the newest report of a site is judged by its limits, and how it would be; nothing of one without limits. */
function verdict(site: Touched): Html {
  if (site.passes === null) return null;
  const said = (passed: boolean | null) =>
    html`${icon(passed ? "passed" : "failed")} ${texts.report.endings[passed ? "passed" : "notPassed"]}`;
  return html` <span class="block">${said(site.passes)}${changesVerdict(site) && html` → <b>${said(site.would_pass)}</b>`}</span>`;
}

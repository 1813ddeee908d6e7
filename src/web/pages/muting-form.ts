import type { Attributes, One } from "../../api/documents.ts";
import { RequestError } from "../../domain/errors.ts";
import { given, textIn } from "../fields.ts";
import { type Html, html } from "../html.ts";
import { localPath, withParameter } from "../local-path.ts";
import type { Attempt, Fields, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters, mayWrite } from "../parts/access.ts";
import { confirmForm, hiddenFields, input, problems } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { address } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";

const t = texts.mutingForm;
const criteria = ["rule", "selector", "component", "fingerprint", "message", "url_match"] as const;
const names = [...criteria, "comment", "reason", "expires_at"] as const;

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
  const typed = Object.fromEntries([...criteria, "comment", "reason"].map((name) => [name, text(name)]));
  return given({ ...typed, expires_at: expiryOf(text("expires_at"), before?.expires_at ?? null) });
}

/** The end of the chosen day; undefined, which keeps the exact time, for the day on which the muting already ends. */
function expiryOf(typed: string | null | undefined, before: string | null): string | null | undefined {
  if (typed && typed === before?.slice(0, 10)) return undefined;
  return typed && /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(typed) ? `${typed}T23:59:59` : typed;
}

/** `ofReport`: in the report that the form was opened from, if there is one. `all`: in the newest reports of all sites. */
type Preview = { ofReport: Attributes<"muting_preview"> | undefined; all: Attributes<"muting_preview"> };

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
  const report = fields.get("report_id") || undefined;
  return { ofReport: report ? await preview(report) : undefined, all: await preview() };
}

/** The form as filled in by a link from a finding, with a preview of what it would mute. */
async function newPage(context: PageContext): Promise<View> {
  const { query } = context;
  const isFilled = criteria.some((name) => query.get(name));
  if (!isFilled || !mayWrite(context)) return newView(context, query);
  try {
    return newView(context, query, await previewOf(context, query));
  } catch (error) {
    // The link's values are not a valid muting yet: the reader can complete them.
    if (error instanceof RequestError && error.status < 500) return newView(context, query);
    throw error;
  }
}

function newView(
  context: PageContext,
  fields: Fields,
  preview?: Preview,
  violations: Attempt["violations"] = [],
): View {
  const hidden = ["report_id", "next"].map(
    (name) => fields.get(name) && html`<input type="hidden" name=${name} value=${fields.get(name)} />`,
  );
  const form = { path: "/mutings/new", submit: t.create, hidden, preview, values: {} };
  const content = forWriters(context, () => mutingForm(context, { ...form, attempt: { fields, violations } }));
  return { title: t.newTitle, section: "mutings", content: html`<div>${content}</div>` };
}

async function editView(context: PageContext, attempt?: Attempt, preview?: Preview): Promise<View> {
  const path = pathOf(context);
  const { data } = await context.api.get<One<"muting">>(path);
  const values = { ...data.attributes, expires_at: data.attributes.expires_at?.slice(0, 10) ?? null };
  const content = html`<div>
    ${forWriters(context, () => mutingForm(context, { path, submit: t.save, values, attempt, preview }))}
    ${confirmForm(context, `${path}/delete`, { summary: t.delete, what: t.deleteWhat, sure: t.deleteSure })}
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
};

function mutingForm(context: PageContext, { path, submit, values, attempt, preview, hidden }: Form): Html {
  const field = (name: (typeof names)[number], label: string, help: string) => {
    return { name, label, help, value: values[name] ?? "", attempt, bare: true };
  };
  return html`<form class="card grid sheet" method="post" action=${context.href(path)}>
    ${hiddenFields(context)} ${hidden} ${problems(attempt, names)} ${preview && previewed(context, preview, submit)}
    <fieldset>
      <legend>${t.which}</legend>
      <p class="quiet">${t.whichHelp}</p>
      ${input(field("rule", t.rule, t.ruleHelp))} ${input(field("selector", t.selector, t.selectorHelp))}
      ${input(field("component", t.component, t.componentHelp))} ${input(field("fingerprint", t.fingerprint, t.fingerprintHelp))}
      ${input(field("message", t.message, t.messageHelp))} ${input(field("url_match", t.urlMatch, t.urlMatchHelp))}
    </fieldset>
    <fieldset>
      <legend>${t.why}</legend>
      ${input({ ...field("comment", t.comment, t.commentHelp), rows: 2 })}
      ${input({ ...field("reason", t.reason, t.reasonHelp), rows: 2 })}
      ${input({ ...field("expires_at", t.expiresAt, t.expiresAtHelp), type: "date" })}
    </fieldset>
    <p class="line near">
      <button>${submit}</button>
      <button class="quiet" name="do" value="preview">${t.preview}</button>
    </p>
  </form>`;
}

/** The preview of what a muting would silence. It has the focus, so that its button is one key away. */
function previewed(context: PageContext, { ofReport, all }: Preview, submit: string): Html {
  const { findings, issues, pages, reports, num_sites } = ofReport ?? all;
  const numbers = Object.entries({ findings, issues, pages }) as ["findings" | "issues" | "pages", number][];
  return html`<section class="card grid preview" tabindex="-1" autofocus aria-labelledby="preview">
    <h2 id="preview">${t.previewTitle}</h2>
    <dl class="numbers">${numbers.map(([name, value]) => html`<div><dt>${t[name]}</dt><dd>${formatNumber(value)}</dd></div>`)}</dl>
    <p>${findings === 0 ? t.previewNothing : t.sum(findings, pages)} ${num_sites === 0 ? t.previewNoReports : t.previewIn(reports)}</p>
    ${touched(context, all)}
    <button>${submit}</button>
  </section>`;
}

/** Every site on which it would silence something, so that nobody silences more of them than was meant. */
function touched({ href }: PageContext, { sites, reports, num_sites, complete }: Attributes<"muting_preview">): Html {
  if (num_sites === 0) return null;
  return html`<h3>${(complete ? t.sites : t.sitesSoFar)(sites.length, reports)}</h3>
    ${!complete && html`<p>${t.sitesLeft(num_sites - reports)}</p>`}
    <ul class="rows">
      ${sites.map(
        ({ report_id, starting_url, findings, pages }) =>
          html`<li>${address(starting_url, href(`/reports/${report_id}`))} <span class="quiet">${texts.count.findings(findings)}, ${texts.count.pages(pages)}</span></li>`,
      )}
    </ul>`;
}

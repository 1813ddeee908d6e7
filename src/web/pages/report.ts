import type { Attributes, One } from "../../api/documents.ts";
import { RequestError } from "../../domain/errors.ts";
import { snakeCase } from "../../schema/api-names.ts";
import { reportSpecSchema } from "../../schema/report.ts";
import { isEndPhase } from "../../schema/status.ts";
import type { Api } from "../api.ts";
import { given } from "../fields.ts";
import { type Html, html } from "../html.ts";
import type { FormRoute, Outcome, PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { deviceOf } from "../parts/crawl-form/values.ts";
import { confirmForm } from "../parts/form.ts";
import { readLive } from "../parts/live.ts";
import { pinStrip } from "../parts/pin.ts";
import { isOwned, reportPath, reportRoutes } from "../parts/report.ts";
import { reportFrame, siteOf } from "../parts/report-head.ts";
import { reportResult } from "../parts/report-result.ts";
import { time } from "../parts/text.ts";
import type { Source } from "../report-file/file-context.ts";
import { reportFile } from "../report-file.ts";
import { texts } from "../texts/en.ts";

const t = texts.report;

export const reportPages: readonly PageRoute[] = [
  ...reportRoutes("", readReport),
  // The event stream and the exports of the API, for a browser that is signed in.
  ...reportRoutes("/events", async ({ params }) => ({ forward: { path: `/reports/${params.report_id}/events` } })),
  {
    path: "/reports/:report_id/sign-in-pictures/:step",
    access: "account",
    read: async ({ params }) => ({ forward: { path: `/reports/${params.report_id}/sign_in_pictures/${params.step}` } }),
  },
  ...reportRoutes("/export.html", saveReport),
  ...reportRoutes("/export.:format", async ({ params }) => ({
    forward: { path: `/reports/${params.report_id}/export.${params.format}` },
  })),
];

export const reportForms: readonly FormRoute[] = [
  {
    path: "/reports/:report_id/share",
    access: "account",
    submit: async ({ api, params, href }, fields) => {
      const shared = fields.get("shared") === "true";
      await api.patch(`/reports/${params.report_id}`, { shared });
      return { redirect: href(`/reports/${params.report_id}`, { done: shared ? "shared" : "unshared" }) };
    },
  },
  {
    path: "/reports/:report_id/again",
    access: "account",
    submit: async ({ api, params, href }, fields) => {
      const { data } = await api.get<One<"report">>(`/reports/${params.report_id}`);
      const attributes = { ...definitionOf(data.attributes), device_id: deviceOf(data) };
      const repeatKey = fields.get("key") ?? undefined;
      const { data: made } = await api.post<One<"report">>("/reports", attributes, { repeatKey });
      return { redirect: href(`/reports/${made.id}`) };
    },
  },
  {
    path: "/reports/:report_id/cancel",
    access: "account",
    submit: async ({ api, params, href }) => {
      await api.patch(`/reports/${params.report_id}`, { cancelled: true });
      return { redirect: href(`/reports/${params.report_id}`, { done: "cancelled" }) };
    },
  },
  {
    path: "/reports/:report_id/delete",
    access: "account",
    submit: async ({ api, params, href }) => {
      await api.delete(`/reports/${params.report_id}`);
      return { redirect: href("/", { done: "deleted" }) };
    },
  },
];

/** The pages that were seen while it signed in. They are open where somebody looks for them: after a failure, or a trial. */
function signInPictures(context: PageContext, { sign_in_pictures = [], max_pages }: Attributes<"report">): Html {
  if (sign_in_pictures.length === 0) return null;
  const isOpen = max_pages === 1 || sign_in_pictures.some(({ failed }) => failed);
  return html`<details class="card" open=${isOpen}>
    <summary>${t.signInPictures}</summary>
    <p class="quiet">${t.signInPicturesWhat}</p>
    <ol class="steps">
      ${sign_in_pictures.map(({ step, action, failed }) => {
        const source = context.href(`/reports/${context.params.report_id}/sign-in-pictures/${step}`);
        const text = failed ? t.signInFailedAt(action) : action;
        return html`<li>
          <span class="no h">${step}</span>${" "}
          <div>
            <p>${text}</p>
            <div class="shot"><img src=${source} alt=${t.signInPictureAlt(step)} loading="lazy" /></div>
          </div>
        </li>`;
      })}
    </ol>
  </details>`;
}

/** What is of one report alone. */
const ofOne = ["base_id", "shared", "cancelled"];
const definition = Object.keys(reportSpecSchema.properties)
  .map(snakeCase)
  .filter((name) => !ofOne.includes(name));

/** The attributes that define a report, to create another one with them. */
function definitionOf(attributes: Record<string, unknown>): Record<string, unknown> {
  return given(
    Object.fromEntries(definition.flatMap((name) => (attributes[name] === null ? [] : [[name, attributes[name]]]))),
  );
}

/** The file that `check --report-file` writes. @throws RequestError 409 for a report that has not ended */
async function saveReport({ api, params, now, guides }: PageContext): Promise<Outcome> {
  const { data } = await api.get<One<"report">>(`/reports/${params.report_id}`);
  if (!isEndPhase(data.attributes.phase))
    throw new RequestError({ status: 409, code: "report_running", title: "Conflict", detail: t.fileLater });
  const known = await guides();
  const chunks = (part: Api) => {
    const source: Source = {
      get: (path) => {
        const [start = "", search] = path.split("?");
        return part.get(start, Object.fromEntries(new URLSearchParams(search)));
      },
      base64: (path) => part.file(path, "base64"),
    };
    return reportFile(source, data.id, { now, linksToPages: true, guides: async () => known });
  };
  return { file: { filename: `${data.attributes.domain}.html`, chunks } };
}

export async function readReport(context: PageContext): Promise<View> {
  const { api, params } = context;
  const { data } = await api.get<One<"report">>(`/reports/${params.report_id}`);
  const report = data.attributes;
  const ended = isEndPhase(report.phase);
  const owned = isOwned(context, report);
  const progress = ended ? undefined : await api.get<One<"progress">>(`/reports/${params.report_id}/progress`);
  const site = owned ? await siteOf(context, report.starting_url) : undefined;
  const { tabs, ...frame } = reportFrame(context, report, "summary", site);
  const content = html`<div>
    ${tabs} ${owned ? null : html`<p class="quiet">${t.sharedBy}${context.sharedUntil !== undefined && html` ${texts.shareLinks.sharedUntil} ${time(context.sharedUntil)}.`}</p>`}
    ${pinStrip(context, report, owned)}
    ${await reportResult(context, report, {
      site,
      live: progress && (await readLive(context, report, progress.data.attributes)),
      pictures: signInPictures(context, report),
    })}
    ${owned ? remove(context) : null}
  </div>`;
  const live = ended ? undefined : context.href(reportPath(context, "/events"));
  return { ...frame, title: report.starting_url, content, live };
}

/** The form that deletes the report. */
function remove(context: PageContext): Html {
  const form = () =>
    confirmForm(context, `/reports/${context.params.report_id}/delete`, {
      summary: t.delete,
      what: t.deleteWhat,
      sure: t.deleteSure,
    });
  return forWriters(context, form);
}

import type { One } from "../../api/documents.ts";
import { textIn } from "../fields.ts";
import { html } from "../html.ts";
import type { Attempt, Fields, PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { crawlAttributes } from "../parts/crawl-form/attributes.ts";
import { readChoices } from "../parts/crawl-form/choices.ts";
import { crawlFields } from "../parts/crawl-form/fields.ts";
import { allCrawlNames } from "../parts/crawl-form/names.ts";
import { crawlSheet, onceOrScheduled, whatHappens } from "../parts/crawl-form/sheet.ts";
import { defaultValues } from "../parts/crawl-form/values.ts";
import { input } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { texts } from "../texts/en.ts";

const PATH = "/reports/new";
const t = texts.newReport;

export const newReportPage: PageRoute = { path: PATH, access: "account", read: (context) => view(context) };

export const createReport = formRoute(PATH, view, async (context, fields) => {
  const repeatKey = fields.get("key") ?? undefined;
  const { data } = await context.api.post<One<"report">>("/reports", attributesOf(fields), { repeatKey });
  return { redirect: context.href(`/reports/${data.id}`) };
});

function attributesOf(fields: Fields): Record<string, unknown> {
  const isTrial = fields.get("do") === "first";
  return {
    ...{ starting_url: "", ...crawlAttributes(fields), base_id: textIn(fields, "base_id") || null },
    ...(isTrial && { max_pages: 1 }),
  };
}

async function view(context: PageContext, attempt?: Attempt): Promise<View> {
  const choices = await readChoices(context.api);
  const values = { ...defaultValues, starting_url: context.query.get("url") ?? "" };
  const base = { name: "base_id", label: t.base, help: t.baseHelp, value: context.query.get("base_id") ?? "", attempt };
  const happens = await whatHappens(context, values, attempt);
  const content = forWriters(context, () =>
    crawlSheet(context, {
      ...{ action: PATH, attempt, names: [...allCrawlNames, "base_id"], beside: happens },
      fields: crawlFields({ values, choices, attempt }, { more: input(base), moreNames: ["base_id"] }),
      buttons: html`<button>${t.submit}</button>
        <button class="quiet" name="do" value="first">${t.first}</button>
        <a href=${context.href("/")}>${texts.form.cancel}</a>`,
    }),
  );
  const crumbs = [{ text: texts.sites.title, to: context.href("/") }];
  const tools = onceOrScheduled(context, "once");
  return { title: t.title, section: "sites", crumbs, tools, content: html`<div>${content}</div>` };
}

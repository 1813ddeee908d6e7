import type { One } from "../../api/documents.ts";
import { scheduleSpecSchema } from "../../schema/schedule.ts";
import { given, numberIn, textIn } from "../fields.ts";
import { html } from "../html.ts";
import type { Attempt, Fields, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters } from "../parts/access.ts";
import { crawlAttributes } from "../parts/crawl-form/attributes.ts";
import { readChoices } from "../parts/crawl-form/choices.ts";
import { crawlFields } from "../parts/crawl-form/fields.ts";
import { allCrawlNames } from "../parts/crawl-form/names.ts";
import { crawlSheet, onceOrScheduled, whatHappens } from "../parts/crawl-form/sheet.ts";
import { defaultValues, deviceOf, type Values, valuesOf } from "../parts/crawl-form/values.ts";
import { checkbox, input } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { periodicityFields, periodicityNames, periodicityOf } from "../parts/periodicity.ts";
import { texts } from "../texts/en.ts";

const t = texts.scheduleForm;
const names = [...allCrawlNames, ...periodicityNames, "active", "history_limit", "preview_hosts"];
const { minimum, maximum } = scheduleSpecSchema.properties.historyLimit;

export const scheduleFormPages: readonly PageRoute[] = [
  { path: "/schedules/new", access: "account", read: (context) => newView(context) },
  { path: "/schedules/:schedule_id/edit", access: "account", read: (context) => editView(context) },
];

export const scheduleForms: readonly FormRoute[] = [
  formRoute("/schedules/new", newView, async (context, fields) => {
    const attributes = { starting_url: "", ...attributesOf(fields) };
    const repeatKey = fields.get("key") ?? undefined;
    const { data } = await context.api.post<One<"schedule">>("/schedules", attributes, { repeatKey });
    return { redirect: context.href(`/schedules/${data.id}`, { done: "created" }) };
  }),
  formRoute("/schedules/:schedule_id/edit", editView, async (context, fields) => {
    const path = `/schedules/${context.params.schedule_id}`;
    await context.api.patch(path, attributesOf(fields));
    return { redirect: context.href(path, { done: "saved" }) };
  }),
];

function attributesOf(fields: Fields): Record<string, unknown> {
  const periodicity = periodicityOf(fields);
  const history = numberIn(fields, "history_limit");
  return {
    ...crawlAttributes(fields),
    active: fields.has("active"),
    ...(periodicity && { periodicity }),
    ...given({ history_limit: history, preview_hosts: textIn(fields, "preview_hosts") }),
  };
}

function newView(context: PageContext, attempt?: Attempt): Promise<View> {
  const values: Values = {
    ...defaultValues,
    "periodicity.every": "week",
    starting_url: context.query.get("url") ?? "",
  };
  return view(context, { title: t.newTitle, path: "/schedules/new", submit: t.create, values, attempt });
}

async function editView(context: PageContext, attempt?: Attempt): Promise<View> {
  const path = `/schedules/${context.params.schedule_id}`;
  const { data } = await context.api.get<One<"schedule">>(path);
  const values: Values = {
    "periodicity.every": "deploy",
    "periodicity.weekday": "monday",
    ...valuesOf(data.attributes),
    device_id: deviceOf(data),
  };
  const title = `${t.editTitle}: ${data.attributes.starting_url}`;
  return view(context, { title, path: `${path}/edit`, submit: t.save, values, attempt });
}

type Form = { title: string; path: string; submit: string; values: Values; attempt: Attempt | undefined };

async function view(context: PageContext, { title, path, submit, values, attempt }: Form): Promise<View> {
  const isNew = path === "/schedules/new";
  const back = isNew ? "/schedules" : path.replace(/\/edit$/, "");
  const choices = await readChoices(context.api);
  const field = (name: string, label: string, help?: string) => ({ name, label, help, value: values[name], attempt });
  const more = html`${checkbox(field("active", t.active))}
  ${input({
    ...field("history_limit", t.historyLimit, t.historyLimitHelp),
    type: "number",
    min: minimum,
    max: maximum,
    required: true,
  })}
  ${input(field("preview_hosts", t.previewHosts, t.previewHostsHelp))}`;
  const happens = await whatHappens(context, values, attempt);
  const content = forWriters(context, () =>
    crawlSheet(context, {
      ...{ action: path, attempt, names, beside: happens },
      fields: crawlFields(
        { values, choices, attempt },
        { when: periodicityFields(values, attempt), more, moreNames: ["active", "history_limit", "preview_hosts"] },
      ),
      buttons: html`<button>${submit}</button> <a href=${context.href(back)}>${texts.form.cancel}</a>`,
    }),
  );
  const crumbs = [{ text: texts.schedules.title, to: context.href("/schedules") }];
  const tools = isNew && onceOrScheduled(context, "scheduled");
  return { title, section: "schedules", crumbs, tools, content: html`<div>${content}</div>` };
}

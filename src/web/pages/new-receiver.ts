import type { Attributes, One } from "../../api/documents.ts";
import { receiverKinds } from "../../domain/notifications/receivers.ts";
import { html } from "../html.ts";
import type { Attempt, PageContext, PageRoute, View } from "../page.ts";
import { forWriters, requireHost } from "../parts/access.ts";
import { copyField } from "../parts/copy.ts";
import { hiddenFields, problems } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { receiverAttributes, receiverFields, receiverNames } from "../parts/receiver-form.ts";
import { settingsCrumbs } from "../parts/settings.ts";
import { texts } from "../texts/en.ts";

const PATH = "/receivers/new";
const t = texts.receivers;

export const newReceiverPage: PageRoute = { path: PATH, access: "account", read: async (context) => view(context) };

export const createReceiver = formRoute(PATH, view, async (context, fields) => {
  const attributes = receiverAttributes(fields);
  // What is not of its kind is not sent: nobody sees a field of another one as wrong.
  const other = attributes.kind === "mail" ? "url" : "mail_addresses";
  const { [other]: _, ...own } = attributes;
  const repeatKey = fields.get("key") ?? undefined;
  const { data } = await context.api.post<One<"receiver">>("/receivers", own, { repeatKey });
  if (fields.get("do") === "test") await context.api.post(`/receivers/${data.id}/tests`, {}, { repeatKey });
  const { secret } = data.attributes;
  if (secret !== undefined) return secretView(context, data.id, t.createdTitle(data.attributes.name), secret);
  return { redirect: context.href(`/receivers/${data.id}`, { done: "created" }) };
});

/** The only page that shows a secret: the response to the form, which is not stored anywhere. */
export function secretView(context: PageContext, id: string, title: string, secret: string): View {
  const content = html`<div class="card grid sheet">
    <p role="status">${t.secretWhat}</p>
    ${copyField({ name: "secret", label: t.secretOnce, value: secret })}
    <p><a class="button" href=${context.href(`/receivers/${id}`)}>${t.stored}</a></p>
  </div>`;
  return { title, ...settingsCrumbs(context, "receivers"), status: 201, content };
}

function view(context: PageContext, attempt?: Attempt): View {
  requireHost(context);
  const { query, href } = context;
  const kind = query.get("kind") ?? "";
  const values = {
    ...(Object.hasOwn(receiverKinds, kind) && { kind }),
    ...(query.get("digest") === "daily" && { digest: "daily", events: ["issues.new", "report.failed"] }),
  } as Partial<Attributes<"receiver">>;
  const content = forWriters(
    context,
    () => html`<form class="card grid" method="post" action=${href(PATH)}>
      ${hiddenFields(context)} ${problems(attempt, receiverNames)} ${receiverFields(values, attempt)}
      <p class="quiet">${t.secretNow}</p>
      <p class="line">
        <button>${t.create}</button>
        <button class="quiet" name="do" value="test">${t.createAndTest}</button>
        <a href=${href("/receivers")}>${texts.form.cancel}</a>
      </p>
    </form>`,
  );
  return { title: t.newTitle, ...settingsCrumbs(context, "receivers"), content };
}

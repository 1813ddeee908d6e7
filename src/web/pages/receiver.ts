import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { forWriters, mayWrite } from "../parts/access.ts";
import { actionForm, confirmForm, hiddenFields, problems, radios } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { icon } from "../parts/icon.ts";
import { addressed, answerIn, answerText, disabledAt } from "../parts/receiver.ts";
import { receiverAttributes, receiverFields, receiverNames } from "../parts/receiver-form.ts";
import { settingsCrumbs } from "../parts/settings.ts";
import { shortTime, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";
import { secretView } from "./new-receiver.ts";

const PATH = "/receivers/:receiver_id";
const t = texts.receivers;
export const receiverPage: PageRoute = { path: PATH, access: "account", read: (context) => view(context) };

const pathOf = ({ params }: PageContext) => `/receivers/${params.receiver_id}`;

/** Leads to the test, where its answer will be. */
async function sendTest(context: PageContext, repeatKey: string | undefined, done?: string) {
  const { data } = await context.api.post<One<"delivery">>(`${pathOf(context)}/tests`, {}, { repeatKey });
  return { redirect: context.href(`/deliveries/${data.id}`, { done }) };
}

export const receiverForms: readonly FormRoute[] = [
  formRoute(PATH, view, async (context, fields) => {
    const { data } = await context.api.get<One<"receiver">>(pathOf(context));
    await context.api.patch(pathOf(context), receiverAttributes(fields, data.attributes.kind));
    if (fields.get("do") === "test") return sendTest(context, fields.get("key") ?? undefined, "saved");
    return { redirect: context.href(pathOf(context), { done: "saved" }) };
  }),
  formRoute(`${PATH}/test`, view, (context, fields) => sendTest(context, fields.get("key") ?? undefined)),
  formRoute(`${PATH}/secret`, view, async (context, fields) => {
    const repeatKey = fields.get("key") ?? undefined;
    const { data } = await context.api.post<One<"receiver">>(`${pathOf(context)}/secret`, {}, { repeatKey });
    return secretView(context, data.id, t.secretTitle(data.attributes.name), data.attributes.secret ?? "");
  }),
  formRoute(`${PATH}/enabled`, view, async (context, fields) => {
    const enabled = fields.get("enabled") === "true";
    const attributes = { enabled, ...(enabled && { send_missed: fields.get("resume") === "missed" }) };
    await context.api.patch(pathOf(context), attributes);
    if (enabled) return sendTest(context, fields.get("key") ?? undefined, "switchedOn");
    return { redirect: context.href(pathOf(context), { done: "switchedOff" }) };
  }),
  {
    path: `${PATH}/delete`,
    access: "account",
    submit: async (context) => {
      await context.api.delete(pathOf(context));
      return { redirect: context.href("/receivers", { done: "deleted" }) };
    },
  },
];

async function view(context: PageContext, attempt?: Attempt): Promise<View> {
  const { data } = await context.api.get<One<"receiver">>(pathOf(context));
  const { attributes } = data;
  const tested = await lastTest(context, data.id);
  const content = html`<div class="grid split">
    <div class="grid">
      ${attributes.state === "disabled" && switchedOff(context, attributes, await whyDisabled(context, data))}
      ${attributes.schedule_id !== null && declared(context, attributes.schedule_id)}
      ${forWriters(
        context,
        () =>
          attributes.schedule_id === null &&
          html`<form class="card grid" method="post" action=${context.href(pathOf(context))}>
          ${hiddenFields(context)} ${problems(attempt, receiverNames)} ${receiverFields(attributes, attempt, attributes.kind)}
          <p class="line">
            <button>${t.save}</button>
            ${attributes.state !== "disabled" && html`<button class="quiet" name="do" value="test">${t.saveAndTest}</button>`}
            <a href=${context.href("/receivers")}>${texts.form.cancel}</a>
          </p>
        </form>`,
      )}
      <div class="line near">
        ${attributes.state !== "disabled" && actionForm(context, `${pathOf(context)}/enabled`, html`${icon("paused")} ${t.off}`, { quiet: true })}
        ${attributes.schedule_id === null && confirmForm(context, `${pathOf(context)}/delete`, { summary: t.remove, what: t.removeWhat, sure: t.removeSure(attributes.name) })}
      </div>
    </div>
    <div class="grid">
      ${stateCard(context, attributes, data.id)} ${testCard(context, attributes, tested)} ${secretCard(context, attributes)}
    </div>
  </div>`;
  const about = html`<span class="quiet">${addressed(attributes)}</span>`;
  return { title: attributes.name, about, content, ...settingsCrumbs(context, "receivers") };
}

/** Its resource says what it is: whatever was changed here would be undone. */
function declared({ href }: PageContext, scheduleId: string): Html {
  return html`<section class="card grid close" aria-labelledby="declared">
    <h2 id="declared">${t.declared}</h2>
    <p>${t.declaredWhat}</p>
    <p><a href=${href(`/schedules/${scheduleId}`)}>${t.declaredBy}</a></p>
  </section>`;
}

/** The newest test, with its answer. */
async function lastTest({ api }: PageContext, id: string): Promise<Attributes<"delivery"> | undefined> {
  const query = { "filter[receiver_id]": id, "filter[type]": "test", "page[size]": "1" };
  return (await api.get<List<"delivery">>("/deliveries", query)).data[0]?.attributes;
}

function stateCard({ href }: PageContext, of: Attributes<"receiver">, id: string): Html {
  return html`<section class="card grid close" aria-labelledby="state">
    <h2 id="state">${t.state}</h2>
    ${stateOf(of)}
    ${of.unsubscribed.length > 0 && html`<p class="quiet">${t.unsubscribed(of.unsubscribed.length)}</p>`}
    <p><a href=${href("/deliveries", { receiver: id })}>${t.deliveries}</a></p>
  </section>`;
}

function stateOf(of: Attributes<"receiver">): Html {
  if (of.state === "disabled")
    return html`<p>${icon("paused")} <b>${t.disabled} ${time(of.disabled_at)}.</b></p><p class="quiet">${t.missed(of.missed)}</p>`;
  if (of.state === "works")
    return html`<p>${icon("passed")} ${of.last_delivered_at === null ? t.untriedWhat : t.worksWhat}</p>`;
  return html`<p>${icon("failed")} <b>${t.failing} ${time(of.failing_since)}.</b></p>
    <p class="quiet">${of.waiting > 0 && t.waits(of.waiting)} ${t.disablesAt} ${time(disabledAt(of.failing_since ?? ""))}.</p>`;
}

function testCard(
  context: PageContext,
  { kind, state }: Attributes<"receiver">,
  of: Attributes<"delivery"> | undefined,
): Html {
  const label = html`${icon("again")} ${of ? t.testAgain : t.sendTest}`;
  return html`<section class="card grid close" aria-labelledby="test">
    <div class="line"><h2 id="test">${t.test}</h2>${of && html`<span class="quiet push">${shortTime(of.occurred_at, "clock")}</span>`}</div>
    ${testResult(of, kind)}
    ${state !== "disabled" && actionForm(context, `${pathOf(context)}/test`, label, { quiet: true })}
  </section>`;
}

function testResult(of: Attributes<"delivery"> | undefined, kind: Attributes<"receiver">["kind"]): Html {
  if (!of) return html`<p class="quiet">${t.untested}</p>`;
  if (of.ended_at === null) return html`<p role="status">${icon("running")} ${t.onItsWay}</p>`;
  const hasArrived = of.state === "delivered";
  const what = hasArrived ? t.testArrived : of.last_status === null ? t.testLost : t.testRefused;
  return html`<p role="status">${icon(hasArrived ? "passed" : "failed")} <b class=${hasArrived ? undefined : "bad"}>${answerIn(of.last_status, of.last_took_ms, kind)}</b></p>
    ${of.last_answer && html`<pre tabindex="0" role="group" aria-label=${t.firstLines}><code>${of.last_answer}</code></pre>`}
    <p class="quiet">${what}</p>`;
}

function secretCard(context: PageContext, of: Attributes<"receiver">): Html {
  const { secret_shown: shown, secret_at: since, schedule_id: declaredBy } = of;
  if (since === null) return null;
  return html`<section class="card grid close" aria-labelledby="secret">
    <h2 id="secret">${t.secret}</h2>
    <p>${shown !== null && html`<code>${shown}</code> `}<span class="quiet">${t.since} ${shortTime(since, "date")}</span></p>
    <p class="quiet">${declaredBy === null ? t.secretRenew : t.secretDeclared}</p>
    ${declaredBy === null && actionForm(context, `${pathOf(context)}/secret`, t.newSecret, { quiet: true })}
  </section>`;
}

/** Of one to which nothing arrived when it was disabled: since when, and the answer. */
async function whyDisabled({ api }: PageContext, { id, attributes }: Resource<"receiver">): Promise<Html> {
  if (attributes.failing_since === null) return null;
  const last = async (state: "missed" | "given_up", size: string) => {
    const query = { "filter[receiver_id]": id, "filter[state]": state, "page[size]": size };
    const { data } = await api.get<List<"delivery">>("/deliveries", query);
    return data.find(({ attributes: { attempts } }) => attempts > 0)?.attributes;
  };
  // Behind the one that was tried others wait: of a busy receiver it is not among the newest.
  const failed = (await last("missed", "100")) ?? (await last("given_up", "1"));
  return (
    failed &&
    html`${t.nothingSince} ${time(attributes.failing_since)}: ${answerText(failed.last_status, attributes.kind)}.`
  );
}

/** What happened while nothing was sent, and the way back. */
function switchedOff(context: PageContext, { name, disabled_at, missed }: Attributes<"receiver">, why: Html): Html {
  const options = [
    { value: "new", label: t.resumeNew, what: "" },
    { value: "missed", label: t.resumeMissed(missed), what: t.resumeOlder },
  ];
  return html`<section class="card grid" aria-labelledby="off">
    <h2 id="off">${t.switchOn}</h2>
    <div class="strip" role="note">
      ${icon("alert")}
      <p><b>${name}: ${t.disabled.toLowerCase()} ${time(disabled_at)}.</b> ${why} ${t.missed(missed)}</p>
    </div>
    ${
      mayWrite(context) &&
      html`<form class="grid" method="post" action=${context.href(`${pathOf(context)}/enabled`)}>
        ${hiddenFields(context)}
        <input type="hidden" name="enabled" value="true" />
        ${missed > 0 && radios({ name: "resume", label: t.resume, value: "new", options })}
        <p class="line"><button>${t.switchOnAndTest}</button></p>
      </form>`
    }
  </section>`;
}

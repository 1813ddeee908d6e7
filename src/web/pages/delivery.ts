import { STATUS_CODES } from "node:http";
import type { Attributes, One } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { FormRoute, PageContext, PageRoute, View } from "../page.ts";
import { deliveryState } from "../parts/delivery-state.ts";
import { actionForm, confirmForm } from "../parts/form.ts";
import { formRoute } from "../parts/form-route.ts";
import { icon } from "../parts/icon.ts";
import { answerText } from "../parts/receiver.ts";
import { settingsCrumbs } from "../parts/settings.ts";
import { table } from "../parts/table.ts";
import { address, milliseconds, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const PATH = "/deliveries/:delivery_id";
const t = texts.deliveries;

export const deliveryPage: PageRoute = { path: PATH, access: "account", read: view };

const pathOf = ({ params }: PageContext) => `/deliveries/${params.delivery_id}`;

export const deliveryForms: readonly FormRoute[] = [
  formRoute(`${PATH}/again`, view, async (context, fields) => {
    const repeatKey = fields.get("key") ?? undefined;
    await context.api.post(`${pathOf(context)}/attempts`, {}, { repeatKey });
    return { redirect: context.href(pathOf(context), { done: "sentAgain" }) };
  }),
  formRoute(`${PATH}/give-up`, view, async (context) => {
    await context.api.delete(`${pathOf(context)}/attempts`);
    return { redirect: context.href(pathOf(context), { done: "givenUp" }) };
  }),
];

type Delivery = Attributes<"delivery">;
type Request = NonNullable<Delivery["requests"]>[number];

async function view(context: PageContext): Promise<View> {
  const { api, href } = context;
  const { data } = await api.get<One<"delivery">>(pathOf(context));
  const receiver = data.relationships.receiver.links.related.split("/").at(-1) ?? "";
  const { data: to } = await api.get<One<"receiver">>(`/receivers/${receiver}`);
  const { attributes: of } = data;
  const { kind } = to.attributes;
  const content = html`<section class="card grid pair" aria-label=${t.title}>
    <div class="grid">
      <div class="grid close">
        <h2>${t.attempts}</h2>
        ${attempts(of, kind)}
        ${of.next_at !== null && of.type !== "test" && html`<p class="quiet">${t.pauses}</p>`}
      </div>
      <div class="grid close">
        <h2>${t.lastAnswer}</h2>
        ${of.last_answer ? pre(t.lastAnswer, of.last_answer) : html`<p>–</p>`}
        <p class="quiet">${kind === "mail" ? t.acceptedWhat : t.answerWhat}</p>
      </div>
    </div>
    <div class="grid">
      ${kind === "mail" ? mail(of, to.attributes.unsubscribed.length) : sent(of)}
    </div>
  </section>`;
  return {
    title: of.title,
    section: "receivers",
    crumbs: [
      ...(settingsCrumbs(context, "receivers").crumbs ?? []),
      { text: to.attributes.name, to: href("/deliveries", { receiver }) },
    ],
    about: html`<span class="quiet">${time(of.occurred_at)} ${of.site_url && address(of.site_url)} ${deliveryState(of.state)}</span>`,
    tools: tools(context, of, to.attributes.state !== "disabled"),
    content,
  };
}

function tools(context: PageContext, { state, attempts, ended_at }: Delivery, isEnabled: boolean): Html {
  const isOver = state === "delivered" || state === "given_up";
  // By a link, and not by itself: a page that is read again while somebody reads it loses the place (WCAG 2.2.1).
  const lookAgain =
    attempts === 0 &&
    ended_at === null &&
    html`<a class="button" href=${context.href(pathOf(context))}>${t.lookAgain}</a>`;
  return html`${lookAgain} ${isEnabled && (attempts > 0 || ended_at !== null) && actionForm(context, `${pathOf(context)}/again`, html`${icon("again")} ${t.again}`)}
    ${!isOver && confirmForm(context, `${pathOf(context)}/give-up`, { summary: t.giveUp, what: t.giveUpWhat, sure: t.giveUpSure })}`;
}

function attempts({ requests = [], next_at: next }: Delivery, kind: Attributes<"receiver">["kind"]): Html {
  if (requests.length === 0) return html`<p>${t.noAttempts} ${next && html`${texts.receivers.next} ${time(next)}`}</p>`;
  const { columns: c } = t;
  return html`${table<Request>({
    caption: t.attemptsCaption,
    hideCaption: true,
    rows: requests,
    columns: [
      { title: c.time, header: true, cell: ({ began_at }) => time(began_at) },
      {
        title: c.answer,
        cell: ({ status, answer }) =>
          html`${icon(isSuccess(status) ? "passed" : "failed")} ${answerText(status, kind)}${kind !== "mail" && ` ${STATUS_CODES[status ?? 0] ?? ""}`}${status === null && html` <span class="small quiet">${answer}</span>`}`,
      },
      { title: c.took, numeric: true, cell: ({ took_ms }) => milliseconds(took_ms) },
    ],
  })}
  ${next && html`<p>${icon("running")} ${t.nextAttempt}: ${time(next)}</p>`}`;
}

const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

function sent({ sent }: Delivery): Html {
  if (!sent) return null;
  const headers = Object.entries(sent.headers).map(([name, value]) => `${name}: ${value}`);
  return html`<div class="grid close">
      <h2>${t.headers}</h2>
      ${pre(t.headers, headers.join("\n"))}
      <p class="quiet">${t.headersWhat}</p>
    </div>
    <div class="grid close">
      <h2>${t.sent}</h2>
      ${pre(t.sent, indented(sent.body))}
      <p class="quiet">${t.sentWhat}</p>
    </div>`;
}

/** A mail has people as receivers, and its headers are no request's. */
function mail({ sent, requests = [] }: Delivery, unsubscribed: number): Html {
  if (!sent) return null;
  const facts: [string, Html][] = [
    [t.mailTo, sent.headers.to],
    [t.mailSubject, sent.headers.subject],
    [t.mailSent, time(requests.at(-1)?.began_at ?? null)],
    ...(unsubscribed > 0 ? [[t.mailNotTo, t.mailUnsubscribed(unsubscribed)] as [string, Html]] : []),
  ];
  return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    <div class="grid close">
      <h2>${t.sent}</h2>
      ${pre(t.sent, sent.body)}
      <p class="quiet">${t.mailWhat} ${t.sentWhat}</p>
    </div>`;
}

/** JSON as people read it; another text as it is. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function pre(label: string, text: string): Html {
  return html`<pre tabindex="0" role="group" aria-label=${label}><code>${text}</code></pre>`;
}

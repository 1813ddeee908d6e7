import type { Attributes, List, Resource } from "../../api/documents.ts";
import { monthAt } from "../../domain/months/calendar.ts";
import { digests } from "../../domain/notifications/receivers.ts";
import { readAll } from "../api.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { forWriters, mayWrite, requireHost } from "../parts/access.ts";
import { actionForm } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { addressed, answerIn, messageTitle } from "../parts/receiver.ts";
import { settingsView } from "../parts/settings.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { shortTime, time } from "../parts/text.ts";
import { formatNumber, texts } from "../texts/en.ts";

const PATH = "/receivers";
const t = texts.receivers;
const states = ["works", "failing", "disabled"] as const;

export const receiversPage: PageRoute = { path: PATH, access: "account", read };

type Receiver = Resource<"receiver">;

async function read(context: PageContext): Promise<View> {
  requireHost(context);
  const listed = await context.api.get<List<"receiver">>(PATH, pageQuery(context.query));
  if (listed.meta.total === 0) return settingsView(context, "receivers", html`${none(context)} ${heardToo(context)}`);
  const all = listed.meta.total === listed.data.length ? listed.data : await readAll<"receiver">(context.api, PATH);
  const failing = all.filter(({ attributes }) => attributes.state === "failing");
  const failed = new Map(
    await Promise.all(failing.map(async ({ id }) => [id, await failingDelivery(context, id)] as const)),
  );
  const content = html`${failing.map((receiver) => strip(context, receiver, failed.get(receiver.id)))}
    <section class="card flush" aria-labelledby="receivers">
      <div class="tools line">
        <h2 id="receivers">${t.title}</h2>
        <p class="quiet">${formatNumber(all.length)}: ${counts(all)}</p>
        ${mayWrite(context) && html`<a class="button push" href=${context.href(`${PATH}/new`)}>${t.add}</a>`}
      </div>
      ${receiverTable(context, listed.data, failed)}
      <div class="tools">${pagination(context, t.title, listed.meta)}</div>
    </section>
    ${heardToo(context)}`;
  return settingsView(context, "receivers", content);
}

/** What a receiver fails at: later messages wait for it. */
async function failingDelivery({ api }: PageContext, id: string): Promise<Attributes<"delivery"> | undefined> {
  const query = { "filter[receiver_id]": id, "filter[state]": "failing", "page[size]": "1" };
  return (await api.get<List<"delivery">>("/deliveries", query)).data[0]?.attributes;
}

function counts(all: readonly Receiver[]): Html {
  return states
    .map((state) => ({ state, count: all.filter(({ attributes }) => attributes.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(
      ({ state, count }, index) =>
        html`${index > 0 && ", "}${stateIcon(state)} ${formatNumber(count)} ${t.counts[state]}`,
    );
}

function stateIcon(state: Attributes<"receiver">["state"]): Html {
  return icon(({ works: "passed", failing: "failed", disabled: "paused" } as const)[state]);
}

function strip({ href }: PageContext, { id, attributes }: Receiver, failed: Attributes<"delivery"> | undefined): Html {
  const { name, failing_since: since, waiting } = attributes;
  return html`<div class="strip" role="note">
    ${icon("alert")}
    <p><b>${t.failsSince(name)} ${time(since)}.</b> ${waiting > 0 && t.waits(waiting)} ${failed?.next_at && html`${t.nextAttempt} ${time(failed.next_at)}.`}</p>
    <p><a href=${href("/deliveries", { receiver: id })}>${t.lookAtIt}</a></p>
  </div>`;
}

function receiverTable(
  context: PageContext,
  receivers: readonly Receiver[],
  failed: ReadonlyMap<string, Attributes<"delivery"> | undefined>,
): Html {
  const { columns: c } = t;
  const { href } = context;
  return table<Receiver>({
    caption: t.caption,
    hideCaption: true,
    rows: receivers,
    columns: [
      {
        title: c.receiver,
        header: true,
        cell: ({ id, attributes }) =>
          html`<a href=${href(`${PATH}/${id}`)}><b>${attributes.name}</b></a> <span class="small quiet block">${addressed(attributes)}</span>`,
      },
      { title: c.hears, cell: ({ attributes }) => hears(attributes) },
      { title: c.state, cell: ({ id, attributes }) => stateOf(attributes, failed.get(id)) },
      {
        title: c.delivered,
        cell: ({ id, attributes: of }) =>
          of.last_delivered_at === null
            ? t.never
            : html`<a href=${href("/deliveries", { receiver: id })}>${time(of.last_delivered_at)}</a> <span class="small quiet block">${of.last_delivered_status !== null && answerIn(of.last_delivered_status, of.last_delivered_took_ms, of.kind)}</span>`,
      },
      { title: c.actions, hideTitle: true, cell: (receiver) => action(context, receiver) },
    ],
  });
}

/** Of what, of which sites, and when. */
function hears({ events, site_urls, tags, digest, schedule_id: declaredBy }: Attributes<"receiver">): Html {
  const sites = [
    ...(site_urls.length > 0 ? [t.sites(site_urls.length)] : []),
    ...(tags.length > 0 ? [t.tagged(tags.join(", "))] : []),
  ];
  return html`${events.map((event) => messageTitle(event).toLowerCase()).join(", ")}
    <span class="small quiet block">${declaredBy !== null ? t.ofOneSchedule : sites.length === 0 ? t.allSites : sites.join(", ")}, ${digests[digest]}</span>`;
}

function stateOf(of: Attributes<"receiver">, failed: Attributes<"delivery"> | undefined): Html {
  const state = html`${stateIcon(of.state)} ${t.states[of.state]}`;
  if (of.state === "disabled")
    return html`${state} ${of.disabled_at && html`${t.on} ${shortTime(of.disabled_at, "date")}`}`;
  if (of.state === "works") return state;
  return html`${state} ${t.since} ${time(of.failing_since)}
    ${failed && html`<span class="small bad block">${t.attempts(failed.attempts)}, ${t.next} ${time(failed.next_at)}</span>`}`;
}

/** What is asked for most: a test, or to be switched on again. */
function action(context: PageContext, { id, attributes: { name, state } }: Receiver): Html {
  const named = (text: string) => html`<span class="hidden">${text}</span>`;
  if (state !== "disabled")
    return actionForm(
      context,
      `${PATH}/${id}/test`,
      html`<span aria-hidden="true">${t.sendTest}</span>${named(t.sendTestTo(name))}`,
      { quiet: true },
    );
  if (!mayWrite(context)) return null;
  return html`<a class="button quiet" href=${`${context.href(`${PATH}/${id}`)}#off`}>${t.switchOn}${named(`: ${name}`)}</a>`;
}

function none(context: PageContext): Html {
  const { href } = context;
  return html`<section class="card grid narrow" aria-labelledby="none">
    <h2 id="none">${t.none}</h2>
    <p>${t.noneWhat}</p>
    ${forWriters(
      context,
      () => html`<p class="line">
        <a class="button" href=${href(`${PATH}/new`, { kind: "mail", digest: "daily" })}>${t.daily}</a>
        <a href=${href(`${PATH}/new`)}>${t.other}</a>
      </p>`,
    )}
  </section>`;
}

function heardToo({ href, now }: PageContext): Html {
  return html`<section class="card grid close" aria-labelledby="too">
    <h2 id="too">${t.heardToo}</h2>
    <dl class="facts">
      <div><dt>${t.command}</dt><dd>${t.commandWhat} <code>check --announce github</code></dd></div>
      <div><dt>${t.badge}</dt><dd>${t.badgeWhat} <a href=${href("/share-links")}>${t.links}</a></dd></div>
      <div><dt>${t.month}</dt><dd>${t.monthWhat} <a href=${href(`/months/${monthAt(now)}`)}>${texts.month.link}</a></dd></div>
    </dl>
  </section>`;
}

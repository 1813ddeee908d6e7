import type { Attributes, List, One, Resource } from "../../api/documents.ts";
import { messageNames } from "../../domain/notifications/events.ts";
import { type DeliveryPeriod, deliveryPeriods, deliveryStates } from "../../domain/notifications/receivers.ts";
import { readAll } from "../api.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute, View } from "../page.ts";
import { mayWrite, requireHost } from "../parts/access.ts";
import { chips } from "../parts/chips.ts";
import { deliveryState } from "../parts/delivery-state.ts";
import { actionForm, input, select } from "../parts/form.ts";
import { icon } from "../parts/icon.ts";
import { addressed, answerText, disabledAt, messageTitle } from "../parts/receiver.ts";
import { settingsCrumbs } from "../parts/settings.ts";
import { pageQuery, pagination, table } from "../parts/table.ts";
import { address, empty, milliseconds, time } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const PATH = "/deliveries";
const t = texts.deliveries;
const periods = (Object.keys(deliveryPeriods) as DeliveryPeriod[]).reverse();

export const deliveriesPage: PageRoute = { path: PATH, access: "account", read };

type Counts = { state: Record<string, number>; type: Record<string, number> };
type Receivers = ReadonlyMap<string, Attributes<"receiver">>;

async function read(context: PageContext): Promise<View> {
  requireHost(context);
  const { api, query, href } = context;
  const id = query.get("receiver") || undefined;
  const receiver =
    id === undefined ? undefined : (await api.get<One<"receiver">>(`/receivers/${encodeURIComponent(id)}`)).data;
  const receivers: Receivers = new Map(
    (receiver ? [receiver] : await readAll<"receiver">(api, "/receivers")).map((one) => [one.id, one.attributes]),
  );
  const listed = await api.get<List<"delivery">>(PATH, {
    "filter[receiver_id]": receiver?.id,
    "filter[state]": deliveryStates.find((known) => known === query.get("state")),
    "filter[type]": messageNames.find((known) => known === query.get("event")),
    "filter[site]": query.get("q") || undefined,
    "filter[period]": periods.find((known) => known === query.get("from")),
    ...pageQuery(query),
  });
  const counts = (listed.meta as { counts?: Counts }).counts ?? { state: {}, type: {} };
  const isFiltered = ["state", "event", "q", "from"].some((name) => query.get(name));
  const content =
    listed.meta.total === 0 && !isFiltered
      ? empty(t.none, t.noneWhat)
      : html`<section class="card flush" aria-label=${t.title}>
          ${filters(context, counts)}
          ${
            listed.meta.total === 0
              ? html`<p class="tools">${t.noMatch} <a href=${href(PATH, { receiver: id })}>${t.showAll}</a></p>`
              : deliveryTable(context, listed.data, receivers, receiver === undefined)
          }
          <div class="tools">${pagination(context, t.title, listed.meta)}</div>
        </section>`;
  const strip = receiver?.attributes.state === "failing" ? await failing(context, receiver) : null;
  return { ...headOf(context, receiver), content: html`${strip}${content}` };
}

/** Since when a receiver fails, what waits for that, and which delivery it is. */
async function failing({ api, href }: PageContext, { id, attributes }: Resource<"receiver">): Promise<Html> {
  const query = { "filter[receiver_id]": id, "filter[state]": "failing", "page[size]": "1" };
  const [failed] = (await api.get<List<"delivery">>(PATH, query)).data;
  return html`<div class="strip" role="note">
    ${icon("alert")}
    <p><b>${texts.receivers.failing} ${time(attributes.failing_since)}${failed && html`: ${answerText(failed.attributes.last_status, attributes.kind)}`}.</b> ${attributes.waiting > 0 && t.order} ${texts.receivers.disablesAt} ${time(disabledAt(attributes.failing_since ?? ""))}.</p>
    ${failed && html`<p><a href=${href(`${PATH}/${failed.id}`)}>${t.failing}</a></p>`}
  </div>`;
}

/** Whose deliveries these are, and what can be done with that receiver. */
function headOf(context: PageContext, receiver: Resource<"receiver"> | undefined): Omit<View, "content"> {
  const crumbs = settingsCrumbs(context, "receivers");
  if (!receiver) return { title: t.title, ...crumbs };
  const { id, attributes } = receiver;
  const path = `/receivers/${id}`;
  return {
    ...crumbs,
    title: `${t.title}: ${attributes.name}`,
    about: html`<span class="quiet">${addressed(attributes)}</span>`,
    tools:
      mayWrite(context) &&
      html`<a class="button quiet" href=${context.href(path)}>${t.change}</a>
        ${attributes.state !== "disabled" && actionForm(context, `${path}/test`, texts.receivers.sendTest, { quiet: true })}`,
  };
}

function filters(context: PageContext, counts: Counts): Html {
  const { query, href } = context;
  const hidden = ["receiver", "state", "event"].map((name) => {
    const value = query.get(name);
    return value && html`<input type="hidden" name=${name} value=${value} />`;
  });
  const filter = <Value extends string>(
    { name, label }: { name: string; label: string },
    { known, of, textOf }: { known: readonly Value[]; of: Record<string, number>; textOf: (value: Value) => Html },
  ) => {
    const all = Object.values(of).reduce((total, one) => total + one, 0);
    const found = known.filter((value) => of[value] !== undefined);
    const values = found.map((value) => ({ value, text: textOf(value), count: of[value] }));
    return chips(context, { name, label, values: [{ value: "", text: texts.all, count: all }, ...values] });
  };
  return html`<div class="grid tools close">
    <form class="filters" method="get" action=${href(PATH)} aria-label=${texts.issues.filters}>
      ${hidden} ${input({ name: "q", label: t.find, value: query.get("q") ?? "", bare: true })}
      ${select({ name: "from", label: t.from, value: query.get("from") ?? "30d", options: periods.map((value) => ({ value, label: t.periods[value] })) })}
      <button class="quiet">${texts.issues.apply}</button>
    </form>
    ${filter({ name: "state", label: t.state }, { known: deliveryStates, of: counts.state, textOf: deliveryState })}
    ${filter({ name: "event", label: t.event }, { known: messageNames, of: counts.type, textOf: messageTitle })}
  </div>`;
}

function deliveryTable(
  { href }: PageContext,
  deliveries: readonly Resource<"delivery">[],
  receivers: Receivers,
  ofAll: boolean,
): Html {
  const { columns: c } = t;
  const receiverOf = ({ relationships }: Resource<"delivery">) => {
    const id = relationships.receiver.links.related.split("/").at(-1) ?? "";
    return { id, attributes: receivers.get(id) };
  };
  return table<Resource<"delivery">>({
    caption: t.caption,
    hideCaption: true,
    rows: deliveries,
    columns: [
      {
        title: c.time,
        header: true,
        cell: ({ id, attributes }) => html`<a href=${href(`${PATH}/${id}`)}>${time(attributes.occurred_at)}</a>`,
      },
      { title: c.event, cell: ({ attributes }) => messageTitle(attributes.type) },
      {
        title: c.site,
        cell: ({ attributes: { site_url } }) => (site_url === null ? "–" : address(site_url)),
      },
      ...(ofAll
        ? [
            {
              title: c.receiver,
              cell: (one: Resource<"delivery">) => {
                const { id, attributes } = receiverOf(one);
                return html`<a href=${href(`/receivers/${id}`)}>${attributes?.name ?? "–"}</a>`;
              },
            },
          ]
        : []),
      { title: c.state, cell: ({ attributes }) => deliveryState(attributes.state) },
      {
        title: c.answer,
        cell: (one) =>
          one.attributes.attempts === 0
            ? one.attributes.state === "waiting" && t.waitsFor
            : answerText(one.attributes.last_status, receiverOf(one).attributes?.kind),
      },
      {
        title: c.took,
        numeric: true,
        cell: ({ attributes: { last_took_ms: ms } }) => (ms === null ? "–" : milliseconds(ms)),
      },
      { title: c.attempts, numeric: true, cell: ({ attributes: { attempts } }) => String(attempts) },
      {
        title: c.next,
        cell: ({ attributes: { state, next_at } }) => (state === "waiting" ? t.afterIt : time(next_at)),
      },
    ],
  });
}

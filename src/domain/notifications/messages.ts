import { monthHeadline, monthSubject, monthSummary } from "../months/sentences.ts";
import type { MonthTold } from "../months/told.ts";
import { number, plural } from "../plural.ts";
import type { Event, EventData, LowCredits, MessageType, MissedRun, NamedSite, NewErrors, RunEnd } from "./events.ts";

/** A message before it has the form of its receiver: what a delivery stores. */
export type Message = {
  type: MessageType;
  occurredAt: Date;
  /** One for an event, none for a test. */
  events: readonly Event[];
};

/** Where the service is found, without a slash at the end; undefined when nobody has said so. */
export type Links = { baseUrl: string | undefined };

/** The body of a webhook as Standard Webhooks has it. */
export function webhookBody({ type, occurredAt, events }: Message, links: Links): Record<string, unknown> {
  const timestamp = occurredAt.toISOString();
  if (type === "test") return { type, timestamp, data: { text: TEST_TEXT } };
  if (type === "digest") return { type, timestamp, data: { events: events.map((event) => told(event, links)) } };
  return { type, timestamp, data: events[0] ? told(events[0], links).data : {} };
}

const TEST_TEXT = "This is a test. Nothing has happened.";

function told({ type, data }: Event, links: Links) {
  const url = linkOf(data, links);
  const page = { ...("report_id" in data && { report: url ?? null }), ...("turns" in data && { page: url ?? null }) };
  return { type, data: { ...data, ...page } };
}

/** The page about an event; undefined without an address of the service. */
export function linkOf(data: EventData, { baseUrl }: Links): string | undefined {
  if (baseUrl === undefined) return undefined;
  if ("report_id" in data) return `${baseUrl}/reports/${data.report_id}`;
  if ("turns" in data) return `${baseUrl}/months/${data.month}`;
  return "schedule_id" in data ? `${baseUrl}/schedules/${data.schedule_id}` : `${baseUrl}/usage`;
}

export const nameOf = ({ name, url }: NamedSite): string => name ?? url.replace(/^https?:\/\//, "").replace(/\/$/, "");

/** An event in a line for people: what happened, for which site, how much. */
export function headline({ type, data }: Event): string {
  switch (type) {
    case "credits.low": {
      const { used, limit } = data as LowCredits;
      return `Pages run out: ${number(used)} of ${number(limit)} are used this month`;
    }
    case "month.ended":
      return monthSubject(data as MonthTold);
    case "schedule.missed":
      return `${nameOf((data as MissedRun).site)} was not checked: a run was missed`;
    default:
      return ofRun(type, data as RunEnd);
  }
}

function ofRun(type: Event["type"], { site, errors, new: added, first_failed_limit: limit, failure }: RunEnd): string {
  const name = nameOf(site);
  if (type === "issues.new") return `${name} got worse: ${plural(added ?? 0, "new error")}`;
  if (type === "report.gate_failed" && limit) return `${name} exceeds a limit: ${limitText(limit)}`;
  if (type === "report.failed" || errors === null)
    return `${name} could not be checked`.concat(failure ? `: ${failure.code}` : "");
  return `${name} was checked: ${plural(errors, "error")}`;
}

function limitText({ name, limit, value }: NonNullable<RunEnd["first_failed_limit"]>): string {
  return `${name} is ${limit}${value === null ? "" : `, counted ${number(value)}`}`;
}

/** What is said below the headline, a line each. */
export function details({ type, data }: Event): string[] {
  if (type === "credits.low") return ["Pages are not checked any more when none are left."];
  if (type === "month.ended") return [monthHeadline(data as MonthTold), monthSummary(data as MonthTold)];
  const { site } = data as RunEnd | MissedRun;
  const whose = site.owner === null ? [] : [`${site.owner} has the site.`];
  if (type === "schedule.missed") return [`It was due at ${utcTime(new Date((data as MissedRun).due_at))}.`, ...whose];
  const {
    errors,
    errors_before: before,
    new: added,
    fixed,
    pages,
    first_failed_limit: limit,
    failure,
  } = data as RunEnd;
  return [
    ...(failure ? [`${failure.code}: ${failure.detail}`] : []),
    ...(errors === null
      ? []
      : [
          `${plural(errors, "error")} on ${plural(pages.checked, "page")}${
            before === null
              ? ""
              : `, after ${number(before)} in the run before: ${number(added ?? 0)} new, ${number(fixed ?? 0)} fixed`
          }.`,
        ]),
    ...(limit && type !== "report.gate_failed" ? [`The limit ${limitText(limit)}.`] : []),
    ...(pages.not_checked > 0 ? [`${plural(pages.not_checked, "page")} could not be checked.`] : []),
    ...whose,
  ];
}

/** What is said of new errors with one cause, where it got worse: what, how many, and who has it. */
export function newErrors({ type, data }: Event): { value: string; name: string; below: string; causeId: string }[] {
  if (type !== "issues.new") return [];
  return (data as RunEnd).causes.map(({ cause_id, title, new: added, pages, impact, ...held }) => ({
    ...{ value: `+${number(added)}`, name: title, causeId: cause_id },
    below: `${impact === null ? "" : `${impact}, `}on ${plural(pages, "page")}; ${whoHas(held)}`,
  }));
}

function whoHas({ assignee, of, path, due_on }: Pick<NewErrors, "assignee" | "of" | "path" | "due_on">): string {
  if (assignee === null) return "nobody has it";
  const what = of === "site" ? "the site" : of === "section" ? `all of ${path}` : "it";
  return `${assignee} has ${what}${due_on === null ? "" : `, until ${due_on}`}`;
}

/** All that is said below the headline in a chat, a line each. */
function chatLines(event: Event): string[] {
  return [...details(event), ...newErrors(event).map(({ value, name, below }) => `${value} ${name}: ${below}`)];
}

function utcTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** The subject of a message. */
export function subjectOf({ type, events }: Message): string {
  const [first] = events;
  if (type === "test" || !first) return TEST_TEXT;
  if (type !== "digest" || events.length === 1) return headline(first);
  const worse = events.filter((event) => event.type === "issues.new").length;
  return `${plural(events.length, "message")} about your sites${worse > 0 ? `, ${worse} got worse` : ""}`;
}

/** As Slack's incoming webhooks read it. Text of a site is no markup. */
export function slackBody(message: Message, links: Links): Record<string, unknown> {
  const lines = message.events.flatMap((event) => {
    const url = linkOf(event.data, links);
    const title = slackText(headline(event));
    return [`*${url === undefined ? title : `<${url}|${title}>`}*`, ...chatLines(event).map(slackText)];
  });
  const text = slackText(subjectOf(message));
  return {
    text,
    blocks: [{ type: "section", text: { type: "mrkdwn", text: (lines.join("\n") || text).slice(0, 3_000) } }],
  };
}

/** https://docs.slack.dev/messaging/formatting-message-text: three characters are escaped; others would be markup. */
function slackText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/([*_~`|])/g, "\u200B$1");
}

/** As a workflow of Teams reads it: an Adaptive Card. */
export function teamsBody(message: Message, links: Links): Record<string, unknown> {
  const block = (text: string, more: Record<string, unknown> = {}) => ({
    type: "TextBlock",
    text: plainText(text),
    wrap: true,
    ...more,
  });
  const body =
    message.events.length === 0
      ? [block(subjectOf(message))]
      : message.events.flatMap((event) => [
          block(headline(event), { weight: "Bolder" }),
          ...chatLines(event).map((line) => block(line)),
        ]);
  const actions = message.events.flatMap((event) => {
    const url = linkOf(event.data, links);
    return url === undefined ? [] : [{ type: "Action.OpenUrl", title: headline(event).slice(0, 80), url }];
  });
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body,
    actions: actions.slice(0, 6),
  };
  return { type: "message", attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content }] };
}

/** Cards read Markdown. */
function plainText(text: string): string {
  return text.replace(/([\\*_[\]()#`~>|])/g, "\\$1");
}

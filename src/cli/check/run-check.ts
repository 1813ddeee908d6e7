import { visible } from "html-conformance/log-text";
import type { Attributes, CursorList, List, One } from "../../api/documents.ts";
import { FIX_FIRST } from "../../domain/causes/causes.ts";
import type { NoticeGroup } from "../../domain/coverage/notices.ts";
import { exitCodes } from "../../domain/errors.ts";
import type { ExportedFinding } from "../../domain/export/exported.ts";
import type { ExportFormatName } from "../../domain/export/formats.ts";
import { type Baseline, formatBaseline } from "../../domain/findings/baseline.ts";
import type { StateTotals } from "../../domain/findings/finding-state.ts";
import type { SiteHeader } from "../../domain/headers/site-headers.ts";
import { plural } from "../../domain/plural.ts";
import type { Client } from "../client.ts";
import { type Progress, progressLine } from "../progress.ts";
import type { Terminal } from "../terminal.ts";
import type { Announce } from "./announce/announce.ts";
import { announcementOf } from "./announce/announcement.ts";
import { type FailedPage, failedPages } from "./failed-pages.ts";
import { findDevices } from "./find-devices.ts";
import { notJudged } from "./gate.ts";
import { countIgnored, createMutings, type IgnoredBy, unusedNote } from "./ignored.ts";
import type { CheckOptions } from "./options/options.ts";
import { type BaselineResult, MAX_FIXED_SHOWN } from "./output/baseline-text.ts";
import { groupFindings } from "./output/group-findings.ts";
import { jsonDocument } from "./output/json-document.ts";
import { resultMarkdown } from "./output/markdown.ts";
import { type Result, resultText } from "./output/result-text.ts";
import { reportAttributes } from "./request.ts";
import { readLines } from "./targets/read-lines.ts";
import {
  leftOutText,
  pathsIn,
  placeIn,
  type ServedPages,
  sarifOfFiles,
  withoutOrigin,
} from "./targets/served-pages.ts";
import type { Listed } from "./targets/targets.ts";
import { newFailures, type Verdict, verdict } from "./verdict.ts";

/** The pause before reconnecting to an event stream that ended. */
const RECONNECT_DELAY_MS = 200;
/** How often a report is asked what there is to say of it while it runs. */
const NOTICES_INTERVAL_MS = 1_000;

export type CheckDeps = {
  client: Client;
  progress: Progress;
  /** Told of the number of pages that are found. */
  found?: (pages: number) => void;
  now: () => number;
  sleep: (ms: number) => Promise<void>;
  /** Writes to stdout. */
  write: (text: string) => Promise<void>;
  /** Writes to stderr: why nothing could be checked, or which limits could not be judged. */
  say: (text: string) => void;
  /** Writes a file completely, or leaves it unchanged. */
  save: (file: string, text: AsyncIterable<string> | Iterable<string | Uint8Array>) => Promise<void>;
  terminal: Terminal;
  /** The baseline that the report is compared with, and the id of the report that represents it. */
  baseline?: { id: string; known: Baseline } | undefined;
  /** The report as one HTML file, piece by piece. */
  htmlReport: (
    source: Pick<Client, "get" | "base64">,
    reportId: string,
    options: { linksToPages: boolean },
  ) => AsyncIterable<string>;
  /** Sent to the site's host, and to no other. */
  secrets: SiteSecrets;
  /** Adds a note to what an ended report covers. */
  addNote: (reportId: string, note: NoticeGroup) => Promise<void>;
  /** Shows the result beside the commit. */
  announce?: Announce | undefined;
  /** Reads the findings of an ended report, as a baseline. */
  readBaseline: (reportId: string) => Promise<Baseline>;
};

/** The password of `basicAuth`'s user, and the headers of every request. */
export type SiteSecrets = {
  password: string | undefined;
  headers: readonly SiteHeader[];
  /** Steps to sign in, as they are given, with their values. */
  signIn?: object | undefined;
};

/** Where the crawl begins, what files list besides, and the folder that is checked, if it is one. */
export type Start = { urls: readonly string[]; listed?: Listed; served?: ServedPages };

/**
 * Creates a report, waits for its end and writes its result.
 *
 * @returns the exit code
 * @throws UsageError when the service rejects the options
 */
export async function runCheck(options: CheckOptions, { urls, served }: Start, deps: CheckDeps): Promise<number> {
  const { client } = deps;
  const [deviceId = "", ...devices] = await findDevices(client, options.devices);
  const basicAuthId = await storeCredentials(client, options, urls[0] ?? "", deps.secrets);
  const entries = await createMutings(client, options.ignore, deps.now());
  const { data } = await client.post<"report">(
    "/reports",
    reportAttributes(options, urls, { deviceId, devices, basicAuthId, baseId: deps.baseline?.id ?? "" }),
  );
  const ended = await follow(data.id, deps);
  const report = ended.data.attributes;
  const failed = await failedPages(client, data.id, report);
  const outcome = verdict(report, options.failOn, failed, deps.baseline?.known);
  const ignored = await countIgnored(client, data.id, entries, outcome.stopped === undefined);
  const note = unusedNote(ignored);
  if (note) await deps.addNote(data.id, note);
  // All outputs have the note like any other.
  const document = note ? await client.get<One<"report">>(`/reports/${data.id}`) : ended;
  for (const [format, file] of Object.entries(options.files) as [ExportFormatName, string][])
    await deps.save(file, exported(client.text(exportOf(data.id, format)), format, served));
  if (options.report !== undefined) {
    const html = deps.htmlReport(client, data.id, { linksToPages: !served });
    await deps.save(options.report, served ? withoutOrigin(html, served) : html);
  }
  await saveSignInPicture(options, document, deps);
  const markdown = await writeResult({ document, failed, outcome, ignored }, { options, served }, deps);
  const leftOut = leftOutText(served?.leftOut() ?? []);
  if (leftOut !== "") deps.say(leftOut);
  const message = messageOf(outcome, options, report.gate_results ?? []);
  if (message) deps.say(served ? pathsIn(served)(message) : message);
  const isKnown = options.updateBaseline && !outcome.stopped && (await updateBaseline(data.id, options, deps));
  const exitCode = isKnown ? exitCodes.ok : outcome.exitCode;
  const summary = { targets: options.targets, markdown, reason: served ? pathsIn(served) : same };
  // What the forge refuses changes no result: the token of a stranger's pull request may only read.
  const fault = await deps.announce?.(announcementOf(document.data.attributes, { ...outcome, exitCode }, summary));
  if (fault) deps.say(fault);
  return exitCode;
}

/** Writes what was found to the baseline. @returns whether there is one */
async function updateBaseline(
  id: string,
  { baseline: file }: CheckOptions,
  { readBaseline, save, say }: CheckDeps,
): Promise<boolean> {
  if (file === undefined) return false;
  const updated = await readBaseline(id);
  await save(file, [formatBaseline(updated)]);
  say(`Wrote ${file}: ${plural(updated.findings.length, "finding")}.`);
  return true;
}

/** Writes the page on which nobody could sign in, or says how to get it. */
async function saveSignInPicture(
  { signInPicture: file }: CheckOptions,
  { data: { id, attributes } }: One<"report">,
  { client, save, say }: CheckDeps,
): Promise<void> {
  const picture = attributes.sign_in_pictures?.find(({ failed }) => failed);
  if (!picture) return;
  if (file === undefined) return say("See the page on which nobody could sign in: add --sign-in-picture <file>.");
  await save(file, [Buffer.from(await client.base64(`/reports/${id}/sign_in_pictures/${picture.step}`), "base64")]);
  say(`Wrote ${file}: the page on which nobody could sign in.`);
}

/** Stores the credentials for the site's host. @returns their id; "" for none */
async function storeCredentials(
  client: Client,
  { basicAuth: username }: CheckOptions,
  url: string,
  { password, headers, signIn }: SiteSecrets,
): Promise<string> {
  const user = username !== undefined && password !== undefined ? { username, password } : undefined;
  if (!user && headers.length === 0 && !signIn) return "";
  const { host } = new URL(url);
  const attributes = { host, ...user, ...(headers.length > 0 && { headers }), ...(signIn && { sign_in: signIn }) };
  return (await client.post<"basic_auth">("/basic_auths", attributes)).data.id;
}

type Ended = {
  document: One<"report">;
  failed: readonly FailedPage[];
  outcome: Verdict;
  ignored: readonly IgnoredBy[];
};

/** Writes what was found to stdout, and its summary. @returns the summary as Markdown; "" where nobody asks for it */
async function writeResult(
  ended: Ended,
  { options, served }: { options: CheckOptions; served: ServedPages | undefined },
  deps: CheckDeps,
): Promise<string> {
  const { id } = ended.document.data;
  const { client, terminal, write, save } = deps;
  const findings = () => readLines<ExportedFinding>(client.text(exportOf(id, "ndjson")));
  if (options.json) {
    const pages = await client.all<"web_page">(`/reports/${id}/web_pages`);
    const excluded = await client.all<"excluded_url">(`/reports/${id}/excluded_urls`);
    const leftOut = served?.leftOut();
    const { document, ignored } = ended;
    const json = jsonDocument({ report: document.data, pages, excluded, findings: findings(), leftOut, ignored });
    for await (const piece of served ? withoutOrigin(json, served) : json) await write(piece);
    if (options.markdown === undefined && !deps.announce) return "";
  }
  const [place, reason] = served ? [placeIn(served), pathsIn(served)] : [same, same];
  const isWhole = options.detail === "all" && !options.json;
  const addresses = isWhole ? await client.all<"excluded_url">(`/reports/${id}/excluded_urls`) : [];
  const result = {
    ...(await resultOf(ended, findings(), options, deps)),
    leftOut: served?.leftOut(),
    addresses: addresses.map(({ attributes }) => attributes),
  };
  if (!options.json) await write(resultText(result, { detail: options.detail, terminal, place, reason }));
  if (options.markdown === undefined && !deps.announce) return "";
  const markdown = reason(resultMarkdown(result, place));
  if (options.markdown !== undefined) await save(options.markdown, [markdown]);
  return markdown;
}

/** The findings; with a baseline, the new ones. */
async function resultOf(
  { document, failed, outcome, ignored }: Ended,
  findings: AsyncIterable<ExportedFinding>,
  options: CheckOptions,
  { client, baseline }: CheckDeps,
): Promise<Result> {
  const { id, attributes: report } = document.data;
  const known = baseline && report.comparison ? await comparedWith(client, id, options, report.comparison) : undefined;
  return {
    report,
    rules: await groupFindings(known ? onlyNew(findings) : findings),
    failed: baseline ? newFailures(failed, baseline.known, report) : failed,
    verdict: outcome,
    baseline: known,
    fixFirst: known ? undefined : await client.get<List<"cause">>(`/reports/${id}/causes?page[size]=${FIX_FIRST}`),
    ignored,
  };
}

async function* onlyNew(findings: AsyncIterable<ExportedFinding>): AsyncGenerator<ExportedFinding> {
  for await (const finding of findings) if (finding.state === "new") yield finding;
}

async function comparedWith(
  client: Client,
  id: string,
  { baseline: file = "" }: CheckOptions,
  { states }: { states: StateTotals },
): Promise<BaselineResult> {
  const query = new URLSearchParams({ "filter[state]": "fixed", "page[size]": String(MAX_FIXED_SHOWN) });
  const { data } = await client.get<CursorList<"finding">>(`/reports/${id}/findings?${query}`);
  return { file, states, fixed: data };
}

function same(text: string): string {
  return text;
}

/** What is ignored is in the formats that can say so without making it count. */
function exportOf(id: string, format: ExportFormatName): string {
  const query = format === "sarif" || format === "junit" ? "?filter[muted]=any" : "";
  return `/reports/${id}/export.${format}${query}`;
}

function exported(text: AsyncGenerator<string>, format: ExportFormatName, served: ServedPages | undefined) {
  if (!served) return text;
  return format === "sarif" ? sarifOfFiles(text, served) : withoutOrigin(text, served);
}

function messageOf(
  { stopped }: Verdict,
  { targets }: CheckOptions,
  results: Parameters<typeof notJudged>[0],
): string | undefined {
  return stopped ? `Could not check ${visible(targets.join(" "))}: ${visible(stopped)}` : notJudged(results);
}

/** What is to be said of a report that runs, if it has credentials: with them it could change something. */
async function noticesSoFar(client: Client, { data }: One<"report">): Promise<Attributes<"progress">["notices"]> {
  const { basic_auth_id, phase } = data.attributes;
  if (basic_auth_id == null || (phase !== "Crawling" && phase !== "Checking")) return [];
  return (await client.get<One<"progress">>(`/reports/${data.id}/progress`)).data.attributes.notices;
}

/** Follows the report's events. @returns the report when it has ended */
async function follow(
  id: string,
  { client, progress, found, now, sleep }: Pick<CheckDeps, "client" | "progress" | "found" | "now" | "sleep">,
): Promise<One<"report">> {
  let lastId: string | undefined;
  let notices: Attributes<"progress">["notices"] = [];
  let askedAt = Number.NEGATIVE_INFINITY;
  try {
    for (;;) {
      for await (const { event, data, id: eventId } of client.events(`/reports/${id}/events`, lastId)) {
        if (event !== "report") throw new Error("The report was deleted during the check.");
        const document = JSON.parse(data) as One<"report">;
        lastId = eventId;
        if (now() - askedAt >= NOTICES_INTERVAL_MS) {
          askedAt = now();
          notices = await noticesSoFar(client, document);
        }
        found?.(document.data.attributes.num_pages);
        progress.show(progressLine(document.data.attributes, notices), now());
        if (["Complete", "Failed"].includes(document.data.attributes.phase)) return document;
      }
      // The service ends a stream after some minutes. The next one continues after `lastId`.
      await sleep(RECONNECT_DELAY_MS);
    }
  } finally {
    progress.end();
  }
}

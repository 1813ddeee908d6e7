import { UsageError } from "../domain/errors.ts";
import type { Client } from "./client.ts";
import type { Device, OneDocument, ReportResource } from "./documents.ts";
import { commonIssues, failedPages, withPages } from "./findings.ts";
import type { CheckOptions } from "./options.ts";
import { type Progress, progressLine } from "./progress.ts";
import { reportAttributes } from "./request.ts";
import { resultText, visible } from "./text.ts";
import { verdict } from "./verdict.ts";

/** The pause before reconnecting to an event stream that ended. */
const RECONNECT_DELAY_MS = 200;

/** The exit code and the output of a check. */
export type CheckResult = {
  exitCode: number;
  /** The text for stdout: the table or the JSON document. */
  output: string;
  /** The text for stderr: why nothing could be checked. */
  message?: string;
};

export type CheckDeps = {
  client: Client;
  progress: Progress;
  now: () => number;
  sleep: (ms: number) => Promise<void>;
};

/**
 * Creates a report, waits for its end and formats its result.
 *
 * @throws UsageError when the service rejects the options
 */
export async function runCheck(options: CheckOptions, deps: CheckDeps): Promise<CheckResult> {
  const { client } = deps;
  const deviceId = options.device === undefined ? "" : await findDevice(client, options.device);
  const { data } = await client.post<ReportResource>("/reports", reportAttributes(options, deviceId));
  const document = await follow(data.id, deps);
  const report = document.data.attributes;
  const failed = await failedPages(client, data.id, report);
  const outcome = verdict(report, options.failOn, failed);
  const issues = await commonIssues(client, data.id, report);
  const message = outcome.stopped && `Could not check ${visible(options.url)}: ${visible(outcome.stopped)}`;
  const result = { exitCode: outcome.exitCode, ...(message && { message }) };
  if (options.json) {
    const json = { data: document.data, included: issues, jsonapi: document.jsonapi };
    return { ...result, output: `${JSON.stringify(json, null, 2)}\n` };
  }
  return { ...result, output: resultText(report, await withPages(client, data.id, issues), failed, outcome) };
}

/** Follows the report's events. @returns the report when it has ended */
async function follow(id: string, { client, progress, now, sleep }: CheckDeps): Promise<OneDocument<ReportResource>> {
  let lastId: string | undefined;
  try {
    for (;;) {
      for await (const { event, data, id: eventId } of client.events(`/reports/${id}/events`, lastId)) {
        if (event !== "report") throw new Error("The report was deleted during the check.");
        const document = JSON.parse(data) as OneDocument<ReportResource>;
        lastId = eventId;
        progress.show(progressLine(document.data.attributes), now());
        if (["Complete", "Failed"].includes(document.data.attributes.phase)) return document;
      }
      // The service ends a stream after some minutes. The next one continues after `lastId`.
      await sleep(RECONNECT_DELAY_MS);
    }
  } finally {
    progress.end();
  }
}

/** @throws UsageError that lists devices with similar names */
async function findDevice(client: Client, wanted: string): Promise<string> {
  const devices = await client.all<Device>("/devices");
  const same = (name: string) => name.toLowerCase() === wanted.trim().toLowerCase();
  const found = devices.find(({ id, attributes }) => same(attributes.name) || (id !== "" && same(id)));
  if (found) return found.id;
  const words = wanted.toLowerCase().split(/\s+/);
  const alike = devices
    .map(({ attributes }) => attributes.name)
    .filter((name) => words.some((word) => word !== "" && name.toLowerCase().includes(word)));
  const names = (alike.length > 0 ? alike : devices.map(({ attributes }) => attributes.name)).slice(0, 12);
  throw new UsageError(
    `--device is ${JSON.stringify(wanted)}, which is not a device. Some devices are: ${names.join(", ")}.`,
  );
}

import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import { checkKinds, needsBrowser } from "../../checks/kinds.ts";
import type { Announce } from "../../cli/check/announce/announce.ts";
import type { CheckOptions } from "../../cli/check/options/options.ts";
import type { CheckDeps, SiteSecrets, Start } from "../../cli/check/run-check.ts";
import { createProgress, noProgress } from "../../cli/progress.ts";
import { terminalOf } from "../../cli/terminal.ts";
import type { Config } from "../../config.ts";
import type { Database } from "../../database/tables.ts";
import { createEncryptor } from "../../domain/accounts/encryption.ts";
import { UsageError } from "../../domain/errors.ts";
import type { Baseline } from "../../domain/findings/baseline.ts";
import { once } from "../../domain/once.ts";
import type { EmbeddedPostgres } from "../../embedded/postgres.ts";
import { save } from "../../files/save.ts";
import type { Scratch } from "../../files/scratch.ts";
import { htmlEngines } from "../../schema/html-engines.ts";
import { say } from "../lifecycle/say.ts";
import { openJobsInside } from "./jobs-inside.ts";
import { startOwnDatabase, withOwnService } from "./own-service.ts";
import { expectedJobs, openPrestarted } from "./prestart.ts";
import type { ServiceOptions } from "./service.ts";

/** A check as the command line asks for it. */
export type CheckRequest = {
  options: CheckOptions;
  start: Start;
  /** The baseline, if there is one already. */
  known: Baseline | undefined;
  secrets: SiteSecrets;
  /** Writes to stdout. */
  write: (text: string) => Promise<void>;
  /** Shows the result beside the commit. */
  announce: Announce | undefined;
};

/** Runs a check on a service of its own, which is gone afterwards. @returns the exit code */
export async function checkOnOwnService(
  given: Config,
  scratch: Scratch,
  request: CheckRequest,
  signal: AbortSignal,
): Promise<number> {
  const config = { ...given, urlListFile: await writeListed(request.start, scratch) };
  const copying = Promise.withResolvers<void>();
  const starting = startOwnDatabase(config, scratch, copying.resolve);
  // From here on, other programs prepare the database. Loading modules earlier would delay its start.
  await Promise.race([copying.promise, starting.catch(() => {})]);
  const jobs = openJobs(config, scratch, request.options);
  try {
    return await onDatabase(starting, config, scratch, jobs, request, signal);
  } finally {
    await jobs.close();
  }
}

/** With more pages, a check of HTML would keep one thread busy while other cores wait. */
const MAX_PAGES_INSIDE = 200;

type Jobs = Pick<ServiceOptions, "inside" | "prestarted"> & Pick<CheckDeps, "found"> & { close(): Promise<void> };

/** Runs Jobs in this process (docs/adr/0165), but for those of a large site, and where pages are opened in a browser. */
function openJobs(config: Config, { temp }: Scratch, options: CheckOptions): Jobs {
  const expected = expectedJobs(options);
  const place = { environment: process.env, temp };
  if (opensBrowser(options)) {
    const prestarted = openPrestarted(config, place);
    prestarted.start(expected);
    return { prestarted, close: prestarted.close };
  }
  const inside = openJobsInside(config, { ...place, expected });
  const ready = inside.getReady();
  ready.catch(() => {});
  return {
    inside: inside.run,
    found: (pages) => {
      if (options.html && pages > MAX_PAGES_INSIDE) inside.moveOut();
    },
    async close() {
      await ready.catch(() => {});
      await inside.close();
    },
  };
}

function opensBrowser(options: CheckOptions): boolean {
  return (
    options.dynamic || options.signIn !== undefined || checkKinds.some((kind) => options[kind] && needsBrowser(kind))
  );
}

/** Hands what files list to the crawler. @returns the file; undefined without lists */
async function writeListed({ listed }: Start, scratch: Scratch): Promise<string | undefined> {
  if (!listed || (listed.urls.length === 0 && listed.problems.length === 0)) return undefined;
  const file = path.join(scratch.temp, "url-list.json");
  await writeFile(file, JSON.stringify(listed), { mode: 0o600 });
  return file;
}

async function onDatabase(
  starting: Promise<EmbeddedPostgres>,
  config: Config,
  scratch: Scratch,
  { found, inside, prestarted }: Jobs,
  { options, start, known, secrets, write, announce }: CheckRequest,
  signal: AbortSignal,
): Promise<number> {
  const load = once(() => import("../../cli/check/run-check.ts"));
  let baselineId = "";
  const own = {
    ...{ program: "check", config, scratch, load, inside, prestarted },
    // Nothing that it encrypts outlives this process.
    ...((secrets.password !== undefined || secrets.headers.length > 0 || secrets.signIn !== undefined) && {
      encryptor: createEncryptor(randomBytes(32).toString("hex")),
    }),
    prepare: async (db: Kysely<Database>, accountId: string) => {
      if (known) baselineId = await storeKnown(db, accountId, known, start.urls[0] ?? "");
    },
  };
  return withOwnService(starting, own, signal, async ({ service, client }) => {
    const { runCheck } = await load();
    return runCheck(options, start, {
      client,
      ...(found && { found }),
      progress: options.detail === "totals" ? noProgress : createProgress(process.stderr),
      now: Date.now,
      sleep: (ms) => sleep(ms, undefined, { signal }),
      write,
      say,
      save,
      baseline: known && { id: baselineId, known },
      async *htmlReport(source, id, links) {
        const { reportFile } = await import("../../web/report-file.ts");
        const { readGuides } = await import("../../files/read-guides.ts");
        const guides = await readGuides();
        yield* reportFile(source, id, { now: new Date(), guides: async () => guides, ...links });
      },
      secrets,
      announce,
      addNote: async (id, note) => (await import("../../transactions/end-report.ts")).addNote(service.db, id, note),
      readBaseline: async (id) => (await import("../../database/findings/baselines.ts")).readBaseline(service.db, id),
      terminal: terminalOf(process.stdout, process.env, options.color),
    });
  });
}

/** Stores a baseline for reports of the site of an address. @returns the id of the report that represents it */
async function storeKnown(
  db: Kysely<Database>,
  accountId: string,
  baseline: Baseline,
  startingUrl: string,
): Promise<string> {
  const [{ storeBaseline }, { parseReport }] = await Promise.all([
    import("../../transactions/baselines.ts"),
    import("../../schema/validate.ts"),
  ]);
  const parsed = parseReport({ starting_url: startingUrl }, { maxPages: 0, maxRateLimit: 0, htmlEngines });
  if ("violations" in parsed) throw new UsageError(parsed.violations.map(({ detail }) => detail).join(" "));
  return storeBaseline(db, accountId, { baseline, spec: parsed.spec }, new Date());
}

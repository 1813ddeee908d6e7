import type { Kysely } from "kysely";
import type { FetchSource } from "../../checker/check-page.ts";
import type { EngineModule, EngineRunner, EngineStart } from "../../checker/engine.ts";
import { engineOf } from "../../checker/engines/html/versions.ts";
import type { CoreSlots } from "../../checker/processes/core-slots.ts";
import { createReuse } from "../../checker/reuse.ts";
import { runChecker } from "../../checker/run-checker.ts";
import { manifestOf, needsCrawl, needsSource } from "../../checks/kinds.ts";
import { type Config, requireDatabaseUrl } from "../../config.ts";
import type { SourceFetcher } from "../../crawler/source-fetcher.ts";
import { connect } from "../../database/connection/connect.ts";
import { withReconnect } from "../../database/connection/session.ts";
import { readDefinition } from "../../database/reports/reports.ts";
import { keepSignInPictures } from "../../database/reports/sign-in-pictures.ts";
import type { Database } from "../../database/tables.ts";
import { createActRule } from "../../domain/acts/rule.ts";
import { exitCodes, UsageError } from "../../domain/errors.ts";
import type { CheckKind } from "../../domain/findings/findings.ts";
import { screenshotKind } from "../../domain/findings/screenshots.ts";
import { credentialsFor } from "../../domain/headers/site-credentials.ts";
import { createSiteMask } from "../../domain/sign-in/known-secrets.ts";
import { digestOfCode } from "../../files/own-modules.ts";
import type { AddressPolicy } from "../../net/addresses.ts";
import { reportPolicy } from "../../net/report-policy.ts";
import { standingOf } from "../../net/standing.ts";
import { readTlsTrust } from "../../net/tls-files.ts";
import type { ReportSpec } from "../../schema/report.ts";
import type { Logger } from "../../telemetry/log.ts";
import type { CheckContext } from "../../transactions/end-checks.ts";
import { createCrawledSite } from "./crawled-site.ts";
import { siteSession } from "./site-session.ts";

type Options = {
  config: Config;
  reportId: string;
  kind: CheckKind;
  /** The engine, if it has already been started. The caller closes it. */
  startedRunner: EngineRunner | undefined;
  /** The right to keep cores of this machine busy; undefined for a process that has its cores to itself. */
  cores: CoreSlots | undefined;
  log: Logger;
  signal: AbortSignal;
};

/** Runs the checker on the database. @returns the exit code @throws UsageError when there is no such report */
export async function checkPages({
  config,
  reportId,
  kind,
  startedRunner,
  cores,
  log,
  signal,
}: Options): Promise<number> {
  const databaseUrl = requireDatabaseUrl(config);
  const db = connect({
    url: databaseUrl,
    applicationName: "site-validator checker",
    maxConnections: 4,
    onIdleError: (error) => log.warn("database connection lost", { error }),
  });
  try {
    const definition = await withReconnect(() => readDefinition(db, reportId), { signal });
    if (!definition) throw new UsageError(`There is no report ${reportId}.`);
    const { spec, ofGuest } = definition;
    const tls = await readTlsTrust(config);
    const policyOf = () => reportPolicy(spec.startingUrl, { ...config, tls, ofGuest });
    const credentials = await signingIn(config, policyOf, log, {
      ...{ db, reportId, spec, program: `checker (${kind})`, signal },
      pictures: {
        keep: (pictures) => withReconnect(() => keepSignInPictures(db, reportId, pictures), { signal }),
        ofEachStep: false,
      },
    });
    const context = { reportId, kind, spec };
    const ofReport = { reportId, spec, policyOf, log, credentials };
    const pages = pagesAgain(config, db, ofReport, { renders: needsCrawl(kind) && spec.dynamicCrawler });
    // What scripts make of pages is looked at for single ones.
    const rendered = pagesAgain(config, db, ofReport, { renders: true, records: false });
    const site = async () => {
      const [{ readAgain }, { readAgain: render }] = [pages, rendered];
      return createCrawledSite({
        db,
        reportId,
        spec,
        policy: await policyOf(),
        credentials,
        readAgain,
        render,
        signal,
      });
    };
    const runner = await runnerFor({ kind, startedRunner, config, cores, log, policyOf, credentials, site }, spec);
    try {
      const fetchSource: FetchSource = async (url, options) => (await pages.readAgain(url, options)).document;
      const now = () => new Date();
      const keepsSources = config.keepPageSources;
      const mask = createSiteMask(credentials, spec.startingUrl);
      // A document that was stored is checked without a visit, and may have what others have got by their sign-in.
      const session = credentials?.session;
      const known = session && { beforeCheck: () => session.refresh() };
      const reuse = reuseFor(db, context, config);
      const checking = { db, databaseUrl, context, runner, fetchSource, keepsSources, reuse, mask, ...known };
      const done = await runChecker({ ...checking, log, signal, now });
      return done ? exitCodes.ok : exitCodes.failed;
    } finally {
      await pages.close();
      await rendered.close();
      await credentials?.session?.close();
    }
  } finally {
    await db.destroy();
  }
}

/**
 * What finds the outcomes of unchanged pages: for checks of the source alone, where they are kept for reports to come. A page
 * that somebody signs in to may have what is masked in one report only.
 */
function reuseFor(db: Kysely<Database>, context: CheckContext, { keepPageSources, credentials }: Config) {
  const { kind, spec } = context;
  if (!needsSource(kind) || !keepPageSources || credentials?.signIn || screenshotKind(spec) === kind) return undefined;
  const { name, version } = engineOf(spec.htmlEngine);
  const code = digestOfCode().then((digest) => [digest, process.version, name, version].join(" "));
  // Whoever asks for a page gets the error.
  code.catch(() => {});
  return createReuse(db, context, code);
}

/** The credentials of the report's site, with the session that they begin when a page is first requested. */
async function signingIn(
  { credentials, chromePath, browserSocket }: Config,
  policyOf: () => Promise<AddressPolicy>,
  log: Logger,
  options: Parameters<typeof siteSession>[1],
): Promise<Config["credentials"]> {
  if (!credentials?.signIn) return credentials;
  const settings = { chromePath, browserSocket, policy: await policyOf(), log, credentials };
  const session = siteSession(settings, options);
  return { ...credentials, session };
}

type RunnerOptions = Pick<Options, "kind" | "startedRunner" | "config" | "cores" | "log"> & {
  /** Which addresses the report may visit. */
  policyOf: () => Promise<AddressPolicy>;
  credentials: Config["credentials"];
  site: EngineStart["site"];
};

async function runnerFor(
  { kind, startedRunner, config, cores, log, policyOf, credentials, site }: RunnerOptions,
  spec: ReportSpec,
): Promise<EngineRunner> {
  const { cacheDir, javaExecutables, chromePath, browserSocket } = config;
  const browser = async () => {
    const policy = await policyOf();
    return { chromePath, browserSocket, policy, spec, log, credentials };
  };
  // Code that uses a browser is loaded only if it is needed.
  const start = async () => {
    const { createRunner }: EngineModule = await import(`../../checker/runners/${kind}.ts`);
    return createRunner({ spec, log, cacheDir, javaExecutables, cores, browser, site });
  };
  const own = startedRunner ?? (await start());
  if (screenshotKind(spec) !== kind || manifestOf(kind).needs === "browser") return own;
  const { withScreenshots } = await import("../../checker/screenshots.ts");
  return withScreenshots(own, await browser());
}

/**
 * Reads pages that are checked again, as the crawler does. Rarely needed, so loaded on first use.
 *
 * @param how.renders whether scripts run
 * @param how.records whether what a page responds is recorded
 */
function pagesAgain(
  config: Config,
  db: Kysely<Database>,
  {
    reportId,
    spec,
    policyOf,
    log,
    credentials,
  }: { reportId: string; spec: ReportSpec } & Pick<RunnerOptions, "policyOf" | "log" | "credentials">,
  { renders, records = true }: { renders: boolean; records?: boolean },
) {
  const { startingUrl, userAgent, pageTimeoutSeconds, ignoredParameters } = spec;
  let opened: Promise<SourceFetcher> | undefined;
  const open = async (): Promise<SourceFetcher> => {
    const { createSourceFetcher } = await import("../../crawler/source-fetcher.ts");
    const policy = await policyOf();
    const { chromePath, browserSocket } = config;
    const browser = { chromePath, browserSocket, credentials, policy, spec, log };
    const fetcher = renders && (await (await import("../../crawler/dynamic-fetcher.ts")).createDynamicFetcher(browser));
    return createSourceFetcher({
      ...(fetcher && { fetcher }),
      db,
      reportId,
      policy,
      userAgent,
      timeoutMs: pageTimeoutSeconds * 1_000,
      ignoredParameters,
      credentials: credentialsFor(startingUrl, credentials),
      acts: createActRule(spec, standingOf({ credentials, policy })),
      records,
    });
  };
  return {
    readAgain: async (...[url, options]: Parameters<SourceFetcher["readAgain"]>) => {
      opened ??= open();
      return (await opened).readAgain(url, options);
    },
    close: async () => {
      const sources = await opened?.catch(() => undefined);
      await sources?.close();
    },
  };
}

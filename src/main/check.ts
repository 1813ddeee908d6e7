import { stat } from "node:fs/promises";
import { isIP } from "node:net";
import path from "node:path";
import { requireGrammar } from "../checker/engines/grammar-store.ts";
import type { Announce } from "../cli/check/announce/announce.ts";
import { tokenVariables } from "../cli/check/announce/forge.ts";
import { readBaselineFile } from "../cli/check/baseline-file.ts";
import { InterruptedError, passwordOf } from "../cli/check/options/ask-password.ts";
import { readConfigFile } from "../cli/check/options/config-file.ts";
import { mergeConfig } from "../cli/check/options/merge-config.ts";
import { type CheckOptions, checkOptions, type Given, parseCheck } from "../cli/check/options/options.ts";
import { flagOf, type GivenOptions } from "../cli/check/options/options-schema.ts";
import { readSignInFile } from "../cli/check/options/sign-in-file.ts";
import { siteHeaders, variablesOf } from "../cli/check/options/site-headers.ts";
import { allowedVariables, requireOwnPlaces, withoutPlaces } from "../cli/check/options/untrusted.ts";
import { errorDocument } from "../cli/check/output/json-document.ts";
import { givenAddresses, networksOfHost } from "../cli/check/request.ts";
import type { Start } from "../cli/check/run-check.ts";
import { type ReadList, resolveTargets } from "../cli/check/targets/targets.ts";
import { type Config, readConfig } from "../config.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";
import type { SiteHeader } from "../domain/headers/site-headers.ts";
import { trySave } from "../files/save.ts";
import { openScratch } from "../files/scratch.ts";
import { readHostAddresses } from "../net/report-policy.ts";
import { inFolder, readTlsTrust, splitClientCertificate } from "../net/tls-files.ts";
import { hostOfName } from "../net/tls-trust.ts";
import { hideVariables } from "./lifecycle/environment.ts";
import { exitOnSecondInterrupt } from "./lifecycle/interrupts.ts";
import { ownVersion } from "./lifecycle/own-version.ts";
import { runProgram } from "./lifecycle/program.ts";
import { say } from "./lifecycle/say.ts";
import { checkOnOwnService } from "./wiring/check-service.ts";
import { findHtmlEngines } from "./wiring/html-engines.ts";

const INTERRUPTED = 130;

/** Runs one report from the command line, on a temporary service of its own. */
export async function main(args: string[]): Promise<void> {
  exitOnSecondInterrupt();
  // A check goes on when its reader is gone, as in `| head`: it still has files to write and an exit code.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  let json = args.includes("--json");
  await runProgram(async (signal) => {
    try {
      const parsed = parseCheck(args, await ownVersion());
      if ("help" in parsed) {
        process.stdout.write(parsed.help);
        return exitCodes.ok;
      }
      const { file, given } = await withConfig(parsed);
      json = given.json ?? false;
      if (parsed.printConfig) {
        const { printedConfig } = await import("../cli/check/options/print-config.ts");
        process.stdout.write(printedConfig(given, file));
        return exitCodes.ok;
      }
      if (parsed.untrusted) await requireOwnPlaces(given, parsed.variable);
      const environment = allowedVariables(process.env, parsed);
      const options = { ...checkOptions(given, parsed), untrusted: parsed.untrusted };
      const announce = await announcerFor(parsed);
      return await check({ ...options, announce }, parsed.given.clientCert, environment, signal);
    } catch (error) {
      if (signal.aborted || error instanceof InterruptedError) {
        say("Interrupted.");
        return INTERRUPTED;
      }
      if (json) await write(errorDocument(error instanceof UsageError ? error.message : "Internal error."));
      throw error;
    }
  });
}

/** What is given on the command line and, for the rest, in a configuration file. */
async function withConfig(parsed: Given): Promise<{ file?: string; given: GivenOptions }> {
  const { config, untrusted } = parsed;
  const given = await withSteps(await withIgnored(parsed), parsed);
  if (config === false) return { given };
  const found = await readConfigFile(config ? { file: config } : { folder: process.cwd() }, { untrusted, say });
  if (!found) return { given };
  const { options, leftOut: places } = untrusted ? withoutPlaces(found) : { ...found, leftOut: undefined };
  if (places) say(places);
  const { given: merged, leftOut } = mergeConfig(options, given);
  if (leftOut) {
    const flags = leftOut.options.map(flagOf).join(", ");
    say(`The ${flags} in ${found.file} apply to its own targets and are not sent to ${leftOut.host}.`);
  }
  return { file: found.file, given: merged };
}

async function withIgnored({ given, ignored }: Given): Promise<GivenOptions> {
  if (ignored.length === 0) return given;
  const { ignoreOfTexts } = await import("../cli/check/options/ignore-option.ts");
  return { ...given, ignore: [...ignoreOfTexts(ignored)] };
}

async function withSteps(given: GivenOptions, { stepFiles }: Given): Promise<GivenOptions> {
  if (stepFiles.prepare.length + stepFiles.states.length === 0) return given;
  const { readStepFiles } = await import("../cli/check/options/step-files.ts");
  return { ...given, ...(await readStepFiles(stepFiles)) };
}

/** @throws UsageError where this is no pipeline of that forge, or has no token: nobody waits for a check in vain */
async function announcerFor({ announce }: Given): Promise<Announce | undefined> {
  if (announce === undefined) return undefined;
  const { announceTo } = await import("../cli/check/announce/announce.ts");
  const announcer = await announceTo(announce, process.env);
  hideVariables([tokenVariables[announce]]);
  return announcer;
}

type Untrusted = CheckOptions & { untrusted: boolean; announce?: Announce | undefined };

/** @param shown the client certificates of the command line */
async function check(
  options: Untrusted,
  shown: readonly string[] | undefined,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<number> {
  const targets = await resolveTargets(options.targets, readList);
  if ("urls" in targets && options.basePath !== "/")
    throw new UsageError("--base-path only applies to a folder, which is served under it. Remove it.");
  const written = [...Object.values(options.files), options.markdown, options.report, options.signInPicture];
  if (options.updateBaseline) written.push(options.baseline);
  for (const file of written) if (file) await requireWritable(file);
  if ("urls" in targets) {
    requireUsedCertificates(targets.urls, shown);
    for (const { file, detail } of targets.listed.problems)
      say(`${JSON.stringify(file)} could be read in part only: ${detail}`);
    return checkUrls(options, targets, environment, signal);
  }
  const { serveFolder } = await import("../cli/check/targets/serve-folder.ts");
  const served = await serveFolder(targets.folder, options.basePath);
  try {
    return await checkUrls(options, { urls: [served.url + targets.page], served }, environment, signal);
  } finally {
    await served.close();
  }
}

/** As many URLs as a crawl keeps. */
const MAX_LISTED = 500_000;

/** The URLs of a sitemap or a text list; those of a sitemap index are lists themselves. */
async function readList(text: string): ReturnType<ReadList> {
  const { parseSitemap, parseTextList } = await import("../crawler/url-list.ts");
  const list = parseSitemap(text, MAX_LISTED) ?? parseTextList(text, MAX_LISTED);
  return list && { urls: [...list.urls, ...list.sitemaps], problems: list.problems ?? [] };
}

/** @param environment the variables that the site's headers and password may come from */
async function checkUrls(
  options: Untrusted,
  start: Start,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<number> {
  const { baseline: file, updateBaseline: updated } = options;
  const known = file === undefined ? undefined : await readBaselineFile(file, { updated });
  const own = checkConfig(start.urls[0] ?? "", options);
  // Here the user reads what is wrong with a file.
  await readTlsTrust(own);
  // Looking for Java takes time that html-validate and conformance need not wait for.
  const config = options.htmlEngine === "nu" ? await findHtmlEngines(own) : own;
  if (options.html && options.htmlEngine === "conformance") await requireGrammar(own.cacheDir);
  const headers = takeHeaders(options, environment);
  const password =
    options.basicAuth === undefined
      ? undefined
      : await passwordOf(options.basicAuth, environment, { input: process.stdin, output: process.stderr }, signal);
  const signIn = await takeSignIn(options, environment);
  const secrets = { password, headers, signIn };
  const scratch = await openScratch();
  // What Jobs in this process leave behind when it is killed is removed with the folder, by the next one.
  process.env.TMPDIR = scratch.temp;
  try {
    return await checkOnOwnService(
      config,
      scratch,
      { options, start, known, secrets, write, announce: options.announce },
      signal,
    );
  } finally {
    await scratch.remove();
  }
}

/** The site's headers; from then on, nobody else can read their variables. @throws UsageError */
function takeHeaders(options: CheckOptions, environment: NodeJS.ProcessEnv): SiteHeader[] {
  const headers = siteHeaders(options, environment);
  hideVariables(variablesOf(options.headers, options.cookies));
  return headers;
}

/** The steps to sign in, likewise. @throws UsageError */
async function takeSignIn({ signIn: file }: CheckOptions, environment: NodeJS.ProcessEnv): Promise<object | undefined> {
  if (file === undefined) return undefined;
  const { signIn, variables } = await readSignInFile(file, environment);
  hideVariables(variables);
  return signIn;
}

/** Requires that a file can be written before the work begins, not after it. */
async function requireWritable(file: string): Promise<void> {
  const kind = await stat(file).catch(() => undefined);
  if (kind?.isDirectory()) throw new UsageError(`${JSON.stringify(file)} is a folder; name a file to write.`);
  if (kind?.isSocket()) throw new UsageError(`${JSON.stringify(file)} is a socket; name a file to write.`);
  await trySave(file).catch((error: Error) => {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${JSON.stringify(file)} cannot be written: ${error.message}.`);
  });
}

/** The user is the operator, and nobody else uses the service: no maxima, a free port, only errors in the log. */
function checkConfig(url: string, { resolve, ca, clientCert, insecureTls, untrusted }: Untrusted): Config {
  const config = readConfig({ LOG_LEVEL: "error", ...process.env });
  const given = givenAddresses(resolve);
  for (const { host, address } of given) requireAddress(host, address);
  const named = [
    new URL(url).hostname,
    ...given.map(({ address }) => (isIP(address) === 6 ? `[${address}]` : address)),
  ];
  return {
    ...config,
    databaseUrl: undefined,
    host: "127.0.0.1",
    port: 0,
    metricsPort: undefined,
    baseUrl: undefined,
    requestsPerMinute: 0,
    maxPages: 0,
    maxRateLimit: 0,
    maxAccountBytes: 0,
    maxRunningReports: 1,
    hostAddresses: [...config.hostAddresses, ...given.map(({ host, address }) => `${host}=${address}`)],
    caFiles: [...config.caFiles, ...(ca === undefined ? [] : [path.resolve(ca)])],
    clientCertificates: [...config.clientCertificates, ...clientCert.map((entry) => inFolder(entry))],
    insecureTlsHosts: [...config.insecureTlsHosts, ...insecureTls],
    // What strangers have written may use nothing else that runs here.
    ...(untrusted && { allowLocalhost: "start" as const }),
    allowedPrivateCidrs: [...config.allowedPrivateCidrs, ...named.flatMap(networksOfHost)],
  };
}

/**
 * @param shown those of the command line: an operator's or a configuration's may be for other targets
 * @throws UsageError for client certificates that no report would show (net/report-policy.ts)
 */
function requireUsedCertificates([url = ""]: readonly string[], shown: readonly string[] = []): void {
  const { hostname } = new URL(url);
  const names = shown.map((entry) => splitClientCertificate(entry).host);
  if (names.length === 0 || names.some((name) => hostOfName(name) === hostname)) return;
  throw new UsageError(
    `--client-cert has certificates for ${names.join(", ")}, and the target is on ${hostname}. They are only shown when a check starts at a host that has one: name one for ${hostname}, or leave them out.`,
  );
}

/** @throws UsageError for a value of --resolve that is no name with an address */
function requireAddress(host: string, address: string): void {
  try {
    readHostAddresses([`${host}=${address}`]);
  } catch {
    const wrong = `--resolve has ${JSON.stringify(host)} with the address ${JSON.stringify(address)}`;
    throw new UsageError(`${wrong}; it must be a host, a port and an address, such as shop.example.org:443:10.0.0.5.`);
  }
}

/** Resolves when the text has been written: the reader may be slow or gone. */
function write(text: string): Promise<void> {
  return new Promise((resolve) => {
    if (text === "" || process.stdout.destroyed) return resolve();
    // Called with the error of a reader that is gone, which the process must survive, too.
    process.stdout.write(text, () => resolve());
  });
}

import { homedir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { networksOfHost } from "../cli/check/request.ts";
import { listHtmlFiles } from "../cli/check-html/html-files.ts";
import type { Client } from "../cli/client.ts";
import { type McpOptions, parseMcp } from "../cli/mcp/options.ts";
import { type Config, origins, readConfig } from "../config.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";
import { once } from "../domain/once.ts";
import { whileRunning } from "../domain/while-running.ts";
import { readGuides } from "../files/read-guides.ts";
import { openScratch } from "../files/scratch.ts";
import { type Folders, openFolders } from "../mcp/folders.ts";
import { createServer } from "../mcp/server.ts";
import { type Api, LIMIT_MS } from "../mcp/tool.ts";
import { createLogger } from "../telemetry/log.ts";
import { aborted, exitOnSecondInterrupt } from "./lifecycle/interrupts.ts";
import { ownVersion } from "./lifecycle/own-version.ts";
import { runProgram } from "./lifecycle/program.ts";
import { say } from "./lifecycle/say.ts";
import { startOwnDatabase, withOwnService } from "./wiring/own-service.ts";
import { openHtmlTool } from "./wiring/tools-html.ts";

/** A server of the Model Context Protocol on stdin and stdout, until its client closes them. */
export async function main(args: string[]): Promise<void> {
  exitOnSecondInterrupt();
  await runProgram(async (signal) => {
    const parsed = parseMcp(args);
    if ("help" in parsed) {
      process.stdout.write(parsed.help);
      return exitCodes.ok;
    }
    const config = ownConfig(parsed.options);
    const folders = await foldersOf(parsed.options);
    const html = openHtmlTool(config, createLogger(config.logLevel, { program: "mcp" }));
    const ended = new AbortController();
    const sites = openSites(config, AbortSignal.any([signal, ended.signal]));
    const server = createServer({
      version: await ownVersion(),
      checkHtml: html.checkHtml,
      api: sites.api,
      guides: once(() => readGuides()),
      folders,
      keepsReports: false,
      limitMs: LIMIT_MS,
      requireAllowed: (url) => requireAllowed(url, parsed.options.allow),
      sleep: (ms, until) => sleep(ms, undefined, { signal: until }),
      explain(error) {
        // The user's own machine: there is nobody to hide it from.
        const { message } = error instanceof Error ? error : new Error(String(error));
        say(message);
        return message;
      },
    });
    const closed = new Promise<void>((resolve) => {
      server.onclose = resolve;
      process.stdin.once("end", resolve);
    });
    process.stdout.on("error", () => {});
    try {
      await server.connect(new StdioServerTransport());
      await Promise.race([closed, aborted(signal)]);
      await server.close();
    } finally {
      ended.abort(new Error("the client has left"));
      await Promise.all([html.close(), sites.close()]);
    }
    return exitCodes.ok;
  });
}

/** The working directory, unless folders are named. Editors start servers anywhere: the root and a home must be named. */
async function foldersOf({ folders }: McpOptions): Promise<Folders | undefined> {
  const here = process.cwd();
  if (folders.length === 0 && (here === "/" || here === homedir())) {
    say(`No files are read: ${here} is more than one project. Name a folder: site-validator mcp FOLDER.`);
    return undefined;
  }
  return openFolders(folders.length > 0 ? folders : [here], (folder) => listHtmlFiles([folder], say));
}

/** The user is the operator: no maxima, a free port. What is not allowed is not asked, by whatever way. */
function ownConfig({ allow }: McpOptions): Config {
  const config = readConfig({ LOG_LEVEL: "error", ...process.env });
  return {
    ...config,
    ...{ databaseUrl: undefined, host: "127.0.0.1", port: 0, metricsPort: undefined, baseUrl: undefined },
    ...{ requestsPerMinute: 0, maxPages: 0, maxRateLimit: 0, maxAccountBytes: 0 },
    allowedOrigins: origins("--allow", allow, { wildcard: false }),
    allowLocalhost: true,
    allowedPrivateCidrs: [
      ...config.allowedPrivateCidrs,
      ...allow.flatMap((origin) => networksOfHost(new URL(origin).hostname)),
    ],
  };
}

/** @throws UsageError with what to add */
function requireAllowed(url: string, allow: readonly string[]): void {
  const { protocol, origin } = URL.parse(url) ?? {};
  if (origin === undefined || !/^https?:$/.test(protocol ?? ""))
    throw new UsageError(`${JSON.stringify(url)} is no URL with http or https.`);
  if (allow.includes(origin)) return;
  const known = allow.length > 0 ? `Only ${allow.join(", ")} may be asked` : "No address may be asked";
  throw new UsageError(
    `${origin} is not allowed, and was not asked. ${known}. To allow it, its user adds these to the arguments of site-validator mcp: "--allow", "${origin}"`,
  );
}

/** The API of a service of our own, which is started by the first call that needs it, and again after its end. */
function openSites(config: Config, signal: AbortSignal): { api: Api; close(): Promise<void> } {
  const { TMPDIR } = process.env;
  const service = whileRunning<Client>(async (ready) => {
    const scratch = await openScratch();
    process.env.TMPDIR = scratch.temp;
    try {
      const own = { program: "mcp", config, scratch };
      await withOwnService(startOwnDatabase(config, scratch), own, signal, async ({ client }) => {
        ready(client);
        await aborted(signal);
      });
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
      await scratch.remove();
    }
  });
  const client = async (): Promise<Client> => {
    if (config.allowedOrigins.length === 0) throw new UsageError("There are no reports: no address may be asked.");
    return service.get();
  };
  return {
    api: {
      get: async (path, query = {}) => (await client()).get(`${path}?${new URLSearchParams(query)}`),
      post: async <Document>(path: string, attributes: Readonly<Record<string, unknown>>) =>
        (await (await client()).post(path, attributes)) as Document,
    },
    close: () => service.ended(),
  };
}

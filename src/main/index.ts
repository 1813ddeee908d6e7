import { enableCompileCache, getCompileCacheDir } from "node:module";
import { commandName } from "../cli/command-name.ts";
import { cacheFolder, compiledFolder } from "../config.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";
import { makeFolder } from "../files/make-folder.ts";
import { MODULE_EXTENSION } from "../files/own-modules.ts";
import { takeEnvironment } from "./lifecycle/environment.ts";
import { say } from "./lifecycle/say.ts";
import { settleCache } from "./lifecycle/settle-cache.ts";

takeEnvironment();

type Program = { about: string; load: () => Promise<{ main: (args: string[]) => Promise<void> }> };

/**
 * The entry of images, local Jobs and the package's command: `node src/main/index.ts <program> [arguments]`, or the same of a bundle.
 * Only the program to run is imported.
 */
const programs: Record<string, Program> = {
  api: { about: "the HTTP API, on a cluster", load: () => import("./api.ts") },
  controller: { about: "creates Jobs for Reports and Schedules, on a cluster", load: () => import("./controller.ts") },
  crawler: { about: "a Job: finds a site's pages", load: () => import("./crawler.ts") },
  checker: { about: "a Job: checks pages with one engine", load: () => import("./checker.ts") },
  browser: { about: "a sidecar of a Job: provides browsers", load: () => import("./browser.ts") },
  printer: { about: "a Job: makes the PDF of a month", load: () => import("./printer.ts") },
  migrate: { about: "brings the database's schema up to date", load: () => import("./migrate.ts") },
  uninstall: {
    about: "stops Jobs and removes finalizers, before a release is removed",
    load: () => import("./uninstall.ts"),
  },
  standalone: {
    about: `the whole service on one machine: ${commandName("start")}`,
    load: () => import("./standalone.ts"),
  },
  check: { about: `one report on the command line: ${commandName("check")}`, load: () => import("./check.ts") },
  "check-html": {
    about: `files on the command line: ${commandName("check-html")}`,
    load: () => import("./check-html.ts"),
  },
  mcp: {
    about: `a server of the Model Context Protocol, for editors and agents: ${commandName("mcp")}`,
    load: () => import("./mcp.ts"),
  },
  admin: { about: `accounts, tokens and credits: ${commandName("admin")}`, load: () => import("./admin.ts") },
};

const [given = "", ...args] = process.argv.slice(2);
const name = given === "start" ? "standalone" : given;
const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
if (program) {
  const lasts = await settleCache(process.env).catch((error: Error) => {
    say(error.message);
    process.exit(error instanceof UsageError ? exitCodes.usage : exitCodes.failed);
  });
  if (lasts) await keepCompiled(compiledFolder({ cacheDir: cacheFolder(process.env) }));
  await (await program.load()).main(args);
} else {
  const lines = Object.entries(programs).map(([name, { about }]) => `  ${name.padEnd(12)}${about}\n`);
  const command = MODULE_EXTENSION === ".js" ? "site-validator" : "node src/main/index.ts";
  const usage = `Usage: ${command} PROGRAM [ARGUMENT...]\n\n${lines.join("")}`;
  if (["--help", "-h", "help"].includes(name)) process.stdout.write(usage);
  else {
    say(`${name ? `There is no program ${JSON.stringify(name)}.` : "No program is given."} ${usage.trimEnd()}`);
    process.exitCode = 2;
  }
}

/** Keeps compiled code between runs, if possible: Jobs start in half the time. A workstation's bundle has a cache of its own. */
async function keepCompiled(folder: string): Promise<void> {
  if (getCompileCacheDir() !== undefined) return;
  await makeFolder(folder, 0o700).then(
    () => enableCompileCache(folder),
    () => {},
  );
}

import { enableCompileCache } from "node:module";
import { cacheFolder, compiledFolder } from "../config.ts";
import { makeFolder } from "../embedded/make-folder.ts";

// Compiled code is kept between runs, where it can be: Jobs start in half the time.
const compiled = compiledFolder({ cacheDir: cacheFolder(process.env) });
await makeFolder(compiled, 0o700).then(
  () => enableCompileCache(compiled),
  () => {},
);

type Program = { about: string; load: () => Promise<{ main: (args: string[]) => Promise<void> }> };

/**
 * The entry of the image and of local Jobs: `node src/main/index.ts <program> [arguments]`.
 * Each program is imported only when it is the one to run.
 */
const programs: Record<string, Program> = {
  api: { about: "the HTTP API, on a cluster", load: () => import("./api.ts") },
  controller: { about: "makes Jobs of Reports and Schedules, on a cluster", load: () => import("./controller.ts") },
  crawler: { about: "a Job: finds a site's pages", load: () => import("./crawler.ts") },
  checker: { about: "a Job: checks pages with one engine", load: () => import("./checker.ts") },
  browser: { about: "beside a Job: gives it browsers", load: () => import("./browser.ts") },
  migrate: { about: "brings the database's schema up to date", load: () => import("./migrate.ts") },
  uninstall: { about: "stops Jobs and lets go of Reports", load: () => import("./uninstall.ts") },
  standalone: { about: "all of the service on one machine: npm start", load: () => import("./standalone.ts") },
  check: { about: "one report at a terminal: npm run check", load: () => import("./check.ts") },
  "check-html": { about: "files at a terminal: npm run check-html", load: () => import("./check-html.ts") },
  admin: { about: "accounts, tokens and credits: npm run admin", load: () => import("./admin.ts") },
};

const [name = "", ...args] = process.argv.slice(2);
const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
if (program) {
  await (await program.load()).main(args);
} else {
  const lines = Object.entries(programs).map(([name, { about }]) => `  ${name.padEnd(12)}${about}\n`);
  const usage = `Usage: node src/main/index.ts PROGRAM [ARGUMENT...]\n\n${lines.join("")}`;
  if (["--help", "-h", "help"].includes(name)) process.stdout.write(usage);
  else {
    process.stderr.write(`${name ? `There is no program ${JSON.stringify(name)}.` : "No program given."} ${usage}`);
    process.exitCode = 2;
  }
}

import { enableCompileCache } from "node:module";
import { cacheFolder, compiledFolder } from "../config.ts";
import { UsageError } from "../domain/errors.ts";
import { makeFolder } from "../embedded/make-folder.ts";

// Compiled code is kept between runs, where it can be: Jobs start in half the time.
const compiled = compiledFolder({ cacheDir: cacheFolder(process.env) });
await makeFolder(compiled, 0o700).then(
  () => enableCompileCache(compiled),
  () => {},
);

/**
 * The entry of the image and of local Jobs: `node src/main/index.ts <program> [arguments]`.
 * Each program is imported only when it is the one to run.
 */
const programs: Record<string, () => Promise<{ main: (args: string[]) => Promise<void> }>> = {
  api: () => import("./api.ts"),
  controller: () => import("./controller.ts"),
  crawler: () => import("./crawler.ts"),
  checker: () => import("./checker.ts"),
  browser: () => import("./browser.ts"),
  migrate: () => import("./migrate.ts"),
  uninstall: () => import("./uninstall.ts"),
  standalone: () => import("./standalone.ts"),
  check: () => import("./check.ts"),
  admin: () => import("./admin.ts"),
};

const [name = "", ...args] = process.argv.slice(2);
const load = programs[name];
if (load) {
  await (await load()).main(args);
} else {
  const error = new UsageError(
    `${name ? `Unknown program ${JSON.stringify(name)}` : "No program given"}; use one of ${Object.keys(programs).join(", ")}.`,
  );
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

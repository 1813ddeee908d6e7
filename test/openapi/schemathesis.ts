import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { openSandbox, type RunningProgram } from "../support/run-program.ts";
import { serveSite } from "../support/site.ts";
import { configuration, type Document } from "./configuration.ts";
import { endlessPages, keepBusy, seed, sitePages } from "./seed.ts";

/**
 * Lets schemathesis send requests from the OpenAPI document, valid and invalid ones, to a
 * standalone service with one of everything: no response may be a server error, or other
 * than documented. Needs Python 3 with venv; what it installs is kept in the user's cache.
 * Arguments go to schemathesis, as in `npm run test:openapi -- --include-operation-id listReports`.
 */

const VERSION = "4.32.5";
const EXAMPLES = 200;
const TOKEN = "svt_only-for-the-time-of-this-test-000000";
const PYTHON = ["python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python3"];

const python = PYTHON.find(
  (name) => spawnSync(name, ["-c", "import venv, ensurepip, sys; sys.exit(sys.version_info < (3, 10))"]).status === 0,
);
if (python) process.exitCode = await main(python, process.argv.slice(2));
else console.log("NOT RUN: schemathesis needs Python 3.10 or newer with venv, and there is none here.");

async function main(python: string, extra: readonly string[]): Promise<number> {
  const schemathesis = install(python);
  const site = await serveSite(sitePages);
  const endless = await serveSite(endlessPages);
  const sandbox = await openSandbox();
  try {
    const service = sandbox.start(["standalone"], {
      DATA_DIR: path.join(sandbox.folder, "data"),
      PORT: "0",
      FIRST_TOKEN: TOKEN,
      SECRET_KEY: "only for the time of this test",
      REQUESTS_PER_MINUTE: "0",
      MAX_RUNNING_REPORTS: "1",
      MAX_CHECKERS: "1",
      LOG_LEVEL: "error",
    });
    const url = await addressOf(service);
    const config = path.join(sandbox.folder, "schemathesis.toml");
    const seeded = await seed(url, TOKEN, site);
    await keepBusy(url, TOKEN, endless);
    const address = `${url}/api/v1/openapi.json`;
    const document = (await (await fetch(address)).json()) as Document;
    await writeFile(config, configuration({ token: TOKEN, seed: seeded, document, examples: EXAMPLES }));
    const args = ["--config-file", config, "run", address, ...extra];
    const code = await run(schemathesis, args, { cwd: sandbox.folder });
    const errors = service.stderr();
    if (errors) console.error(`The service logged:\n${errors.slice(0, 20_000)}`);
    return code !== 0 || /"request failed"/.test(errors) ? 1 : 0;
  } finally {
    await sandbox.close();
    await Promise.all([site.close(), endless.close()]);
  }
}

function install(python: string): string {
  const cache = process.env.XDG_CACHE_HOME ?? path.join(homedir(), ".cache");
  const folder = path.join(cache, "site-validator-test", `schemathesis-${VERSION}`);
  const program = path.join(folder, "bin", "schemathesis");
  if (existsSync(program)) return program;
  for (const [command, args] of [
    [python, ["-m", "venv", "--clear", folder]],
    [
      path.join(folder, "bin", "pip"),
      ["install", "--quiet", "--disable-pip-version-check", `schemathesis==${VERSION}`],
    ],
  ] as const) {
    const { status } = spawnSync(command, args, { stdio: "inherit" });
    if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: schemathesis cannot be installed.`);
  }
  return program;
}

function addressOf(service: RunningProgram): Promise<string> {
  return new Promise((resolve, reject) => {
    service.ended.then(({ stderr }) => reject(new Error(`The service ended:\n${stderr}`)), reject);
    const look = setInterval(() => {
      const url = /listens on (http:\S+)/.exec(service.stdout())?.[1];
      if (!url) return;
      clearInterval(look);
      resolve(url);
    }, 50);
  });
}

function run(program: string, args: string[], { cwd }: { cwd: string }): Promise<number> {
  const hooks = { SCHEMATHESIS_HOOKS: "hooks", PYTHONPATH: import.meta.dirname, PYTHONDONTWRITEBYTECODE: "1" };
  const child = spawn(program, args, { cwd, stdio: "inherit", env: { ...process.env, ...hooks } });
  const end = () => child.kill("SIGTERM");
  process.once("SIGTERM", end);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

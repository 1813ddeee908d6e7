import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Application, Place, Role } from "./application.ts";
import { finish } from "./processes.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export type LeftOut = { url: string; reason: string };

/** What a check says of itself. */
export type Checked = {
  /** Addresses of pages. */
  pages: string[];
  failed: { url: string; reason: string }[];
  leftOut: LeftOut[];
  notices: string[];
  seconds: number;
};

/** How much is checked. `htmlOnly` opens pages once, and in no browser; `checkout` is another than this one. */
export type CheckSize = {
  maxPages: number;
  depth: string;
  extra: readonly string[];
  htmlOnly?: boolean;
  checkout?: string;
  /** Signs in by the recording of the application, as its administrator. */
  recorded?: boolean;
};

type Json = {
  errors?: { detail: string }[];
  data: {
    attributes: {
      failure?: { code: string; detail?: string } | null;
      coverage?: { notices?: { code: string; how_many: number }[] } | null;
    };
  };
  pages: { url: string }[];
  failed_pages: { url: string; reasons: string[] }[];
  excluded_urls?: LeftOut[];
};

/** Checks an application as `site-validator check` does, signed in: HTML, links, accessibility that acts, and a state. */
export async function checkSignedIn(
  application: Application,
  role: Role,
  place: Place,
  { maxPages, depth, extra, htmlOnly = false, checkout, recorded = false }: CheckSize,
): Promise<Checked> {
  const signIn = path.join(place.folder, "sign-in.json");
  const states = path.join(place.folder, "states.json");
  const steps = role.steps.map((step) =>
    "url" in step && typeof step.url === "string" ? { ...step, url: place.url + step.url } : step,
  );
  const by = recorded ? await recordingOf(application, place) : { steps };
  await writeFile(signIn, JSON.stringify({ ...by, ...(role.signedInWhen && { signed_in_when: role.signedInWhen }) }));
  await writeFile(states, JSON.stringify([{ name: "opened", ...application.state }]));
  return check(
    role.from.map((from) => place.url + from),
    place.folder,
    [
      ...["--sign-in", signIn, "--max-pages", String(maxPages), ...(application.options ?? []), ...extra],
      ...(htmlOnly ? [] : ["--states", states, "--a11y", "--a11y-depth", depth, "--links"]),
    ],
    checkout,
  );
}

/** Where the applications were when they were recorded. */
const RECORDED_AT = "http://127.0.0.1:8080";

/** @throws Error for an application without a recording */
async function recordingOf({ name }: Application, { url }: Place): Promise<object> {
  const text = await readFile(path.join(ROOT, "test", "apps", "recordings", `${name}.json`), "utf8");
  return JSON.parse(text.replaceAll(RECORDED_AT, url));
}

/** Runs `check` and reads its document. @throws Error if it could not run */
export async function check(
  targets: readonly string[],
  folder: string,
  options: readonly string[],
  checkout = ROOT,
): Promise<Checked> {
  const started = performance.now();
  const { stdout, stderr } = await finish(
    [
      process.execPath,
      path.join(checkout, "bin", "run.js"),
      "check",
      ...targets,
      "--no-config",
      "--json",
      "--fail-on",
      "never",
      ...options,
    ],
    { cwd: folder },
  );
  const seconds = Math.round((performance.now() - started) / 1_000);
  await writeFile(path.join(folder, "check.json"), stdout);
  await writeFile(path.join(folder, "check.log"), stderr);
  const { errors, data, pages, failed_pages, excluded_urls = [] } = JSON.parse(stdout || "{}") as Json;
  if (errors || !data) throw new Error(errors?.map(({ detail }) => detail).join("; ") ?? stderr.slice(-2_000));
  const { failure, coverage } = data.attributes;
  if (failure && pages.length === 0) throw new Error(`${failure.code}: ${failure.detail ?? ""}`);
  return {
    pages: pages.map(({ url }) => url),
    failed: failed_pages.map(({ url, reasons }) => ({
      url,
      reason: reasons.join("; "),
    })),
    leftOut: excluded_urls,
    notices: (coverage?.notices ?? []).map(({ code, how_many }) => `${code} ${how_many}`),
    seconds,
  };
}

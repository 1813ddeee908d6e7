import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";

/**
 * Checks what Helm does not: that values.schema.json describes all of values.yaml and
 * nothing else, and that each switch is rendered on and off by the files of test/chart/values.
 */
type Values = { [name: string]: unknown };
type Schema = { properties?: Record<string, Schema> };

const root = path.resolve(import.meta.dirname, "..");
const chart = path.join(root, "charts/site-validator");
const values = parse(await readFile(path.join(chart, "values.yaml"), "utf8")) as Values;
const schema = JSON.parse(await readFile(path.join(chart, "values.schema.json"), "utf8")) as Schema;
const folder = path.join(root, "test/chart/values");
const files = await Promise.all((await readdir(folder)).map((file) => readFile(path.join(folder, file), "utf8")));
const renderings = files.map((text) => (parse(text) ?? {}) as Values);
const problems: string[] = [];

compare(values, schema, []);
for (const at of switches(values, [])) {
  const seen = new Set(renderings.map((rendering) => look(rendering, at) ?? look(values, at)));
  for (const state of [true, false])
    if (!seen.has(state)) problems.push(`${at.join(".")} is ${state} in no file of test/chart/values.`);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Where the schema lists properties, the values must have the same ones. */
function compare(part: Values, { properties }: Schema, at: string[]): void {
  if (!properties) return;
  for (const name of Object.keys(part))
    if (!(name in properties)) problems.push(`values.schema.json lacks ${[...at, name].join(".")}.`);
  for (const [name, property] of Object.entries(properties)) {
    const value = part[name];
    // Every chart accepts `global`; container resources may have more fields.
    const elsewhere = name === "global" || (name === "claims" && "requests" in part);
    if (value === undefined && !elsewhere) problems.push(`values.yaml lacks ${[...at, name].join(".")}.`);
    if (isMap(value)) compare(value, property, [...at, name]);
  }
}

function switches(part: Values, at: string[]): string[][] {
  return Object.entries(part).flatMap(([name, value]) => {
    if (typeof value === "boolean") return [[...at, name]];
    return isMap(value) ? switches(value, [...at, name]) : [];
  });
}

function look(part: unknown, at: readonly string[]): unknown {
  return at.reduce<unknown>((inner, name) => (isMap(inner) ? inner[name] : undefined), part);
}

function isMap(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

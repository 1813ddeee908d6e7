import type { Application } from "./application.ts";
import { whyHarmless } from "./harmless.ts";
import { priceOf } from "./price.ts";
import type { Change } from "./rows.ts";
import type { Outcome } from "./run.ts";

const SHOWN = 8;
const EXAMPLES = 3;

/** Changes by table and kind, with why nobody minds them. @returns how many rows and files nobody has an excuse for, too */
export function summaryOf(changes: readonly Change[], { harmless }: Application): { text: string; harm: number } {
  const judged = changes.map((change) => ({ change, why: whyHarmless(change, harmless) }));
  const bad = judged.filter(({ why }) => why === undefined).map(({ change }) => change);
  const fine = Map.groupBy(judged, ({ why = "" }) => why);
  const lines = [
    ...[...Map.groupBy(bad, nameOf)].map(([name, rows]) => {
      const examples = rows.slice(0, EXAMPLES).map((change) => `\n        ${exampleOf(change)}`);
      return `    HARM ${rows.length} × ${name}${examples.join("")}`;
    }),
    ...[...fine].flatMap(([why, rows]) =>
      why === "" ? [] : [`    fine: ${why}: ${countsOf(rows.map(({ change }) => tableOfChange(change)))}`],
    ),
  ];
  return { text: lines.join("\n") || "    nothing changed", harm: bad.length };
}

function nameOf({ of: name, kind, columns }: Change): string {
  return `${name} ${kind}${columns.length > 0 ? ` (${columns.join(", ")})` : ""}`;
}

/** Files by the folder that they are in, tables with the columns. */
function tableOfChange(change: Change): string {
  const parts = change.of.split("/");
  return nameOf({ ...change, of: parts.length > 2 ? `${parts.slice(0, 2).join("/")}/…` : change.of });
}

function exampleOf({ row, before, columns }: Change): string {
  const short = (value: unknown) => String(value).replaceAll(/\s+/g, " ").slice(0, 60);
  const which = Object.entries(row)
    .slice(0, 2)
    .map(([column, value]) => `${column} ${short(value)}`)
    .join(", ");
  if (before)
    return `${which}: `
      .concat(columns.map((column) => `${column}: ${short(before[column])} -> ${short(row[column])}`).join(", "))
      .slice(0, 300);
  return JSON.stringify(row).slice(0, 200);
}

/** What a run found, in lines. */
export function outcomeText(outcome: Outcome): string {
  const { application, role, checked, changes, visits } = outcome;
  const { text, harm } = summaryOf(changes, application);
  const writes = Map.groupBy(
    visits.filter(({ method }) => !["GET", "HEAD", "OPTIONS"].includes(method)),
    ({ method, url, from }) => `${method} ${url.split("?")[0]}${from === undefined ? "" : ` from ${pathOf(from)}`}`,
  );
  const { reads, asks, acts, forms } = priceOf(outcome);
  return [
    `  ${application.name}, ${role}: ${checked.pages.length} pages, ${checked.failed.length} failed, ${visits.length} requests, ${checked.seconds} s; ${harm === 0 ? "no harm" : `HARM: ${harm} rows or files`}`,
    `    left out: ${countsOf(checked.leftOut.map(({ reason }) => reason)) || "none"}; ${acts.length} that act, ${asks.length} that ask, ${forms.length} more forms, ${reads.length} that only read`,
    ...reads.slice(0, SHOWN).map(({ url, reason }) => `      only reads, left out (${reason}): ${url}`),
    ...(checked.notices.length > 0 ? [`    notices: ${checked.notices.join(", ")}`] : []),
    ...checked.failed.slice(0, SHOWN).map(({ url, reason }) => `      failed: ${url} ${reason.slice(0, 150)}`),
    ...(writes.size > 0
      ? [`    sent by forms and scripts: ${[...writes].map(([name, all]) => `${all.length} × ${name}`).join(", ")}`]
      : []),
    text,
  ].join("\n");
}

function pathOf(url: string): string {
  return URL.parse(url)?.pathname ?? url;
}

function countsOf(names: readonly string[]): string {
  return [...Map.groupBy(names, (name) => name)].map(([name, all]) => `${name} ${all.length}`).join(", ");
}

/** A Markdown table of all runs. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const head =
    "| application | role | pages | left out | only read, of these | seconds | changed by opening | harm |\n|---|---|---|---|---|---|---|---|";
  const rows = outcomes.map((outcome) => {
    const { application, role, version, checked, changes } = outcome;
    const why = new Set(changes.flatMap((change) => whyHarmless(change, application.harmless) ?? []));
    const { harm } = summaryOf(changes, application);
    const { reads, share } = priceOf(outcome);
    return `| ${application.name} ${version} | ${role} | ${checked.pages.length} | ${countsOf(checked.leftOut.map(({ reason }) => reason))} | ${reads.length} (${share.toFixed(1)} %) | ${checked.seconds} | ${[...why].join(", ")} | ${harm} |`;
  });
  return [head, ...rows].join("\n");
}

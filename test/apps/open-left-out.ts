import { setTimeout as sleep } from "node:timers/promises";
import type { Application, Place, Started } from "./application.ts";
import type { Checked } from "./check.ts";
import { crawlersCookie } from "./door.ts";
import { whyHarmless } from "./harmless.ts";
import type { Change } from "./rows.ts";

const AFTERWARDS_MS = 1_000;

/** Of addresses of one form that were left out as acting: whether opening one changes something that nobody excuses. */
export type Opened = { example: string; count: number; changes: string[] };

type Look = (started: Started) => Promise<(from: Started) => Promise<Change[]>>;

/**
 * Opens what a check left out as acting, one address of each form, with the session of the check: shows which of them really act.
 *
 * @param look remembers how everything is, and says later what is different
 */
export async function openLeftOut(
  { harmless }: Application,
  { url, door }: Place,
  started: Started,
  { leftOut }: Checked,
  look: Look,
): Promise<Opened[]> {
  const cookie = crawlersCookie(door.visits);
  const acting = leftOut.filter((one) => one.reason === "acts" && one.url.startsWith(url)).map((one) => one.url);
  const opened: Opened[] = [];
  for (const [, [example = "", ...others]] of Map.groupBy(acting, formOf)) {
    const changed = await look(started);
    const response = await fetch(example, { headers: { cookie }, redirect: "manual" });
    await response.arrayBuffer();
    // Some applications write when they have answered.
    await sleep(AFTERWARDS_MS);
    const changes = (await changed(started)).filter((change) => whyHarmless(change, harmless) === undefined);
    const names = new Set(changes.map(({ of: name, kind }) => `${name} ${kind}`));
    opened.push({ example: example.slice(url.length), count: 1 + others.length, changes: [...names] });
  }
  return opened;
}

/** The path without numbers, and the names of parameters with those values that are words. */
function formOf(address: string): string {
  const { pathname, searchParams } = new URL(address);
  const parameters = [...searchParams].map(([name, value]) =>
    /^[a-z-]{1,16}$/.test(value) ? `${name}=${value}` : name,
  );
  return `${pathname.replaceAll(/\d+/g, "0")}?${parameters.sort().join("&")}`;
}

/** In lines. */
export function openedText(opened: readonly Opened[]): string {
  const lines = opened.map(
    ({ example, count, changes }) =>
      `    ${changes.length > 0 ? `acts (${changes.slice(0, 3).join(", ")})` : "changes nothing"}: ${count} like ${example}`,
  );
  return [`  one of each form that was left out, opened:`, ...lines.sort()].join("\n");
}

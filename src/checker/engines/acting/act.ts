import type { Tab } from "../../../browser/tab.ts";
import { type Acted, actingIssues } from "../../../domain/acting/issues.ts";
import { ACTING_VERSION } from "../../../domain/acting/rules.ts";
import type { CheckNotice } from "../../../domain/coverage/notices.ts";
import { errorText } from "../../../domain/error-text.ts";
import type { A11yIssue } from "../../../domain/findings/findings.ts";
import type { ReportSpec } from "../../../schema/report.ts";
import { findInvisibleFocus } from "./focus-visible.ts";
import { limitOf } from "./limit.ts";
import { findMoving } from "./moving.ts";
import { placesOf } from "./places.ts";
import { findInSizes } from "./sizes.ts";
import { findUnreached } from "./unreached.ts";
import { findTrap, MAX_STOPS, walk } from "./walk.ts";

/** The time for a page. */
const LIMIT_MS = 8_000;
/** Less time than this is not enough to begin. */
const MIN_MS = 500;

/** What acting adds to what the engine found. */
export type ActedIssues = { issues: A11yIssue[]; notices: CheckNotice[] };

/** Acts on a page of a report that asks for it. The last in a visit. @param leftMs what the visit has left of its time */
export async function actIfAsked(tab: Tab, url: string, spec: ReportSpec, leftMs: number): Promise<ActedIssues> {
  if (spec.a11yDepth !== "acting") return { issues: [], notices: [] };
  const { found, notices } = await act(tab, leftMs);
  return { issues: actingIssues(found, spec.storeIncompleteChecks, new URL(url).origin), notices };
}

/** The version of an engine to which acting adds its rules, if the report asks for it. */
export function versionWith(version: string, { a11yDepth }: ReportSpec): string {
  return a11yDepth === "acting" ? `${version}+acting.${ACTING_VERSION}` : version;
}

/**
 * Uses a page, as somebody does who has a keyboard, other sizes and time, and says what that somebody met. Must be the
 * last in a visit, because nothing of the page is as it was. An error costs the page what was not found yet, and is said.
 *
 * @param leftMs what the visit has left
 */
async function act(tab: Tab, leftMs: number): Promise<{ found: Acted[]; notices: CheckNotice[] }> {
  const ms = Math.min(LIMIT_MS, leftMs);
  if (ms < MIN_MS) return { found: [], notices: [notActed("the page had used up its time before")] };
  const limit = limitOf(ms, tab.usedMs);
  const places = placesOf(tab);
  const found: Acted[] = [];
  const notices: CheckNotice[] = [];
  try {
    const walker = { tab, places, limit };
    found.push(...(await findMoving(walker)));
    found.push(...(await findInSizes(walker)));
    await limit.command(tab.hands.hold());
    const went = await walk(walker);
    const trap = await findTrap(walker, went);
    if (trap) found.push(trap);
    found.push(...(await findUnreached(walker, went)));
    if (!trap) found.push(...(await findInvisibleFocus(walker, went)));
    const cut = went.stops.length >= MAX_STOPS ? "because no further ones are visited" : "";
    const over = limit.isOver() ? `because its ${LIMIT_MS / 1_000} s were over` : cut;
    if (over) notices.push({ code: "acted_in_part", howMany: 1, detail: partText(went.stops.length, over) });
  } catch (error) {
    notices.push(notActed(errorText(error)));
  }
  return { found, notices };
}

function notActed(reason: string): CheckNotice {
  return { code: "not_acted", howMany: 1, detail: `Acting ended early: ${reason.slice(0, 300)}.` };
}

function partText(stops: number, why: string): string {
  return `Acting ended after a walk over ${stops} places that take the focus, ${why}.`;
}

import type { Tab } from "../../../browser/tab.ts";
import { type Acted, actingIssues } from "../../../domain/acting/issues.ts";
import type { PageFacts } from "../../../domain/acting/page-facts.ts";
import { ACTING_VERSION } from "../../../domain/acting/rules.ts";
import type { CheckNotice } from "../../../domain/coverage/notices.ts";
import { errorText } from "../../../domain/error-text.ts";
import type { A11yIssue } from "../../../domain/findings/findings.ts";
import { isActing } from "../../../schema/a11y-depths.ts";
import type { ReportSpec } from "../../../schema/report.ts";
import type { PageTask } from "../../engine.ts";
import { readWithCare } from "./care.ts";
import { findCharacterKeys } from "./character-keys.ts";
import { findDeviceMotion } from "./device-motion.ts";
import { readFactsOf } from "./facts.ts";
import { findFieldErrors } from "./field-errors.ts";
import type { Walker } from "./findings.ts";
import { findFocusThatLeaves, findHiddenFocus, findInputThatLeaves } from "./focus-effects.ts";
import { findOrder } from "./focus-order.ts";
import { findInvisibleFocus, findWeakFocus } from "./focus-visible.ts";
import { findFrameNames } from "./frames.ts";
import { findPaleWhenPointed } from "./hover-contrast.ts";
import { COMMAND_MS, type Limit, limitOf, OutOfTime } from "./limit.ts";
import { findMoving, readMoving } from "./moving.ts";
import { findNames } from "./names.ts";
import { placesOf } from "./places.ts";
import { findPointed } from "./pointing.ts";
import { findPressFaults, findVanishing } from "./presses.ts";
import { installShown } from "./shown.ts";
import { findInSizes } from "./sizes.ts";
import { findSound } from "./sound.ts";
import { findLanguages } from "./texts.ts";
import { findUnreached } from "./unreached.ts";
import { findTrap, MAX_STOPS, type Walk, walk } from "./walk.ts";
import { findDeafWidgets } from "./widget-keys.ts";

/** The time for a page. */
const LIMIT_MS = 8_000;
/** What a visit needs after it: the rest of what it has found is stored. */
const RESERVE_MS = 1_000;
/** Less time than this is not enough to begin. */
const MIN_MS = 500;
/** The elements whose coming into sight is noticed, and what is kept of their texts. */
const MAX_SHOWN = 3_000;
const MAX_SHOWN_TEXT = 300;

/** What acting adds to what the engine found. */
export type ActedIssues = { issues: A11yIssue[]; notices: CheckNotice[]; facts?: PageFacts };

/**
 * Reads a page and acts on it, if the report asks for it; of pages that are like each other only the first ones are acted
 * on. The last in a visit. @param leftMs what the visit has left of its time
 */
export async function actIfAsked(
  tab: Tab,
  { url, likeOthers = false }: Pick<PageTask, "url" | "likeOthers">,
  { opensOnly, cuts, ...spec }: ReportSpec & Pick<Walker, "opensOnly"> & { cuts: readonly string[] },
  leftMs: number,
): Promise<ActedIssues> {
  if (!isActing(spec.a11yDepth)) return { issues: [], notices: [] };
  const isLeftOut = likeOthers && spec.a11yDepth !== "acting_everywhere";
  const options = { ...spec, isLeftOut, opensOnly, cuts, reviews: spec.storeIncompleteChecks };
  const { found, notices, facts } = await act(tab, leftMs, options);
  const issues = actingIssues(found, spec.storeIncompleteChecks, new URL(url).origin);
  return { issues, notices, ...(facts && { facts }) };
}

/** The version of an engine to which acting adds its rules, if the report asks for it. */
export function versionWith(version: string, { a11yDepth }: ReportSpec): string {
  return isActing(a11yDepth) ? `${version}+acting.${ACTING_VERSION}` : version;
}

type Options = Pick<ReportSpec, "hide" | "ignoredParameters"> &
  Pick<Walker, "opensOnly"> & { isLeftOut: boolean; reviews: boolean; cuts: readonly string[] };

/**
 * Uses a page, as somebody does who has a keyboard, other sizes and time, and says what that somebody met. Must be the
 * last in a visit, because nothing of the page is as it was. An error costs the page what was not found yet, and is said.
 *
 * @param leftMs what the visit has left
 * @param options.hide selectors of elements that are left out
 * @param options.isLeftOut the page is only read
 * @param options.opensOnly whether somebody is signed in
 * @param options.cuts what was not looked at before
 * @param options.reviews whether what a person has to judge is kept: else it is not looked for
 */
async function act(
  tab: Tab,
  leftMs: number,
  { hide, ignoredParameters, isLeftOut, reviews, opensOnly, cuts }: Options,
): Promise<{ found: Acted[]; notices: CheckNotice[]; facts?: PageFacts }> {
  // A command that is under way may take its whole time, and what was found before must not be lost with the visit.
  const ms = Math.min(LIMIT_MS, leftMs - COMMAND_MS - RESERVE_MS);
  if (ms < MIN_MS) return { found: [], notices: [notActed("the page had used up its time before")] };
  const limit = limitOf(ms, tab.usedMs);
  for (const cut of cuts) limit.cut(cut);
  const places = placesOf(tab, { hide, acts: !isLeftOut });
  const found: Acted[] = [];
  let stops: number | undefined = 0;
  let facts: PageFacts | undefined;
  const known = () => (facts ? { facts } : {});
  try {
    const walker = { tab, places, limit, found, opensOnly };
    await findLanguages(walker, { reviews });
    if (reviews) {
      await findNames(walker, ignoredParameters);
      await findFrameNames(walker);
      await readWithCare(walker);
      // What is found by comparing pages is for a person to judge.
      facts = await readFactsOf(walker);
    }
    if (isLeftOut) return { found, notices: partOf(limit, stops), ...known() };
    await limit.command(tab.onlyRead());
    const moving = reviews ? await readMoving(walker) : undefined;
    await findInSizes(walker, { reviews });
    const { world } = await limit.command(places.main());
    await limit.command(tab.call(world, installShown, MAX_SHOWN, MAX_SHOWN_TEXT));
    await limit.command(tab.hands.hold());
    const went = await walk(walker);
    // Where the focus is held, it is a matter of chance how far it went.
    stops = went.trapped ? undefined : went.stops.length;
    if (went.stops.length >= MAX_STOPS) limit.cut("no further places are visited");
    if (went.trapped) limit.cut("the focus did not go on by itself");
    await judgeWalk(walker, went, reviews);
    const messages = await useControls(walker, went, reviews);
    // From here on the page's clock stands still.
    await letTimePass(walker, messages, moving);
    if (limit.isOver()) throw new OutOfTime();
  } catch (error) {
    if (!(error instanceof OutOfTime))
      return { found, notices: [notActed(errorText(error)), ...partOf(limit, stops)], ...known() };
    limit.cut(`its ${LIMIT_MS / 1_000} s were over`);
  }
  return { found, notices: partOf(limit, stops), ...known() };
}

/** What the walk has met. */
async function judgeWalk(walker: Walker, went: Walk, reviews: boolean): Promise<void> {
  const isTrap = await findTrap(walker, went);
  if (reviews) {
    await findFieldErrors(walker);
    await findOrder(walker, went);
    await findUnreached(walker, went);
    await findHiddenFocus(walker, went);
  }
  if (!isTrap) await findInvisibleFocus(walker, went);
  if (!isTrap && reviews) await findWeakFocus(walker, went);
  await findFocusThatLeaves(walker, went);
}

/** What the controls do. @returns those by which a message came */
async function useControls(walker: Walker, went: Walk, reviews: boolean): Promise<number[]> {
  const { limit, opensOnly } = walker;
  if (opensOnly) limit.cut("somebody is signed in, so that only what says that it opens something is used");
  if (reviews && !opensOnly) await findInputThatLeaves(walker, went);
  if (reviews) {
    await findPaleWhenPointed(walker);
    await findPointed(walker);
  }
  await findDeafWidgets(walker, went);
  return findPressFaults(walker, went);
}

/** What the page does by itself. @param moving what moved before it was used; undefined where reviews are not looked for */
async function letTimePass(walker: Walker, messages: readonly number[], moving?: readonly number[]): Promise<void> {
  await findSound(walker);
  if (!moving) return;
  if (!walker.opensOnly) await findVanishing(walker, messages);
  await findMoving(walker, moving);
  // A key may delete what is shown.
  if (!walker.opensOnly) await findCharacterKeys(walker);
  await findDeviceMotion(walker);
}

/** What was cut short. @param stops undefined if that says nothing */
function partOf(limit: Limit, stops: number | undefined): CheckNotice[] {
  const cuts = limit.cuts();
  if (cuts.length === 0) return [];
  const walked = stops === undefined ? "" : `, with a walk over ${stops} places that take the focus,`;
  const detail = `Acting${walked} did not see everything: ${cuts.join("; ")}.`;
  return [{ code: "acted_in_part", howMany: 1, detail }];
}

function notActed(reason: string): CheckNotice {
  return { code: "not_acted", howMany: 1, detail: `Acting ended early: ${reason.slice(0, 300)}.` };
}

import { readFile } from "node:fs/promises";
import type { AxeResults, ContextObject, RunOptions } from "axe-core";
import type { Tab } from "../../../browser/tab.ts";
import { within } from "../../../time/within.ts";
import { withoutClobbering } from "./clobbering.ts";
import { withoutDistantPseudos } from "./distant-pseudo.ts";
import {
  describeFrame,
  type Findings,
  type FrameElement,
  findFrame,
  finish,
  frameState,
  hasAxe,
  type Limits,
  listFrames,
  runPartially,
} from "./in-page.ts";

/** Frames checked on one page, including nested ones. */
const MAX_FRAMES = 50;
/** A frame that takes longer is reported as not tested. */
const FRAME_LIMIT_MS = 8_000;

/**
 * axe-core's source text, which reads elements as they are (clobbering.ts) and counts no pseudo-elements that are elsewhere
 * (distant-pseudo.ts), and its version.
 */
export async function readAxe(): Promise<{ source: string; version: string }> {
  const [source, manifest] = await Promise.all([
    readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8"),
    readFile(new URL(import.meta.resolve("axe-core/package.json")), "utf8"),
  ]);
  return { source: withoutClobbering(withoutDistantPseudos(asciiOnly(source))), version: JSON.parse(manifest).version };
}

/** Escapes all other characters, which occur only in strings and names: one of them doubles the size of the whole text in V8. */
function asciiOnly(source: string): string {
  return source.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Why a frame was not tested, as a sentence. */
const untestedTexts = {
  not_loaded: "its document was never loaded",
  loading: "its document was still loading",
  failed: "its document could not be loaded",
  sandboxed: "its sandbox forbids scripts, which the engine needs",
  no_answer: `it did not answer within ${FRAME_LIMIT_MS / 1_000} s, or was removed`,
  limit: `the page has more than ${MAX_FRAMES} frames`,
};

/** A frame that axe-core did not check. */
export type UntestedFrame = { address: string; reason: string };

type FrameContexts = Awaited<ReturnType<typeof listFrames>>;

/**
 * Runs axe-core on the page and all its frames. Each frame is checked by itself, and axe-core
 * combines the partial results. axe-core's usual way to reach frames, messages between windows,
 * would let the page forge results.
 *
 * @param withRaw adds axe-core's complete results
 * @param hide selectors of elements that are left out
 */
export async function runAxe(
  tab: Tab,
  source: string,
  options: RunOptions,
  limits: Limits,
  { withRaw, hide }: { withRaw: boolean; hide: readonly string[] },
): Promise<{ findings: Findings; raw: AxeResults | null; untested: UntestedFrame[] }> {
  let frames = 0;
  const untested: UntestedFrame[] = [];
  const worldWithAxe = async (frameId: string): Promise<number> => {
    const world = await tab.createWorld(frameId);
    if (frameId === tab.mainFrameId) await tab.runContextScript();
    if (!(await tab.call(world, hasAxe))) await tab.run(world, source);
    return world;
  };
  const partialsOfFrame = async (frameId: string, context: ContextObject): Promise<(string | null)[]> => {
    const world = await worldWithAxe(frameId);
    const inner = await tab.call(world, listFrames, context);
    const own = await tab.call(world, runPartially, context, options, false);
    return [own, ...(await partialsOfFrames(world, inner))];
  };
  /** @returns the partial results of a frame and those in it, or why there are none */
  const testFrame = async (
    world: number,
    { frameSelector, frameContext }: FrameContexts[number],
    element: FrameElement | null,
  ): Promise<(string | null)[] | keyof typeof untestedTexts> => {
    const frameId = await tab.frameOf(world, findFrame, frameSelector);
    if (!frameId) return "no_answer";
    if (element?.forbidsScripts || tab.forbidsScripts(frameId)) return "sandboxed";
    const { state, at } = await tab.call(await tab.createWorld(frameId), frameState, element?.address ?? "");
    if (state !== "loaded") return state;
    // The proxy responds in place of servers that it could not reach.
    if (tab.couldNotReach(at)) return "failed";
    // axe-core's type of a frame's context is narrower than what axe-core accepts.
    return partialsOfFrame(frameId, frameContext as unknown as ContextObject);
  };
  const partialsOfFrames = async (world: number, contexts: FrameContexts): Promise<(string | null)[]> => {
    const partials: (string | null)[] = [];
    for (const context of contexts) {
      frames += 1;
      // A frame that is not asked for its address, because a page may have any number of them.
      const isBeyond = frames > MAX_FRAMES;
      const element = isBeyond
        ? null
        : await tab.call(world, describeFrame, context.frameSelector, limits.textLength).catch(() => null);
      const testing = isBeyond ? Promise.resolve("limit" as const) : testFrame(world, context, element);
      const tested = await within(FRAME_LIMIT_MS, testing, "no_answer" as const).catch(() => "no_answer" as const);
      if (typeof tested === "string") untested.push({ address: element?.address ?? "", reason: untestedTexts[tested] });
      // In axe-core's partial results null stands for a frame that could not be tested.
      partials.push(...(typeof tested === "string" ? [null] : tested));
    }
    return partials;
  };

  const world = await worldWithAxe(tab.mainFrameId);
  const shown = hide.length > 0 ? { exclude: hide.map((selector) => [selector]) } : null;
  if (!shown && !(await tab.hasFrames()))
    return { ...(await tab.call(world, finish, null, options, limits, withRaw)), untested };
  const inner = await tab.call(world, listFrames, shown);
  await tab.call(world, runPartially, shown, options, true);
  const partials = await partialsOfFrames(world, inner);
  return { ...(await tab.call(world, finish, partials, options, limits, withRaw)), untested };
}

import { readFile } from "node:fs/promises";
import type { AxeResults, ContextObject, RunOptions } from "axe-core";
import type { Tab } from "../../../browser/tab.ts";
import { within } from "../../../time/within.ts";
import { type Findings, findFrame, finish, hasAxe, type Limits, listFrames, runPartially } from "./in-page.ts";

/** Frames checked on one page, including nested ones. */
const MAX_FRAMES = 50;
/** A frame that takes longer is reported as not tested. */
const FRAME_LIMIT_MS = 8_000;

/** axe-core's own source text and version. */
export async function readAxe(): Promise<{ source: string; version: string }> {
  const [source, manifest] = await Promise.all([
    readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8"),
    readFile(new URL(import.meta.resolve("axe-core/package.json")), "utf8"),
  ]);
  return { source: asciiOnly(source), version: JSON.parse(manifest).version };
}

/** Escapes all other characters, which occur only in strings and names: one of them doubles the size of the whole text in V8. */
function asciiOnly(source: string): string {
  return source.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Runs axe-core on the page and all its frames. Each frame is checked by itself, and axe-core
 * combines the partial results. axe-core's usual way to reach frames, messages between windows,
 * would let the page forge results.
 *
 * @param withRaw adds axe-core's complete results
 */
export async function runAxe(
  tab: Tab,
  source: string,
  options: RunOptions,
  limits: Limits,
  withRaw: boolean,
): Promise<{ findings: Findings; raw: AxeResults | null }> {
  let frames = 0;
  const worldWithAxe = async (frameId: string): Promise<number> => {
    const world = await tab.createWorld(frameId);
    if (frameId === tab.mainFrameId) await tab.runContextScript();
    if (!(await tab.call(world, hasAxe))) await tab.run(world, source);
    return world;
  };
  const partialsOfFrame = async (frameId: string, context: ContextObject): Promise<(string | null)[]> => {
    frames += 1;
    if (frames > MAX_FRAMES) return [null];
    const world = await worldWithAxe(frameId);
    const inner = await tab.call(world, listFrames, context);
    const own = await tab.call(world, runPartially, context, options, false);
    return [own, ...(await partialsOfFrames(world, inner))];
  };
  const partialsOfFrames = async (
    world: number,
    contexts: Awaited<ReturnType<typeof listFrames>>,
  ): Promise<(string | null)[]> => {
    const partials: (string | null)[] = [];
    for (const { frameSelector, frameContext } of contexts) {
      const pending = tab
        .frameOf(world, findFrame, frameSelector)
        // axe-core's type of a frame's context is narrower than what axe-core accepts.
        .then((frameId) => (frameId ? partialsOfFrame(frameId, frameContext as unknown as ContextObject) : [null]));
      // In axe-core's partial results null stands for a frame that could not be tested.
      partials.push(...(await within(FRAME_LIMIT_MS, pending, [null]).catch(() => [null])));
    }
    return partials;
  };

  const world = await worldWithAxe(tab.mainFrameId);
  if (!(await tab.hasFrames())) return tab.call(world, finish, null, options, limits, withRaw);
  const inner = await tab.call(world, listFrames, null);
  await tab.call(world, runPartially, null, options, true);
  return tab.call(world, finish, await partialsOfFrames(world, inner), options, limits, withRaw);
}

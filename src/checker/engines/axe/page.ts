import { readFile } from "node:fs/promises";
import type { AxeResults, ContextObject, RunOptions } from "axe-core";
import type { Tab } from "../../../browser/tab.ts";
import { type Findings, findFrame, finish, hasAxe, type Limits, listFrames, runPartially } from "./in-page.ts";

/** Frames looked into on one page, nested ones included. */
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

/** A text with any other character is sent and compiled at twice the size. Only strings and names have some. */
function asciiOnly(source: string): string {
  return source.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Runs axe-core on the page with all its frames. Each frame is checked by itself and the
 * shares are put together by axe-core: its own way over frames, messages between
 * windows, would be the page's to forge.
 *
 * @param limits null: the results whole, as axe-core gives them
 */
export async function runAxe(
  tab: Tab,
  source: string,
  options: RunOptions,
  limits: Limits | null,
): Promise<Findings | AxeResults> {
  let frames = 0;
  const worldWithAxe = async (frameId: string): Promise<number> => {
    const world = await tab.createWorld(frameId);
    if (!(await tab.call(world, hasAxe))) await tab.run(world, source);
    return world;
  };
  const shareOf = async (frameId: string, context: ContextObject): Promise<(string | null)[]> => {
    frames += 1;
    if (frames > MAX_FRAMES) return [null];
    const world = await worldWithAxe(frameId);
    const inner = await tab.call(world, listFrames, context);
    const own = await tab.call(world, runPartially, context, options, false);
    return [own, ...(await sharesOf(world, inner))];
  };
  const sharesOf = async (
    world: number,
    contexts: Awaited<ReturnType<typeof listFrames>>,
  ): Promise<(string | null)[]> => {
    const shares: (string | null)[] = [];
    for (const { frameSelector, frameContext } of contexts) {
      const share = tab
        .frameOf(world, findFrame, frameSelector)
        // axe-core's type of a frame's context is narrower than what it takes.
        .then((frameId) => (frameId ? shareOf(frameId, frameContext as unknown as ContextObject) : [null]));
      shares.push(...(await orUntested(share)));
    }
    return shares;
  };

  const world = await worldWithAxe(tab.mainFrameId);
  if (!(await tab.hasFrames())) return tab.call(world, finish, null, options, limits);
  const inner = await tab.call(world, listFrames, null);
  await tab.call(world, runPartially, null, options, true);
  return tab.call(world, finish, await sharesOf(world, inner), options, limits);
}

/** null is axe-core's way to say that a frame could not be tested. */
async function orUntested(share: Promise<(string | null)[]>): Promise<(string | null)[]> {
  const timeout = Promise.withResolvers<(string | null)[]>();
  const timer = setTimeout(() => timeout.resolve([null]), FRAME_LIMIT_MS);
  try {
    return await Promise.race([share.catch(() => [null]), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

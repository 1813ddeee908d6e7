import type * as AxeCore from "axe-core";
import type { AxeResults, ContextObject, FrameContext, PartialResult, RunOptions } from "axe-core";

/**
 * What runs inside of pages, in an isolated world that holds axe-core. Each function is
 * sent as its source text: it may use nothing from outside itself but types.
 */

type World = { axe: typeof AxeCore; partials?: (PartialResult | null)[] };

/** One axe-core result, reduced to what is stored. */
export type RuleResult = {
  id: string;
  help: string;
  helpUrl: string;
  impact: string | null;
  tags: string[];
  /** Elements that it applies to; `nodes` may be fewer. */
  total: number;
  nodes: { html: string; target: (string | string[])[]; failureSummary: string }[];
};

export type Findings = { violations: RuleResult[]; incomplete: RuleResult[] };

/** What a result may come to: a page decides how much it is. */
export type Limits = { nodesPerRule: number; textLength: number };

/** False in a document that was made after its frame was prepared. */
export function hasAxe(): boolean {
  return "axe" in globalThis;
}

/** The frames that axe-core would look into, from the point of view of this one. Must come before a partial run. */
export function listFrames(context: ContextObject | null): FrameContext[] {
  const { axe } = globalThis as unknown as World;
  return axe.utils.getFrameContexts(context ?? (document as unknown as ContextObject));
}

/** Finds a frame's element from what `listFrames` gave. */
export function findFrame(selector: FrameContext["frameSelector"]): Element | null {
  const { axe } = globalThis as unknown as World;
  return axe.utils.shadowSelect(selector);
}

/** Checks this frame alone. The main frame keeps its share where it is; others hand it over as text. */
export async function runPartially(
  context: ContextObject | null,
  options: RunOptions,
  keep: boolean,
): Promise<string | null> {
  const world = globalThis as unknown as World;
  const partial = await world.axe.runPartial(context ?? (document as unknown as ContextObject), options);
  if (!keep) return JSON.stringify(partial);
  world.partials = [partial];
  return null;
}

/**
 * The page's result.
 *
 * @param shares those of the frames, to be put together with the page's own; null: the page has no frames and is not checked yet
 * @param limits null: all of the result
 */
export async function finish(
  shares: (string | null)[] | null,
  options: RunOptions,
  limits: Limits | null,
): Promise<Findings | AxeResults> {
  const { axe, partials = [] } = globalThis as unknown as World;
  const results =
    shares === null
      ? await axe.run(document, { ...options, iframes: false })
      : await axe.finishRun([...partials, ...shares.map((text) => (text === null ? null : JSON.parse(text)))], options);
  if (limits === null) return results;
  const reduce = (rules: AxeResults["violations"]): RuleResult[] =>
    rules.map(({ id, help, helpUrl, impact, tags, nodes }) => ({
      id,
      help,
      helpUrl,
      impact: impact ?? null,
      tags,
      total: nodes.length,
      nodes: nodes.slice(0, limits.nodesPerRule).map((node) => ({
        html: node.html.slice(0, limits.textLength),
        target: node.target as (string | string[])[],
        failureSummary: (node.failureSummary ?? "").slice(0, limits.textLength),
      })),
    }));
  return { violations: reduce(results.violations), incomplete: reduce(results.incomplete) };
}

import { getDomain } from "tldts";

/** What one visit may send to one other domain: pages with many pictures exist, but none that needs to send much. */
export const MAX_VISIT_REQUESTS = 1_000;
export const MAX_VISIT_BYTES = 2_000_000;
/** What a request counts that does more than read. */
const WEIGHT_OF_OTHERS = 10;
/** Of those whose budget is used up so many are remembered; all others share the last one's. */
const MAX_DOMAINS = 300;
const OTHERS = "other domains";

/** Counts what a visit sends to other hosts than its own, so that no page makes us flood a stranger. */
export type VisitBudget = {
  /** @returns whether a request may be sent */
  take(hostname: string, method: string): boolean;
  /** @returns whether so many bytes may be sent */
  send(hostname: string, bytes: number): boolean;
  /** The domains whose budget is used up. */
  usedUp(): string[];
};

/** @param own the hostname of the visit; undefined for a client that has no visits */
export function createVisitBudget(own: string | undefined): VisitBudget {
  const domains = new Map<string, { weight: number; bytes: number }>();
  const spend = (hostname: string, weight: number, bytes: number): boolean => {
    if (own === undefined || hostname === own) return true;
    const domain = getDomain(hostname) ?? hostname;
    const name = domains.has(domain) || domains.size < MAX_DOMAINS ? domain : OTHERS;
    const spent = domains.get(name) ?? { weight: 0, bytes: 0 };
    spent.weight += weight;
    spent.bytes += bytes;
    domains.set(name, spent);
    return !isOver(spent);
  };
  return {
    take: (hostname, method) => spend(hostname, /^(?:GET|HEAD|OPTIONS)$/.test(method) ? 1 : WEIGHT_OF_OTHERS, 0),
    send: (hostname, bytes) => spend(hostname, 0, bytes),
    usedUp: () => [...domains].flatMap(([name, spent]) => (isOver(spent) ? [name] : [])),
  };
}

function isOver({ weight, bytes }: { weight: number; bytes: number }): boolean {
  return weight > MAX_VISIT_REQUESTS || bytes > MAX_VISIT_BYTES;
}

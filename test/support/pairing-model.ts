import { type FindingState, type UnpairedFacts, unpairedState } from "../../src/domain/findings/finding-state.ts";
import { firstStepOfPages, pairingSteps } from "../../src/domain/findings/pairing.ts";

/** A finding of one of two reports as it is stored; `page` and digests in hex, "" for none. */
export type ModelFinding = {
  id: number;
  isOwn: boolean;
  fingerprint: string;
  page_key: string;
  kind: string;
  rule: string;
  tag: string;
  path: string;
  amount: number;
};

/** The pages of each report: what became of their checks. */
export type ModelPages = { own: ReadonlyMap<string, UnpairedFacts["page"]>; base: ModelPages["own"] };

/** What the statements of a comparison store, in the plainest way: elements in each state by finding, as `id state amount`. */
export function modelComparison(findings: readonly ModelFinding[], pages: ModelPages): string[] {
  const paired = new Map<number, number>();
  let left = findings.map((finding) => ({ ...finding }));
  const take = (own: ModelFinding, base: ModelFinding): void => {
    const amount = Math.min(own.amount, base.amount);
    paired.set(own.id, (paired.get(own.id) ?? 0) + amount);
    own.amount -= amount;
    base.amount -= amount;
  };
  for (const of of Map.groupBy(left, ({ fingerprint }) => fingerprint).values()) {
    const [own, base, more] = of.toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn));
    if (own?.isOwn && base?.isOwn === false && !more && own.amount === base.amount) take(own, base);
  }
  for (const [index, { keys, onlyRenamed }] of pairingSteps.entries()) {
    left = left.filter(({ amount }) => amount > 0);
    const isOnOwnPage = ({ isOwn, page_key }: ModelFinding) => !(isOwn ? pages.base : pages.own).has(page_key);
    if (index === firstStepOfPages) followRenamed(left, isOnOwnPage);
    const source = onlyRenamed ? left.filter(isOnOwnPage) : left;
    for (const group of Map.groupBy(source, (one) => keys.map((key) => one[key]).join("|")).values())
      layAlongside(group, take);
  }
  const states = left.flatMap((one): [number, FindingState, number][] => {
    const page = (one.isOwn ? pages.base : pages.own).get(one.page_key) ?? "none";
    const facts = { isOwn: one.isOwn, isPerformed: true, engine: "same", hasRule: false, page } as const;
    return one.amount === 0 ? [] : [[one.id, unpairedState(facts), one.amount]];
  });
  const persisting = [...paired].map(([id, amount]) => [id, "persisting", amount] as const);
  return [...persisting, ...states].map((row) => row.join(" ")).sort();
}

/** Takes the elements of both sides in the order of their findings' ids. */
function layAlongside(group: readonly ModelFinding[], take: (own: ModelFinding, base: ModelFinding) => void): void {
  const [own = [], base = []] = [true, false].map((side) => group.filter(({ isOwn }) => isOwn === side).toSorted(byId));
  while (own[0] && base[0]) {
    take(own[0], base[0]);
    for (const side of [own, base]) if (side[0]?.amount === 0) side.shift();
  }
}

const byId = (a: ModelFinding, b: ModelFinding) => a.id - b.id;
const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Gives the base's findings on a renamed page the key of the new page: two pages that share faults that no other has. */
function followRenamed(left: readonly ModelFinding[], isOnOwnPage: (finding: ModelFinding) => boolean): void {
  const votes = new Map<string, { own: string; base: string; count: number }>();
  const faults = Map.groupBy(left.filter(isOnOwnPage), ({ kind, rule, tag, path }) =>
    [kind, rule, tag, path].join("|"),
  );
  for (const fault of faults.values()) {
    const [own, base] = [true, false].map((side) => [
      ...new Set(fault.filter(({ isOwn }) => isOwn === side).map(({ page_key }) => page_key)),
    ]);
    if (own?.length !== 1 || base?.length !== 1) continue;
    const key = `${own[0]} ${base[0]}`;
    const known = votes.get(key) ?? { own: own[0] ?? "", base: base[0] ?? "", count: 0 };
    votes.set(key, { ...known, count: known.count + 1 });
  }
  const sorted = [...votes.values()].sort((a, b) => b.count - a.count);
  const best = [...Map.groupBy(sorted, ({ base }) => base).values()].flatMap(
    (of) => of.toSorted((a, b) => b.count - a.count || order(a.own, b.own))[0] ?? [],
  );
  const renamed = [...Map.groupBy(best, ({ own }) => own).values()].flatMap(
    (of) => of.toSorted((a, b) => b.count - a.count || order(a.base, b.base))[0] ?? [],
  );
  const newKeys = new Map(renamed.map(({ own, base }) => [base, own]));
  for (const one of left) if (!one.isOwn) one.page_key = newKeys.get(one.page_key) ?? one.page_key;
}

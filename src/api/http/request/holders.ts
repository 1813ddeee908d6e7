/**
 * Whose limits something counts for: an account or an address, by its key, or a guest of an account (holderOf). What a
 * guest holds counts for its account, too. All guests of an account together get half of what the account may hold, and
 * each of them a quarter: so they cannot use up what their host needs.
 */
export type Holder = string | { key: string; guest: string };

/** Counts what holders have of something limited. */
export type HeldCounts = {
  /** How much the holder has: a guest only its own, an account that of its guests, too. */
  of(holder: Holder): number;
  /** Whether the holder may have so much more of what an account may have `max` of. A guest may have one. */
  allows(holder: Holder, max: number, more?: number): boolean;
  /** @returns a function to call when the holder no longer has it */
  add(holder: Holder, amount?: number): () => void;
};

export function heldCounts(): HeldCounts {
  const held = new Map<string, number>();
  const count = (group: string): number => held.get(group) ?? 0;
  return {
    of: (holder) => count(groupsOf(holder).at(-1)?.[0] ?? ""),
    allows: (holder, max, more = 1) =>
      groupsOf(holder).every(
        ([group, part]) => count(group) + more <= Math.max(Math.min(1, max), Math.floor(max / part)),
      ),
    add(holder, amount = 1) {
      const groups = groupsOf(holder).map(([group]) => group);
      for (const group of groups) held.set(group, count(group) + amount);
      return () => {
        for (const group of groups) {
          const left = count(group) - amount;
          if (left > 0) held.set(group, left);
          else held.delete(group);
        }
      };
    },
  };
}

/** The groups that a holder counts for, and what part of the account's limit each of them has. */
function groupsOf(holder: Holder): [group: string, part: number][] {
  if (typeof holder === "string") return [[holder, 1]];
  const { key, guest } = holder;
  return [
    [key, 1],
    [`${key} guests`, 2],
    [`${key} guest ${guest}`, 4],
  ];
}

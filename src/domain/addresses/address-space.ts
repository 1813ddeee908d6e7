/**
 * Where a host is, as Private Network Access has it: on this machine, in a private network, or on the Internet. Each is less
 * private than the one before.
 */
export const addressSpaces = ["loopback", "private", "public"] as const;
export type AddressSpace = (typeof addressSpaces)[number];

/** The less private of two: that of whoever had a hand in something. */
export function outermost(one: AddressSpace, other: AddressSpace): AddressSpace {
  return addressSpaces.indexOf(one) < addressSpaces.indexOf(other) ? other : one;
}

/** A request, as the way into private networks is judged. */
export type Approach = {
  /** Where all are that had a hand in it: the document that asks, those around it, and redirects. Empty for what we ask for ourselves. */
  from: readonly AddressSpace[];
  to: AddressSpace;
  /** Whether the user has named this very host and port. */
  isNamed: boolean;
  /** Whether only hosts that are named are open at all. */
  onlyNamed: boolean;
  /** Whether it is a page that steps of the user lead to: a sign-in may lead over other hosts, and back. */
  isStep?: boolean;
};

/**
 * Whether a request may be sent. Nobody reaches what is more private than where they come from: otherwise every third
 * party of a page on this machine could use what else runs on it.
 */
export function mayApproach({ from, to, isNamed, onlyNamed, isStep = false }: Approach): boolean {
  if (to === "public") return true;
  if (onlyNamed && !isNamed) return false;
  return (isNamed && isStep) || from.every((space) => outermost(space, to) === to);
}

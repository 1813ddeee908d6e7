import { isMail, mailOf } from "./mail.ts";
import type { Role } from "./roles.ts";

/** Whom a sign-in provider, or a proxy in front of the service, says that somebody is. */
export type Provided = {
  /** Who says so. Subjects of two issuers are two people. */
  issuer: string;
  /** Never given to anybody else, unlike names and mail addresses. */
  subject: string;
  /** In lower case; null for one that is missing, or that nobody has verified. */
  mail: string | null;
  name: string | null;
  groups: readonly string[];
};

/** The provider cannot be used now: it does not respond, or not as it should. */
export class ProviderAway extends Error {}

/** The provider has not signed somebody in, or what came back is not its answer to this browser. */
export class ProviderRefused extends Error {}

/** What claims of an ID token, or of the provider's address for them, may be. */
export type Claims = Readonly<Record<string, unknown>>;

/** The most groups of one person that are looked at. */
const MAX_GROUPS = 1_000;
const MAX_NAME = 100;

/**
 * Reads what a provider says of somebody.
 *
 * @param sources the claims of the ID token, then those of its address for them. Whether a mail address is verified counts
 *   only from whoever says the address.
 * @param groupsClaim the name of the claim that has groups
 */
export function readClaims(
  { issuer, subject }: Pick<Provided, "issuer" | "subject">,
  sources: readonly Claims[],
  groupsClaim: string,
): Provided {
  const first = (name: string) => sources.map((claims) => claims[name]).find((value) => value !== undefined);
  const said = sources.find(({ email }) => typeof email === "string");
  const mail = said?.email_verified === true ? mailOf(String(said.email)) : "";
  const groups = first(groupsClaim);
  return {
    ...{ issuer, subject },
    mail: isMail(mail) ? mail : null,
    name: nameOf(first("name")) ?? nameOf(first("preferred_username")),
    groups: [groups]
      .flat()
      .flatMap((group) => (typeof group === "string" ? group : []))
      .slice(0, MAX_GROUPS),
  };
}

function nameOf(value: unknown): string | null {
  const line = typeof value === "string" ? value.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").trim() : "";
  return line === "" ? null : [...line].slice(0, MAX_NAME).join("");
}

/** Why somebody whom the provider knows does not get in. */
export type NotArrived = "no role" | "unverified mail" | "known otherwise" | "full";

/** Somebody with the mail address that a provider says. */
export type SameMail = { isInvited: boolean; awaitsProvider: boolean };

/** What becomes of somebody whom the provider knows, and who was not here by it before. */
export type Arrival = { does: "bind" } | { does: "join" } | { does: "refuse"; why: NotArrived };

/**
 * Decides about somebody who comes by the provider for the first time. A mail address binds to nobody by itself: whoever
 * could make a provider say it would be that person. Somebody must have been invited with it, or an owner have decided so.
 *
 * @param known who has this mail address here
 * @param groupRole what the groups give
 */
export function arrivalOf(
  { mail }: Pick<Provided, "mail">,
  { known, groupRole, isFull }: { known: SameMail | undefined; groupRole: Role | null; isFull: boolean },
): Arrival {
  const refuse = (why: NotArrived): Arrival => ({ does: "refuse", why });
  if (mail === null) return refuse("unverified mail");
  if (known) return known.isInvited || known.awaitsProvider ? { does: "bind" } : refuse("known otherwise");
  if (groupRole === null) return refuse("no role");
  return isFull ? refuse("full") : { does: "join" };
}

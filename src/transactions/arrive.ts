import type { Kysely } from "kysely";
import { countSignIn } from "../database/accounts/failed-sign-ins.ts";
import {
  changePerson,
  countPeople,
  insertPerson,
  lockPeople,
  type PersonRow,
  type Provision,
  peopleByMail,
  personOfProvider,
} from "../database/accounts/people.ts";
import { endSessionsOf, firstAccount } from "../database/accounts/tokens.ts";
import { insertEntry } from "../database/audit/entries.ts";
import { secretDigest } from "../database/secrets.ts";
import type { Database } from "../database/tables.ts";
import { arrivalOf, type NotArrived, type Provided } from "../domain/accounts/provider.ts";
import { type Role, rolesAt, rolesOfGroups } from "../domain/accounts/roles.ts";
import { GROUP_ROLE_MS, MAX_PEOPLE, SIGN_IN_TRIES } from "../domain/accounts/sign-in-limits.ts";
import { type Change, differences } from "../domain/audit/changes.ts";
import { type Origin, personEntry } from "../domain/audit/entry.ts";

/** Somebody whom a provider, or a proxy, says to be who comes. */
export type Comer = {
  provided: Provided;
  /** The operator's table of roles. */
  byGroup: Readonly<Record<string, Role>>;
  now: Date;
  origin: Origin;
  requestId: string | null;
};

/** Who it is here, or why nobody. */
export type Arrived = { id: string } | { refused: NotArrived };

/**
 * Lets somebody in whom the provider knows, as the person that it is here: by the subject, never by a name or a mail
 * address alone. What the groups give is written at each sign-in, also when it is nothing any more: then it holds nowhere,
 * from that moment on. People of the provider belong to the first account.
 */
export function arrive(db: Kysely<Database>, comer: Comer): Promise<Arrived> {
  return db.transaction().execute(async (trx) => {
    const accountId = await firstAccount(trx);
    await lockPeople(trx, accountId);
    const { provided, byGroup, now } = comer;
    const given = rolesOfGroups(provided.groups, byGroup);
    const roleEndsAt = new Date(now.getTime() + GROUP_ROLE_MS);
    const provision = { issuer: provided.issuer, subject: provided.subject, ...given, roleEndsAt };
    const known = await personOfProvider(trx, provided);
    if (known) return enterAgain(trx, known, provision, comer);
    const [same] = provided.mail === null ? [] : await peopleByMail(trx, provided.mail, accountId);
    const arrival = arrivalOf(provided, {
      known: same && {
        isInvited: same.invitation_ends_at !== null && same.invitation_ends_at > now,
        awaitsProvider: same.awaits_provider,
      },
      groupRole: given.role,
      isFull: (await countPeople(trx, accountId)).all >= MAX_PEOPLE,
    });
    if (arrival.does === "bind" && same) return bind(trx, same, provision, comer);
    if (arrival.does === "join" && provided.mail !== null) {
      const name = provided.name ?? provided.mail.split("@")[0] ?? provided.mail;
      const { mail } = provided;
      const id = await insertPerson(trx, { accountId, name, mail, role: null, provider: provision });
      await note(trx, comer, { accountId, id, name }, joined, [
        ...differences("mail", null, mail),
        ...differences("group_role", null, given.role),
      ]);
      return { id };
    }
    const why = arrival.does === "refuse" ? arrival.why : "no role";
    return refuse(trx, comer, { accountId, id: null, name: provided.mail ?? provided.name ?? provided.subject }, why);
  });
}

const joined = { operation: "joinByProvider", verb: "joined by the sign-in provider", area: "people" } as const;
const changed = { operation: "changeByGroups", verb: "got another role by groups", area: "people" } as const;
const refused = { operation: "failToSignIn", verb: "did not get in", area: "sign-ins" } as const;

async function enterAgain(
  trx: Kysely<Database>,
  known: PersonRow,
  { groups, role, roleEndsAt }: Provision,
  comer: Comer,
): Promise<Arrived> {
  await changePerson(trx, known.id, { groups: [...groups], group_role: role, group_role_ends_at: roleEndsAt });
  const changes = differences("group_role", known.group_role, role);
  const who = { accountId: known.account_id, id: known.id, name: known.name };
  if (changes.length > 0) await note(trx, comer, who, changed, changes);
  const now = { ...known, group_role: role, group_role_ends_at: roleEndsAt };
  return rolesAt(now, comer.now) === null ? refuse(trx, comer, who, "no role") : { id: known.id };
}

/** Makes somebody who was invited, or of whom an owner has decided so, the one whom the provider knows. */
async function bind(
  trx: Kysely<Database>,
  same: PersonRow,
  { issuer, subject, groups, role, roleEndsAt }: Provision,
  comer: Comer,
): Promise<Arrived> {
  await changePerson(trx, same.id, {
    ...{ oidc_issuer: issuer, oidc_subject: subject, groups: [...groups], group_role: role },
    ...{ group_role_ends_at: roleEndsAt, awaits_provider: false, invitation_hash: null, invitation_ends_at: null },
    // From now on the provider decides who this is. Only owners keep a way in for the case that it is away.
    ...(same.role !== "owner" && { password_hash: null, totp_secret: null, totp_step: null }),
  });
  // Whoever had the password is somebody else from now on.
  await endSessionsOf(trx, same.id);
  const who = { accountId: same.account_id, id: same.id, name: same.name };
  await note(trx, comer, who, joined, differences("group_role", same.group_role, role));
  const now = { ...same, group_role: role, group_role_ends_at: roleEndsAt };
  return rolesAt(now, comer.now) === null ? refuse(trx, comer, who, "no role") : { id: same.id };
}

type Who = { accountId: string; id: string | null; name: string };

/** Owners find by the request's id who wanted to come in, and why not; of whoever tries on and on only the first times. */
async function refuse(trx: Kysely<Database>, comer: Comer, who: Who, why: NotArrived): Promise<Arrived> {
  const { issuer, subject } = comer.provided;
  const key = `refused ${secretDigest(`${issuer} ${subject}`).toString("base64url")}`;
  if ((await countSignIn(trx, key, comer.now)) > SIGN_IN_TRIES.address) return { refused: why };
  await note(trx, comer, who, { ...refused, verb: `${refused.verb}: ${why}` }, []);
  return { refused: why };
}

async function note(
  trx: Kysely<Database>,
  { now, origin, requestId, provided }: Comer,
  who: Who,
  did: { operation: string; verb: string; area: "people" | "sign-ins" },
  changes: readonly Change[],
): Promise<void> {
  const by = did === joined ? differences("provider", null, `${provided.issuer} ${provided.subject}`) : [];
  await insertEntry(trx, personEntry(who, did, { at: now, origin, requestId }, [...changes, ...by]));
}

import type { Kysely } from "kysely";
import { askInvitationMail } from "../database/accounts/invitation-mails.ts";
import {
  changePerson,
  countPeople,
  deletePerson,
  findInvited,
  firstOwnerSince,
  insertPerson,
  lockOwners,
  lockPeople,
  type NewPerson,
  type PersonChange,
  type PersonRow,
  peopleByMail,
} from "../database/accounts/people.ts";
import { countWrongCode, takeSetupCode, voidSetupCodes } from "../database/accounts/setup-codes.ts";
import { endSessionsOf, firstAccount } from "../database/accounts/tokens.ts";
import { insertEntry } from "../database/audit/entries.ts";
import type { Database } from "../database/tables.ts";
import { recipientOf } from "../domain/accounts/mail.ts";
import type { Role } from "../domain/accounts/roles.ts";
import { MAX_PEOPLE, SETUP_TRIES } from "../domain/accounts/sign-in-limits.ts";
import { differences, hidden } from "../domain/audit/changes.ts";
import { personEntry, type Requested } from "../domain/audit/entry.ts";
import { type Leaving, takeOver } from "./assignments.ts";

/** How somebody became the first owner, or why not. */
export type SetUp =
  | { outcome: "created"; id: string }
  | { outcome: "set up already" }
  | { outcome: "wrong code"; left: number };

/** Creates the first owner of an installation, by a code: once, however many try at the same time. */
export function createFirstOwner(
  db: Kysely<Database>,
  code: string,
  owner: Pick<NewPerson, "name" | "mail" | "passwordHash">,
  requested: Requested,
): Promise<SetUp> {
  const now = requested.at;
  return db.transaction().execute(async (trx): Promise<SetUp> => {
    await lockPeople(trx, "first owner");
    if ((await firstOwnerSince(trx)) !== undefined) return { outcome: "set up already" };
    if (!(await takeSetupCode(trx, code, now)))
      return { outcome: "wrong code", left: await countWrongCode(trx, SETUP_TRIES, now) };
    await voidSetupCodes(trx);
    const { id, accountId } = await addOwner(trx, owner);
    const changes = [...differences("mail", null, owner.mail), ...differences("role", null, "owner")];
    await insertEntry(trx, personEntry({ accountId, id, name: owner.name }, didSetUp, requested, changes));
    return { outcome: "created", id };
  });
}

/** Adds an owner of the first account, which is created if there is none. A person with this mail address becomes one. */
export async function addOwner(
  trx: Kysely<Database>,
  owner: Pick<NewPerson, "name" | "mail" | "passwordHash">,
): Promise<{ id: string; accountId: string; before: Role | null }> {
  const accountId = await firstAccount(trx);
  const [known] = await peopleByMail(trx, owner.mail, accountId);
  if (!known) return { id: await insertPerson(trx, { ...owner, accountId, role: "owner" }), accountId, before: null };
  await changePerson(trx, known.id, {
    ...{ name: owner.name, role: "owner", ends_at: null, password_hash: owner.passwordHash ?? known.password_hash },
    // Whoever lost the password may have lost the second factor, too.
    ...{ totp_secret: null, totp_step: null, invitation_hash: null, invitation_ends_at: null },
  });
  await endSessionsOf(trx, known.id);
  return { id: known.id, accountId, before: known.role };
}

/** Makes an invitation a person who can sign in. @returns the id; undefined for one that is unknown, accepted or over */
export function acceptInvitation(
  db: Kysely<Database>,
  secret: string,
  change: { name: string; password_hash: string },
  requested: Requested,
): Promise<string | undefined> {
  return db.transaction().execute(async (trx) => {
    const invited = await findInvited(trx, secret, requested.at);
    if (!invited) return undefined;
    await changePerson(trx, invited.id, { ...change, invitation_hash: null, invitation_ends_at: null });
    const who = { accountId: invited.account_id, id: invited.id, name: change.name };
    const changes = [...differences("name", invited.name, change.name), hidden("password")];
    await insertEntry(trx, personEntry(who, didJoin, requested, changes));
    return invited.id;
  });
}

/** Changes how somebody signs in, at the own request, and ends all other sessions. @param keep the secret of this one */
export function changeOwnSignIn(
  db: Kysely<Database>,
  { id, account_id: accountId, name }: PersonRow,
  { change, verb, fields, keep }: { change: PersonChange; verb: string; fields: readonly string[]; keep: string },
  requested: Requested,
): Promise<void> {
  return db.transaction().execute(async (trx) => {
    await changePerson(trx, id, change);
    await endSessionsOf(trx, id, keep);
    const did = { operation: "changeOwnSignIn", verb, area: "sign-ins" } as const;
    await insertEntry(trx, personEntry({ accountId, id, name }, did, requested, fields.map(hidden)));
  });
}

const didSetUp = { operation: "setUp", verb: "became the first owner, by the setup code", area: "people" } as const;
const didJoin = { operation: "acceptInvitation", verb: "accepted an invitation", area: "people" } as const;

/** Why nobody is invited; `mails`: as many invitations were sent in a day as may be. */
export type NotInvited = { refused: "known" | "full" | "mails" };

/** Invites somebody. @param mailedAt when the invitation is to be sent by mail; null for not @returns the new id, or why nobody was added */
export async function invitePerson(
  db: Kysely<Database>,
  person: NewPerson,
  mailedAt: Date | null = null,
): Promise<string | NotInvited> {
  const { accountId, mail } = person;
  try {
    return await onPeopleOf(db, accountId, async (trx) => {
      if ((await peopleByMail(trx, mail, accountId)).length > 0) return { refused: "known" as const };
      if ((await countPeople(trx, accountId)).all >= MAX_PEOPLE) return { refused: "full" as const };
      const personId = await insertPerson(trx, person);
      if (mailedAt && !(await askInvitationMail(trx, { accountId, personId, mail: recipientOf(mail) }, mailedAt)))
        throw new TooManyMails();
      return personId;
    });
  } catch (error) {
    if (error instanceof TooManyMails) return { refused: "mails" };
    throw error;
  }
}

/** Ends the transaction. */
class TooManyMails extends Error {}

/** Changes a person. @returns false when the account would have no owner left who can sign in with a password */
export function changeRights(
  db: Kysely<Database>,
  { id, accountId }: { id: string; accountId: string },
  change: PersonChange,
  now: Date,
): Promise<boolean> {
  return onPeopleOf(db, accountId, async (trx) => {
    const stays = (change.role ?? "owner") === "owner" && (change.ends_at ?? null) === null && change.role !== null;
    if (!stays && (await isLastOwner(trx, { id, accountId }, now))) return false;
    await changePerson(trx, id, change);
    return true;
  });
}

/** Removes a person: signed out at once, with its tokens. @returns why not: who should take over is nobody of the account */
export function removePerson(
  db: Kysely<Database>,
  person: Leaving,
  now: Date,
): Promise<"removed" | "last owner" | "no heir"> {
  return onPeopleOf(db, person.accountId, async (trx) => {
    if (await isLastOwner(trx, person, now)) return "last owner";
    if (!(await takeOver(trx, "person", person, now))) return "no heir";
    await deletePerson(trx, person.id);
    return "removed";
  });
}

/** Whether nobody else could administer the account with a password, when a provider is away. */
async function isLastOwner(
  trx: Kysely<Database>,
  { id, accountId }: { id: string; accountId: string },
  now: Date,
): Promise<boolean> {
  const owners = await lockOwners(trx, accountId, now);
  return owners.length === 1 && owners[0] === id;
}

/** Runs what changes an account's people, one at a time: two owners who remove each other are not both the last. */
function onPeopleOf<Result>(
  db: Kysely<Database>,
  accountId: string,
  work: (trx: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (trx) => {
    await lockPeople(trx, accountId);
    return work(trx);
  });
}

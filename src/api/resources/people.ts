import { type InvitationMail, invitationMailsOf } from "../../database/accounts/invitation-mails.ts";
import {
  countPeople,
  countTokensOf,
  findPerson,
  listPeople,
  type NewPerson,
  type PersonRow,
  type SiteRolesGiven,
} from "../../database/accounts/people.ts";
import { listSiteRoles, type SiteRoleRow, urlsOfSites } from "../../database/accounts/site-roles.ts";
import { findToken } from "../../database/accounts/tokens.ts";
import { countHeld } from "../../database/findings/assignments.ts";
import { siteIdOf } from "../../database/reports/site-key.ts";
import { newSecret } from "../../database/secrets.ts";
import { MAX_INVITATION_MAILS } from "../../domain/accounts/invitation-mail.ts";
import { mailOf } from "../../domain/accounts/mail.ts";
import type { SiteRole } from "../../domain/accounts/roles.ts";
import { INVITATION_MS, MAX_PEOPLE } from "../../domain/accounts/sign-in-limits.ts";
import { formatValue } from "../../schema/validate.ts";
import { changeRights, invitePerson, type NotInvited, removePerson } from "../../transactions/people.ts";
import type { Context, Route } from "../context.ts";
import type { Resource } from "../documents.ts";
import { attributesReader } from "../http/request/attributes.ts";
import { hostOf, ownerOf } from "../http/request/caller.ts";
import { futureTime } from "../http/request/future-time.ts";
import { pageParameters } from "../http/request/parameters.ts";
import { isUuid } from "../http/request/query.ts";
import { created, list, one, related, timestamp } from "../http/response/documents.ts";
import { notFound, refuse, refuseAttribute } from "../http/response/errors.ts";
import { bodyOf } from "../openapi/request-body.ts";
import { peopleMeta } from "../openapi/response-schemas/accounts.ts";
import {
  type NewPersonAttributes,
  newPersonSchema,
  type PersonAttributes,
  personSchema,
} from "../request-attributes.ts";
import { heirIn, heirParameter, noSuchHeir } from "./assignment-attributes.ts";

const readNew = attributesReader<NewPersonAttributes>(newPersonSchema);
const readChange = attributesReader<PersonAttributes>(personSchema);

const ONE = "/people/:person_id";

/** Who signs in to an account's pages, and what they may do. Guests have no people. */
export const people: readonly Route[] = [
  {
    method: "GET",
    path: "/people",
    id: "listPeople",
    tag: "People",
    summary: "List people",
    description: "By name, invited ones included.",
    success: { kind: "list", type: "person", meta: peopleMeta },
    access: "account",
    right: "people",
    parameters: pageParameters,
    handle: async (context) => {
      const { db } = context.deps;
      const page = context.query.page();
      const listed = await listPeople(db, ownerOf(context), page);
      const { invited } = await countPeople(db, ownerOf(context));
      const ids = listed.rows.map(({ id }) => id);
      const tokens = await countTokensOf(db, ids);
      const held = await countHeld(db, ids);
      const mailed = await invitationMailsOf(db, ids);
      const sites = await listSiteRoles(db, ownerOf(context), ids);
      return list(context, page, { ...listed, meta: { invited, max: MAX_PEOPLE } }, (row) =>
        personDocument(context, row, {
          ...{ tokens: tokens.get(row.id) ?? 0, held: held.get(row.id) ?? 0 },
          sites: sites.get(row.id) ?? [],
          mailed: mailed.get(row.id),
        }),
      );
    },
  },
  {
    method: "POST",
    path: "/people",
    id: "invitePerson",
    audit: { verb: "invited a person", area: "people" },
    tag: "People",
    summary: "Invite a person",
    description: `invitation_url is the page on which the person chooses how to sign in: once, within ${INVITATION_MS / 86_400_000} days. Only this response shows it. With send_invitation the address gets a link of its own by mail, which ends with this one: 409 where the service sends none, and beyond ${MAX_INVITATION_MAILS.account} a day of an account, or ${MAX_INVITATION_MAILS.address} to one address. 409 for an address that the account knows, and beyond ${MAX_PEOPLE} people.`,
    success: { kind: "created", type: "person" },
    errors: [409],
    access: "account",
    right: "people",
    body: bodyOf("person", newPersonSchema),
    showsSecret: true,
    handle: async (context) => {
      const { accountId, tokenId } = hostOf(context);
      const given = readNew(context.attributes);
      const { db, now } = context.deps;
      if (given.send_invitation) requireInvitations(context);
      const mail = mailOf(given.mail);
      const secret = newSecret("svi");
      const by = await nameOf(context, tokenId);
      const person: NewPerson = {
        ...{ accountId, mail, name: given.name ?? mail.split("@")[0] ?? mail, role: given.role },
        endsAt: endIn(context, given.ends_at) ?? null,
        ...(given.sites && { sites: await sitesIn(context, given.sites, by) }),
        invitation: { secret, endsAt: new Date(now().getTime() + INVITATION_MS), by },
      };
      const made = await invitePerson(db, person, given.send_invitation ? now() : null);
      if (typeof made !== "string") throw refusedInvitation(made.refused, mail);
      const row = await findPerson(db, made, accountId);
      if (!row) throw notFound("person");
      const url = `${context.ownBase.replace(/\/api\/v1$/, "")}/join/${secret}`;
      return created(personDocument(context, row, await aboutOf(context, row), url), `${context.base}/people/${made}`);
    },
  },
  {
    method: "GET",
    path: ONE,
    id: "getPerson",
    tag: "People",
    summary: "Get a person",
    success: { kind: "one", type: "person" },
    access: "account",
    right: "people",
    handle: async (context) => one(await shown(context, await addressed(context))),
  },
  {
    method: "PATCH",
    path: ONE,
    id: "updatePerson",
    audit: { verb: "changed a person", area: "people" },
    tag: "People",
    summary: "Change a person's name, roles, end, or who it is for the sign-in provider",
    description:
      "It holds at once, also for browsers that are signed in and tokens that the person made. 409 for the last owner with a password, who stays owner without an end.",
    success: { kind: "one", type: "person" },
    errors: [409],
    access: "account",
    right: "people",
    body: bodyOf("person", personSchema),
    handle: async (context) => {
      const { id } = await addressed(context);
      const { accountId, tokenId } = hostOf(context);
      const { ends_at, sites, ...change } = readChange(context.attributes);
      const { db, now } = context.deps;
      const end = endIn(context, ends_at);
      const given = sites && (await sitesIn(context, sites, await nameOf(context, tokenId)));
      const all = { ...change, ...(end !== undefined && { ends_at: end }), ...(given && { sites: given }) };
      if (!(await changeRights(db, { id, accountId }, all, now()))) throw lastOwner();
      return one(await shown(context, await addressed(context)));
    },
  },
  {
    method: "DELETE",
    path: ONE,
    id: "deletePerson",
    audit: { verb: "removed a person", area: "people" },
    tag: "People",
    summary: "Remove a person",
    description:
      "Signed out at once; the tokens that the person made end. What was made stays, and belongs to the account. Sites, sections and causes go to successor_id, or stay under the name, with nobody there. 409 for the last owner with a password.",
    success: { kind: "nothing" },
    errors: [409],
    access: "account",
    right: "people",
    parameters: [heirParameter],
    handle: async (context) => {
      const { id } = await addressed(context);
      const { accountId } = hostOf(context);
      const { db, now } = context.deps;
      const outcome = await removePerson(db, { id, accountId, heirId: heirIn(context) }, now());
      if (outcome === "last owner") throw lastOwner();
      if (outcome === "no heir") throw noSuchHeir(context);
      return { status: 204 };
    },
  },
];

/** The end that was given: undefined when none was, null for no end. @throws RequestError 422 for one that is over */
function endIn(context: Context, text: string | null | undefined): Date | null | undefined {
  if (text === undefined || text === null) return text;
  return futureTime(context, "ends_at", text, { orNull: true });
}

/** Who does it, by name. */
async function nameOf({ deps: { db, now } }: Context, id: string): Promise<string> {
  return (await findToken(db, id, now()))?.name ?? (await findPerson(db, id))?.name ?? "";
}

/** The roles on single sites that were given. @throws RequestError 422 for a site that is not there, or is named twice */
async function sitesIn(
  context: Context,
  given: NonNullable<NewPersonAttributes["sites"]>,
  by: string,
): Promise<SiteRolesGiven> {
  const { db, now } = context.deps;
  const urls = await urlsOfSites(
    db,
    ownerOf(context),
    given.map(({ site_id }) => site_id),
  );
  const roles = given.map(({ site_id, role }, index): SiteRole => {
    const starting_url = urls.get(site_id);
    const [where, what] = [`sites/${index}/site_id`, formatValue(site_id)];
    if (starting_url === undefined)
      throw refuseAttribute(where, "unknown_site", `site_id is ${what}; the account has no such site.`);
    if (given.findIndex((one) => one.site_id === site_id) !== index)
      throw refuseAttribute(where, "inconsistent", `site_id is ${what} twice; a person has one role on a site.`);
    return { starting_url, role };
  });
  return { roles, by, now: now() };
}

/** @throws RequestError 409 where invitations are not sent */
function requireInvitations({ deps }: Context): void {
  if (deps.people?.invites) return;
  const detail =
    "The service sends no invitations: its operator must set SMTP_URL, MAIL_FROM and BASE_URL, and allow messages to leave (NOTIFICATIONS). Leave send_invitation out, and pass invitation_url on.";
  throw refuse(409, "mail_off", "Conflict", detail);
}

function refusedInvitation(why: NotInvited["refused"], mail: string): Error {
  if (why === "mails") {
    const { account, address } = MAX_INVITATION_MAILS;
    const detail = `In a day ${account} invitations are sent by mail, and ${address} to one address, so that nobody is sent many. Leave send_invitation out, and pass invitation_url on.`;
    return refuse(409, "too_many_invitations", "Conflict", detail);
  }
  if (why === "known")
    return refuse(409, "person_known", "Conflict", `The account has a person with the address ${mail}.`);
  const detail = `The account has ${MAX_PEOPLE} people, which is as many as it may have. Remove one first.`;
  return refuse(409, "too_many_people", "Conflict", detail);
}

function lastOwner(): Error {
  const detail =
    "This is the only owner with a password, who can sign in when everything else fails. Make somebody else one first.";
  return refuse(409, "last_owner", "Conflict", detail);
}

/** @throws RequestError 404 */
async function addressed(context: Context): Promise<PersonRow> {
  const id = context.params.person_id ?? "";
  const row = isUuid(id) ? await findPerson(context.deps.db, id, ownerOf(context)) : undefined;
  if (row) return row;
  throw notFound("person");
}

async function shown(context: Context, row: PersonRow): Promise<Resource<"person">> {
  return personDocument(context, row, await aboutOf(context, row));
}

/** What else there is of a person. */
type About = {
  tokens: number;
  held: number;
  sites: readonly SiteRoleRow[];
  mailed: InvitationMail | undefined;
};

async function aboutOf(context: Context, { id }: PersonRow): Promise<About> {
  const { db } = context.deps;
  const mailed = (await invitationMailsOf(db, [id])).get(id);
  const held = (await countHeld(db, [id])).get(id) ?? 0;
  const sites = (await listSiteRoles(db, ownerOf(context), [id])).get(id) ?? [];
  const tokens = (await countTokensOf(db, [id])).get(id) ?? 0;
  return { tokens, held, sites, mailed };
}

function personDocument(
  context: Context,
  row: PersonRow,
  { tokens, held, sites, mailed }: About,
  url?: string,
): Resource<"person"> {
  return {
    id: row.id,
    type: "person",
    attributes: {
      mail: row.mail,
      name: row.name,
      role: row.role,
      group_role: row.group_role,
      groups: row.groups,
      sites: sites.map(({ starting_url, name, role, given_by, given_at }) => ({
        ...{ site_id: siteIdOf(starting_url), starting_url, name, role, given_by, given_at: timestamp(given_at) },
      })),
      ends_at: timestamp(row.ends_at),
      has_password: row.password_hash !== null,
      has_second_factor: row.totp_secret !== null,
      has_provider: row.oidc_subject !== null,
      awaits_provider: row.awaits_provider,
      invited_by: row.invited_by,
      invitation_ends_at: timestamp(row.invitation_ends_at),
      ...(url !== undefined && { invitation_url: url }),
      send_invitation: mailed !== undefined,
      invitation_mail: mailed
        ? { state: mailed.state, answer: mailed.answer, asked_at: timestamp(mailed.asked_at) }
        : null,
      num_tokens: tokens,
      num_assignments: held,
      last_seen_at: timestamp(row.last_used_at),
      inserted_at: timestamp(row.inserted_at),
    },
    relationships: related({ sessions: `${context.base}/sessions?filter%5Bperson_id%5D=${row.id}` }),
  };
}

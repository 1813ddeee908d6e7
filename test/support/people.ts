import { randomUUID } from "node:crypto";
import { insertPerson } from "../../src/database/accounts/people.ts";
import { createToken, type NewBounds } from "../../src/database/accounts/tokens.ts";
import { hashPassword } from "../../src/domain/accounts/password.ts";
import type { Role, SiteRole } from "../../src/domain/accounts/roles.ts";
import type { TestDatabase } from "./database.ts";
import { sendForm } from "./web-pages.ts";
import { type WebClient, webClient } from "./web-service.ts";

export const PASSWORD = "correct horse battery";
let hashed: Promise<string> | undefined;

/** A person with a password, and a token that this person made. */
export async function personWithToken(
  { db }: Pick<TestDatabase, "db">,
  accountId: string,
  role: Role | null,
  {
    mail = `person-${randomUUID()}@example.org`,
    scope = "write",
    sites = [],
    bounds = null,
  }: { mail?: string; scope?: "read" | "write"; sites?: readonly SiteRole[]; bounds?: NewBounds | null } = {},
): Promise<{ id: string; mail: string; token: string }> {
  hashed ??= hashPassword(PASSWORD);
  const id = await insertPerson(db, {
    accountId,
    name: mail.split("@")[0] ?? "",
    mail,
    role,
    passwordHash: await hashed,
    sites: { roles: sites, by: "Web team", now: new Date() },
  });
  const { token } = await createToken(db, { accountId, name: `of ${mail}`, scope, bounds, madeBy: id });
  return { id, mail, token };
}

/** A browser in which a person is signed in by the password. */
export async function signedInAs(url: string, mail: string, password = PASSWORD): Promise<WebClient> {
  const client = webClient(url);
  const { html } = await client.get("/sign-in");
  const reply = await sendForm(client, html, "/sign-in", { mail, password });
  if (reply.status !== 303) throw new Error(`${mail} is not signed in: ${reply.status}\n${reply.html}`);
  await client.get("/");
  return client;
}

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Command, CommanderError, Option } from "commander";
import type { Kysely } from "kysely";
import { validate as isUuid } from "uuid";
import { accountExists, createAccount, listAccounts, setMonthlyCredits } from "../database/accounts/accounts.ts";
import { createToken, deleteToken, findToken, listTokens } from "../database/accounts/tokens.ts";
import { insertEntry } from "../database/audit/entries.ts";
import { deletePageViews, findPageViews } from "../database/reports/page-views.ts";
import { type SiteKey, siteIdOf } from "../database/reports/site-key.ts";
import { findSite } from "../database/reports/sites.ts";
import type { Database } from "../database/tables.ts";
import { isMail, mailOf } from "../domain/accounts/mail.ts";
import { hashPassword } from "../domain/accounts/password.ts";
import { FIRST_TOKEN_NAME } from "../domain/accounts/principal.ts";
import { SETUP_CODE_MS } from "../domain/accounts/sign-in-limits.ts";
import { type Change, differences, hidden } from "../domain/audit/changes.ts";
import { type Area, adminEntry, type Target } from "../domain/audit/entry.ts";
import { UsageError } from "../domain/errors.ts";
import { decodeText } from "../domain/page-views/decode.ts";
import { UnreadableViews } from "../domain/page-views/read-file.ts";
import { importPageViews } from "../transactions/import-page-views.ts";
import { addOwner } from "../transactions/people.ts";
import { rotateSecretKey } from "../transactions/rotate-secret-key.ts";
import { issueSetupCode } from "../transactions/setup-code.ts";
import { commandName } from "./command-name.ts";
import { visibleJson } from "./visible-json.ts";

const examples = `
It uses the database of DATABASE_URL. Without that it uses the embedded database in DATA_DIR:
stop the service first.

Examples:
  ${commandName("admin", { silent: true })} accounts create "Web team" --monthly-credits 5000
  ${commandName("admin", { silent: true })} accounts credits 0b8e…-…-…-… none
  ${commandName("admin", { silent: true })} tokens create 0b8e…-…-…-… --name CI --scope write
  ${commandName("admin", { silent: true })} tokens revoke 6f2c…-…-…-…
  ${commandName("admin", { silent: true })} owner ada@example.org --name "Ada"
  SECRET_KEY=… FURTHER_SECRET_KEY=… ${commandName("admin", { silent: true })} secret-key rotate
  ${commandName("admin", { silent: true })} page-views import 0b8e…-…-…-… https://example.com/ pages.csv

The output is one JSON document on stdout. Exit codes: 0 done, 1 failed, 2 wrong use.`;

const MAX_LISTED = 10_000;

/** SECRET_KEY and FURTHER_SECRET_KEY. */
type SecretKeys = { key: string | undefined; oldKey: string | undefined };

/** Runs `work` with a database, and closes the database afterwards. */
type WithDatabase = <Result>(work: (db: Kysely<Database>) => Promise<Result>) => Promise<Result>;

/**
 * Runs one command.
 *
 * @returns what to print: a JSON document, or the help text
 * @throws UsageError for wrong arguments, and for accounts and tokens that do not exist
 */
export async function administer(
  args: readonly string[],
  onDatabase: WithDatabase,
  readKeys: () => Promise<SecretKeys> = async () => ({ key: undefined, oldKey: undefined }),
): Promise<string> {
  let output = "";
  const print = (text: string): void => {
    output += text;
  };
  const printDocument = (document: unknown): void => print(`${visibleJson(document, 2)}\n`);
  const command = new Command(commandName("admin")).description(
    "Manages accounts, their tokens and owners, page views of their sites, and the key that encrypts secrets.",
  );
  const accounts = command.command("accounts").description("accounts and their credits");
  accounts
    .command("list")
    .description("all accounts, with what they used this month")
    .action(async () => printDocument(await onDatabase((db) => listAccounts(db, new Date()))));
  accounts
    .command("create")
    .description("creates an account and its first token, which is shown only once")
    .argument("<name>", "a name for the account", name)
    // In an object: commander makes an empty text of a value that is null.
    .option("--monthly-credits <n>", 'credits a month, or "none" for no limit', (text) => ({ limit: credits(text) }))
    .action(
      async (given: string, { monthlyCredits = { limit: null } }: { monthlyCredits?: { limit: number | null } }) => {
        const { limit } = monthlyCredits;
        printDocument(
          await onDatabase((db) =>
            db.transaction().execute(async (trx) => {
              const id = await createAccount(trx, given, limit);
              const { token } = await createToken(trx, { accountId: id, name: "admin", scope: "write" });
              await note(trx, id, "created the account", "people", differences("monthly_credits", null, limit));
              return { id, name: given, monthly_credits: limit, token };
            }),
          ),
        );
      },
    );
  accounts
    .command("credits")
    .description("sets an account's credits a month")
    .argument("<account>", "its id", uuid)
    .argument("<credits>", 'a number, or "none" for no limit', credits)
    .action(async (id: string, monthlyCredits: number | null) => {
      const changes = [
        { field: "monthly_credits", before: null, after: String(monthlyCredits ?? "none"), hidden: false },
      ];
      const set = (trx: Kysely<Database>) => setMonthlyCredits(trx, id, monthlyCredits);
      const done = await onDatabase((db) =>
        db.transaction().execute(async (trx) => {
          const isKnown = await set(trx);
          if (isKnown) await note(trx, id, "set the credits a month", "people", changes);
          return isKnown;
        }),
      );
      if (!done) throw noAccount(id);
      printDocument({ id, monthly_credits: monthlyCredits });
    });
  const tokens = command.command("tokens").description("tokens of an account");
  tokens
    .command("list")
    .description("an account's tokens, its guests' included; never the secrets")
    .argument("<account>", "its id", uuid)
    .action(async (accountId: string) => {
      const scope = { accountId, guestToken: null };
      const page = { limit: MAX_LISTED, offset: 0 };
      printDocument((await onDatabase(onAccount(accountId, (db) => listTokens(db, scope, page, new Date())))).rows);
    });
  tokens
    .command("create")
    .description("creates a token, which is shown only once")
    .argument("<account>", "its id", uuid)
    .requiredOption("--name <name>", "what it is for", name)
    .addOption(new Option("--scope <scope>", "what it may do").choices(["read", "write"]).default("read"))
    .action(async (accountId: string, options: { name: string; scope: "read" | "write" }) => {
      if (options.name === FIRST_TOKEN_NAME)
        throw new UsageError(`--name is "${FIRST_TOKEN_NAME}", which the service itself uses.`);
      const make = onAccount(accountId, async (trx) => {
        const made = await createToken(trx, { accountId, ...options });
        const target = {
          type: "api_token",
          id: made.id,
          name: options.name,
          path: `/api_tokens/${made.id}`,
          siteUrl: null,
        };
        await note(trx, accountId, "made a token", "tokens", differences("scope", null, options.scope), target);
        return made;
      });
      printDocument(await onDatabase((db) => db.transaction().execute(make)));
    });
  tokens
    .command("revoke")
    .description("revokes a token immediately")
    .argument("<token>", "its id, as listed", uuid)
    .action(async (id: string) => {
      const revoke = async (trx: Kysely<Database>) => {
        const row = await findToken(trx, id, new Date());
        if (!row || !(await deleteToken(trx, id))) throw new UsageError(`There is no token ${id}.`);
        const target = { type: "api_token", id, name: row.name, path: null, siteUrl: null };
        await note(trx, row.account_id, "revoked a token", "tokens", [], target);
      };
      await onDatabase((db) => db.transaction().execute(revoke));
      printDocument({ id, revoked: true });
    });
  command
    .command("setup-code")
    .description("makes a code that creates the first owner on the page /setup, once, within an hour")
    .action(async () => {
      const now = new Date();
      const code = await onDatabase((db) => issueSetupCode(db, now));
      if (code === undefined)
        throw new UsageError(`There is an owner already. To make another one, run ${commandName("admin")} owner.`);
      printDocument({ setup_code: code, expires_at: new Date(now.getTime() + SETUP_CODE_MS).toISOString() });
    });
  command
    .command("owner")
    .description(
      "makes an owner who signs in with a password, which is shown only once; also if nobody can sign in any more",
    )
    .argument("<mail>", "the mail address; of a person that there is: makes it an owner, without a second factor", mail)
    .option("--name <name>", "as others see it", name)
    .action(async (address: string, options: { name?: string }) => {
      const password = randomBytes(15).toString("base64url");
      const passwordHash = await hashPassword(password);
      const owner = { mail: address, name: options.name ?? address.split("@")[0] ?? address, passwordHash };
      const add = async (trx: Kysely<Database>) => {
        const made = await addOwner(trx, owner);
        const target = { type: "person", id: made.id, name: owner.name, path: `/people/${made.id}`, siteUrl: null };
        const changes = [...differences("role", made.before, "owner"), hidden("password"), hidden("second_factor")];
        await note(trx, made.accountId, "made an owner", "people", changes, target);
        return made.id;
      };
      const id = await onDatabase((db) => db.transaction().execute(add));
      printDocument({ id, mail: address, role: "owner", password });
    });
  const secretKey = command.command("secret-key").description("the key that encrypts stored secrets");
  secretKey
    .command("rotate")
    .description(
      "writes all that is encrypted with FURTHER_SECRET_KEY, the old key, anew with SECRET_KEY; may be interrupted and run again",
    )
    .option("--end-addresses", "addresses that the old key has signed end: badges, and links in mails that end these")
    .option("--back", "SECRET_KEY is a key that was used before FURTHER_SECRET_KEY")
    .action(async ({ endAddresses = false, back = false }: { endAddresses?: boolean; back?: boolean }) => {
      const keys = await readKeys();
      const [key, oldKey] = [keyOf("SECRET_KEY", "new", keys.key), keyOf("FURTHER_SECRET_KEY", "old", keys.oldKey)];
      const options = { key, oldKey, keepsAddresses: !endAddresses, goesBack: back, now: () => new Date() };
      const { rewritten, unreadable } = await onDatabase((db) => rotateSecretKey(db, options));
      const done = "The old key is no longer needed: remove FURTHER_SECRET_KEY. Backups of before still need it.";
      printDocument({ rewritten, unreadable, old_key_needed: false, done });
    });
  const views = command.command("page-views").description("how often pages of a site are viewed");
  views
    .command("import")
    .description("reads page views of a site from a file, in place of those that it has")
    .argument("<account>", "its id", uuid)
    .argument("<site>", "the starting URL of its reports")
    .argument("<file>", "CSV with path and views, or what Matomo or Plausible export of pages")
    .action(async (accountId: string, url: string, path: string) => {
      const text = decodeText(await readGiven(path));
      const read = onAccount(
        accountId,
        onSite(accountId, url, async (db, site, reportId) => {
          const imported = await importFile(db, site, reportId, text);
          await note(db, accountId, "imported page views", "sites", [], siteTarget(url));
          return imported;
        }),
      );
      printDocument(await onDatabase(read));
    });
  views
    .command("forget")
    .description("deletes the page views of a site")
    .argument("<account>", "its id", uuid)
    .argument("<site>", "the starting URL of its reports")
    .action(async (accountId: string, url: string) => {
      // Also of a site whose reports are all deleted.
      const site = { accountId, guestToken: null, startingUrl: url };
      const forget = onAccount(accountId, async (db) => {
        const isGone = await deletePageViews(db, site);
        if (isGone) await note(db, accountId, "deleted the page views", "sites", [], siteTarget(url));
        return isGone;
      });
      if (!(await onDatabase(forget))) throw new UsageError(`The site ${url} has no page views.`);
      printDocument({ site: url, forgotten: true });
    });
  const all = [...command.commands, ...command.commands.flatMap((group) => group.commands)];
  for (const each of [command, ...all])
    each
      .exitOverride()
      .helpOption("--help", "show this text")
      .configureOutput({ writeOut: print, writeErr: () => {} });
  command.addHelpText("after", examples);
  try {
    await command.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return output;
    const reason = error.message.replace(/^error: /, "").replace(/^\(.*\)$/, "The command is missing.");
    throw new UsageError(`${reason}\nSee ${commandName("admin")} --help.`);
  }
  return output;
}

/** Notes in the account's audit log what was done, in the transaction in which it is. */
async function note(
  trx: Kysely<Database>,
  accountId: string,
  verb: string,
  area: Area,
  changes: readonly Change[] = [],
  target: Target | null = null,
): Promise<void> {
  const did = { operation: "admin", verb, area };
  await insertEntry(trx, adminEntry(did, { accountId, at: new Date(), target, changes }));
}

const siteTarget = (url: string): Target => ({ type: "site", id: siteIdOf(url), name: url, path: null, siteUrl: url });

function onAccount<Result>(id: string, work: (db: Kysely<Database>) => Promise<Result>) {
  return async (db: Kysely<Database>): Promise<Result> => {
    if (!(await accountExists(db, id))) throw noAccount(id);
    return work(db);
  };
}

/** @throws UsageError for a key that is not given */
function keyOf(variable: string, which: string, key: string | undefined): string {
  if (key !== undefined) return key;
  throw new UsageError(`${variable} is not set. Set it to the ${which} key; nothing was changed.`);
}

/** Does something with the site that starts at a URL, and its newest report. @throws UsageError for a site without reports */
function onSite<Result>(
  accountId: string,
  url: string,
  work: (db: Kysely<Database>, site: SiteKey, reportId: string) => Promise<Result>,
) {
  return async (db: Kysely<Database>): Promise<Result> => {
    const site = await findSite(db, { accountId, guestToken: null, sites: null }, siteIdOf(url));
    if (!site) throw new UsageError(`The account has no report that starts at ${url}.`);
    return work(db, { accountId, guestToken: null, startingUrl: url }, site.report_id);
  };
}

/** @throws UsageError for a file that is not understood */
async function importFile(db: Kysely<Database>, site: SiteKey, reportId: string, text: string) {
  try {
    await importPageViews(db, site, { newest: reportId, text, now: new Date() });
  } catch (error) {
    throw error instanceof UnreadableViews ? new UsageError(error.message) : error;
  }
  return { site: site.startingUrl, ...(await findPageViews(db, site, reportId)) };
}

/** @throws UsageError for a file that cannot be read */
async function readGiven(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function noAccount(id: string): UsageError {
  return new UsageError(`There is no account ${id}. To list all accounts, run ${commandName("admin")} accounts list.`);
}

function uuid(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  throw new UsageError(`${JSON.stringify(text)} is not an id; it must be a UUID.`);
}

function name(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length >= 1 && trimmed.length <= 100) return trimmed;
  throw new UsageError(`The name has ${trimmed.length} characters; it must have 1 to 100 characters.`);
}

function mail(text: string): string {
  const address = mailOf(text);
  if (isMail(address)) return address;
  throw new UsageError(`${JSON.stringify(text)} is no mail address, such as ada@example.org.`);
}

function credits(text: string): number | null {
  if (text === "none") return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(
    `The credits are ${JSON.stringify(text)}; they must be a whole number up to 999999999, or none.`,
  );
}

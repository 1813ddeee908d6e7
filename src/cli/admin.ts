import { readFile } from "node:fs/promises";
import { Command, CommanderError, Option } from "commander";
import type { Kysely } from "kysely";
import { validate as isUuid } from "uuid";
import { accountExists, createAccount, listAccounts, setMonthlyCredits } from "../database/accounts/accounts.ts";
import { createToken, deleteToken, listTokens } from "../database/accounts/tokens.ts";
import { deletePageViews, findPageViews } from "../database/reports/page-views.ts";
import { type SiteKey, siteIdOf } from "../database/reports/site-key.ts";
import { findSite } from "../database/reports/sites.ts";
import type { Database } from "../database/tables.ts";
import { FIRST_TOKEN_NAME } from "../domain/accounts/principal.ts";
import { UsageError } from "../domain/errors.ts";
import { decodeText } from "../domain/page-views/decode.ts";
import { UnreadableViews } from "../domain/page-views/read-file.ts";
import { importPageViews } from "../transactions/import-page-views.ts";
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
  ${commandName("admin", { silent: true })} page-views import 0b8e…-…-…-… https://example.com/ pages.csv

The output is one JSON document on stdout. Exit codes: 0 done, 1 failed, 2 wrong use.`;

const MAX_LISTED = 10_000;

/** Runs `work` with a database, and closes the database afterwards. */
type WithDatabase = <Result>(work: (db: Kysely<Database>) => Promise<Result>) => Promise<Result>;

/**
 * Runs one command.
 *
 * @returns what to print: a JSON document, or the help text
 * @throws UsageError for wrong arguments, and for accounts and tokens that do not exist
 */
export async function administer(args: readonly string[], onDatabase: WithDatabase): Promise<string> {
  let output = "";
  const print = (text: string): void => {
    output += text;
  };
  const printDocument = (document: unknown): void => print(`${visibleJson(document, 2)}\n`);
  const command = new Command(commandName("admin")).description(
    "Manages accounts, their tokens, and page views of their sites.",
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
      if (!(await onDatabase((db) => setMonthlyCredits(db, id, monthlyCredits)))) throw noAccount(id);
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
      printDocument((await onDatabase(onAccount(accountId, (db) => listTokens(db, scope, page)))).rows);
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
      printDocument(await onDatabase(onAccount(accountId, (db) => createToken(db, { accountId, ...options }))));
    });
  tokens
    .command("revoke")
    .description("revokes a token immediately")
    .argument("<token>", "its id, as listed", uuid)
    .action(async (id: string) => {
      if (!(await onDatabase((db) => deleteToken(db, id)))) throw new UsageError(`There is no token ${id}.`);
      printDocument({ id, revoked: true });
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
        onSite(accountId, url, (db, site, reportId) => importFile(db, site, reportId, text)),
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
      const forget = onAccount(accountId, (db) => deletePageViews(db, site));
      if (!(await onDatabase(forget))) throw new UsageError(`The site ${url} has no page views.`);
      printDocument({ site: url, forgotten: true });
    });
  const groups = [accounts, tokens, views];
  for (const each of [command, ...groups, ...groups.flatMap((group) => group.commands)])
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

function onAccount<Result>(id: string, work: (db: Kysely<Database>) => Promise<Result>) {
  return async (db: Kysely<Database>): Promise<Result> => {
    if (!(await accountExists(db, id))) throw noAccount(id);
    return work(db);
  };
}

/** Does something with the site that starts at a URL, and its newest report. @throws UsageError for a site without reports */
function onSite<Result>(
  accountId: string,
  url: string,
  work: (db: Kysely<Database>, site: SiteKey, reportId: string) => Promise<Result>,
) {
  return async (db: Kysely<Database>): Promise<Result> => {
    const site = await findSite(db, { accountId, guestToken: null }, siteIdOf(url));
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

function credits(text: string): number | null {
  if (text === "none") return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(
    `The credits are ${JSON.stringify(text)}; they must be a whole number up to 999999999, or none.`,
  );
}

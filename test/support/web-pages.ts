import { type CheerioAPI, load } from "cheerio";
import type { ApiDeps } from "../../src/api/context.ts";
import { createEncryptor } from "../../src/domain/accounts/encryption.ts";
import { createWeb } from "../../src/web/app.ts";
import { accountWithToken, startTestApi, type TestApi } from "./api.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "./database.ts";
import { signedIn, type WebClient, type WebReply } from "./web-service.ts";

/** The API with its pages on a free port, over a test's database and the local cluster. */
export function startTestPages(database: TestDatabase, overrides: Partial<ApiDeps> = {}): Promise<TestApi> {
  return startTestApi(database, {
    pages: createWeb,
    hasSignIn: true,
    encryptor: createEncryptor("test"),
    ...overrides,
  });
}

/** The pages, and somebody who is signed in with a token of an account that has nothing. */
export type PagesScene = {
  database: TestDatabase;
  service: TestApi;
  accountId: string;
  token: string;
  client: WebClient;
};

/**
 * Starts the pages for the tests of a `describe`, and empties their database before each of them.
 *
 * @param use is given what a test works with, before it runs
 */
export function signedInToPages(use: (scene: PagesScene) => void): void {
  let database: TestDatabase;
  let service: TestApi;

  before(async () => {
    database = await createTestDatabase();
    service = await startTestPages(database);
  });
  after(async () => {
    await service?.close();
    await database?.drop();
  });
  beforeEach(async () => {
    await emptyDatabase(database.db);
    const { accountId, token } = await accountWithToken(database);
    use({ database, service, accountId, token, client: await signedIn({ url: service.url, token }) });
  });
}

/** A page, to look for what it says. */
export type Page = CheerioAPI & { status: number; location: string | null; headers: Headers };

export function pageOf({ html, status, location, headers }: WebReply): Page {
  return Object.assign(load(html), { status, location, headers });
}

/** Opens a page. */
export async function open(client: WebClient, path: string): Promise<Page> {
  return pageOf(await client.get(path));
}

/**
 * Fills in a form of a page and presses its button, as a browser without script does: fields that are not filled in
 * are sent as they are, without boxes that are not checked.
 *
 * @param filled the fields by their names; undefined unchecks a box
 */
export function sendForm(
  client: WebClient,
  html: string,
  action: string,
  filled: Record<string, string | undefined> = {},
): Promise<WebReply> {
  const page = load(html);
  const forms = page(`form[method="post"][action="${action}"]`);
  // Of several with one address, that which has the fields.
  const has = (name: string) => forms.filter((_, form) => page(form).find(`[name="${name}"]`).length > 0);
  const form = Object.keys(filled)
    .reduce((found, name) => (has(name).length > 0 ? has(name) : found), forms)
    .first();
  if (form.length === 0) throw new Error(`No form for ${action} in:\n${html}`);
  // Boxes with one name are sent one after the other.
  const unchanged = form
    .serializeArray()
    .flatMap(({ name, value }) => (name in filled ? [] : [[name, value] as const]));
  const changed = Object.entries(filled).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return client.post(action, [...unchanged, ...changed]);
}

/** The same on a page that was opened, with what comes of it. */
export async function press(
  client: WebClient,
  page: Page,
  action: string,
  filled: Record<string, string | undefined> = {},
): Promise<Page> {
  return pageOf(await sendForm(client, page.html(), action, filled));
}

/** The text of what a selector finds, with single spaces. */
export function textOf(page: Page, selector = "main"): string {
  return page(selector).text().replace(/\s+/g, " ").trim();
}

/** What is said to be wrong with a field, where assistive technology finds it. */
export function errorOf(page: Page, name: string): string {
  const field = page(`[name="${name}"]`);
  const ids = (field.attr("aria-describedby") ?? "").split(" ");
  return ids.map((id) => page(`[id="${id}"].error`).text()).join("");
}

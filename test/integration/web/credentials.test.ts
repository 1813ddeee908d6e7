import { expect } from "chai";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { accountWithToken, type Document, guestWithToken, type TestApi } from "../../support/api.ts";
import type { TestDatabase } from "../../support/database.ts";
import { errorOf, open, press, signedInToPages, startTestPages, textOf } from "../../support/web-pages.ts";
import { signedIn, type WebClient } from "../../support/web-service.ts";

const stored = { host: "example.com", username: "ada", password: "Secret word" };

describe("Credentials' pages", () => {
  let database: TestDatabase;
  let service: TestApi;
  let accountId: string;
  let token: string;
  let client: WebClient;
  signedInToPages((scene) => {
    ({ database, service, accountId, token, client } = scene);
  });

  const credentials = async (): Promise<Document["data"]> => (await service.as(token)("GET", "/basic_auths")).json.data;
  const create = async (filled: Record<string, string> = {}) => {
    const page = await press(client, await open(client, "/credentials"), "/credentials", { ...stored, ...filled });
    return { page, path: `/credentials/${(await credentials()).at(-1)?.id}` };
  };

  it("say what credentials are for when none are stored", async () => {
    expect(textOf(await open(client, "/credentials"))).to.include("No credentials are stored");
  });

  it("store credentials, list them, and offer them in the forms of reports and schedules", async () => {
    const { page, path } = await create();
    expect(page.location).to.equal("/credentials?done=created");
    const list = await open(client, "/credentials");
    expect(list(`tbody a[href="${path}"]`).text()).to.equal("example.com");
    for (const form of ["/reports/new", "/schedules/new"])
      expect(textOf(await open(client, form), '[name="basic_auth_id"] option:last-child')).to.equal(
        "ada at example.com",
      );
  });

  it("store once what is sent twice", async () => {
    const form = await open(client, "/credentials");
    await Promise.all([1, 2].map(() => press(client, form, "/credentials", stored)));
    expect(await credentials()).to.have.length(1);
  });

  it("show no password, not even one that was typed just now", async () => {
    const { page } = await create({ host: "not a host" });
    expect(page.status).to.equal(422);
    expect(errorOf(page, "host")).to.include("host");
    expect(page('[name="username"]').val()).to.equal("ada");
    expect(page.html()).to.not.include("Secret word");
    const { path } = await create();
    expect((await open(client, path)).html()).to.not.include("Secret word");
  });

  it("take a recording of a sign-in, show its steps without what was typed, and keep it when the field is empty", async () => {
    const recording = {
      title: "Sign in",
      steps: [
        { type: "navigate", url: "https://shop.example/login" },
        { type: "change", selectors: [["#password"]], value: "Secret word" },
        { type: "click", selectors: [["aria/Sign in"], ["button"]] },
      ],
    };
    const form = await open(client, "/credentials");
    const wrong = await press(client, form, "/credentials", {
      ...{ host: "shop.example", username: "", password: "" },
      sign_in: JSON.stringify({ steps: [...recording.steps, { type: "customStep" }] }),
    });
    expect(wrong.status).to.equal(422);
    expect(errorOf(wrong, "sign_in")).to.include("step 4: customStep runs code");
    expect(wrong.html()).not.to.include("Secret word");
    const made = await press(client, form, "/credentials", {
      ...{ host: "shop.example", username: "", password: "", sign_in: JSON.stringify(recording) },
    });
    expect(made.location).to.equal("/credentials?done=created");
    const path = `/credentials/${(await credentials())[0]?.id}`;
    const page = await open(client, path);
    expect(
      page("main ol li")
        .toArray()
        .map((item) => page(item).text()),
    ).to.deep.equal(["open https://shop.example/login", "fill in #password", "click aria/Sign in"]);
    expect(page.html()).not.to.include("Secret word");
    const tried = await press(client, page, `${path}/try`);
    expect(tried.location).to.match(/^\/reports\/[0-9a-f-]{36}$/);
    const { data: trial } = (await service.as(token)("GET", tried.location ?? "")).json;
    expect(trial.attributes).to.include({
      starting_url: "https://shop.example/",
      max_pages: 1,
      store_screenshot: true,
    });
    expect(`/credentials/${trial.attributes.basic_auth_id}`).to.equal(path);
    expect((await press(client, page, path, { username: "" })).location).to.equal("/credentials?done=saved");
    expect((await credentials())[0]?.attributes.sign_in)
      .to.have.property("steps")
      .that.has.length(3);
  });

  it("change credentials, and leave the password as it is when the field is empty", async () => {
    const { path } = await create();
    const form = await open(client, path);
    expect((await press(client, form, path, { username: "grace" })).location).to.equal("/credentials?done=saved");
    expect((await credentials())[0]?.attributes).to.include({ host: "example.com", username: "grace" });
  });

  it("name credentials that are only headers by their host, and ask for no user name", async () => {
    const attributes = { host: "example.net", headers: [{ name: "X-Preview", value: "secret" }] };
    await service.as(token)("POST", "/basic_auths", { attributes });
    const path = `/credentials/${(await credentials())[0]?.id}`;
    expect(textOf(await open(client, "/credentials"), "tbody tr")).to.match(/example\.net.*–/s);
    expect(textOf(await open(client, "/reports/new"), '[name="basic_auth_id"] option:last-child')).to.equal(
      "example.net",
    );
    const form = await open(client, path);
    expect(form('[name="username"]').attr("required")).to.equal(undefined);
    expect((await press(client, form, path)).location).to.equal("/credentials?done=saved");
  });

  it("ask for the password for another host", async () => {
    const { path } = await create();
    const page = await press(client, await open(client, path), path, { host: "example.org" });
    expect(errorOf(page, "host")).to.include("send the password for the new host");
    expect(page('[name="host"]').val()).to.equal("example.org");
    await press(client, page, path, { password: "Another" });
    expect((await credentials())[0]?.attributes.host).to.equal("example.org");
  });

  it("ask once more before credentials in use are deleted", async () => {
    const { path } = await create();
    const attributes = { starting_url: "https://example.com/", basic_auth_id: path.split("/").at(-1) };
    await service.as(token)("POST", "/schedules", { attributes: { ...attributes, periodicity: { every: "day" } } });
    const refused = await press(client, await open(client, path), `${path}/delete`);
    expect(refused.status).to.equal(409);
    expect(textOf(refused, ".problems")).to.include("uses these credentials");
    expect(await credentials()).to.have.length(1);
    expect((await press(client, refused, `${path}/delete`)).location).to.equal("/credentials?done=deleted");
    expect(await credentials()).to.deep.equal([]);
  });

  it("delete credentials that nothing uses", async () => {
    const { path } = await create();
    await press(client, await open(client, path), `${path}/delete`);
    expect(await credentials()).to.deep.equal([]);
  });

  it("say why nothing can be stored where the service has no key", async () => {
    const keyless = await startTestPages(database, { encryptor: undefined as never });
    try {
      const visitor = await signedIn({ url: keyless.url, token });
      const page = await press(visitor, await open(visitor, "/credentials"), "/credentials", stored);
      expect(page.status).to.equal(409);
      expect(textOf(page, ".problems")).to.include("SECRET_KEY");
      expect(page('[name="host"]').val()).to.equal("example.com");
    } finally {
      await keyless.close();
    }
  });

  it("are not there for another account, nor are a host's for its guest", async () => {
    const { path } = await create();
    const guest = await guestWithToken(database, accountId);
    for (const secret of [(await accountWithToken(database)).token, guest.token]) {
      const other = await signedIn({ url: service.url, token: secret });
      expect((await open(other, path)).status).to.equal(404);
      expect((await other.post(path, { username: "eve" })).status).to.equal(404);
      expect((await other.post(`${path}/delete`, { force: "true" })).status).to.equal(404);
      expect(textOf(await open(other, "/schedules/new"), '[name="basic_auth_id"]')).to.equal("None");
    }
    expect((await credentials())[0]?.attributes.username).to.equal("ada");
  });

  it("change nothing for a token that only reads, and say so", async () => {
    const { path } = await create();
    const { token: readToken } = await createToken(database.db, { accountId, name: "r", scope: "read" });
    const reader = await signedIn({ url: service.url, token: readToken });
    for (const address of ["/credentials", path]) {
      const page = await open(reader, address);
      expect(textOf(page), address).to.include("can only read");
      expect(page('main form[method="post"]').length, address).to.equal(0);
    }
    for (const form of ["/credentials", path, `${path}/delete`])
      expect((await reader.post(form, stored)).status, form).to.equal(403);
  });

  it("refuse forms of other sites", async () => {
    const { path } = await create();
    for (const form of ["/credentials", path, `${path}/delete`])
      expect((await client.post(form, { ...stored, csrf: "x" })).status, form).to.equal(403);
    expect(await credentials()).to.have.length(1);
  });
});

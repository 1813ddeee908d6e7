import { expect } from "chai";
import { decryptBasicAuth } from "../../../src/database/accounts/basic-auths.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const encryptor = createEncryptor("a secret of this test");
const CANARY = "c4n4ry-1n-4-st3p";
const steps = [
  { type: "navigate", url: `https://shop.example.com/login?key=${CANARY}` },
  { type: "change", selectors: [["#password"]], value: CANARY },
  { type: "click", selectors: [["aria/Sign in"]], offsetX: 3 },
];
const recording = { title: "Sign in", steps, signed_in_when: { text: "Welcome" }, totp: "GEZDGNBV" };
const shown = { steps: ["open https://shop.example.com/login", "fill in #password", "click aria/Sign in"] };

describe("stored credentials with a sign-in", () => {
  let database: TestDatabase;
  let api: TestApi;
  let accountId: string;
  let call: Call;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { encryptor });
    const owner = await accountWithToken(database);
    accountId = owner.accountId;
    call = api.as(owner.token);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const store = async (attributes: object) => {
    const made = await call("POST", "/basic_auths", { attributes: { host: "shop.example.com", ...attributes } });
    expect(made.status, made.text).to.equal(201);
    return made.json.data;
  };
  const opened = async (id: string) =>
    decryptBasicAuth(database.db, encryptor, await insertReport(database.db, { accountId, spec: { basicAuthId: id } }));
  const refusal = async (method: string, path: string, attributes: object) => {
    const { status, json, text } = await call(method, path, { attributes });
    expect(text, "an error repeats a secret").not.to.include("c4n4ry");
    expect(status, text).to.equal(422);
    return json.errors.map(({ detail, source }) => `${source?.pointer?.slice(17)} ${detail}`);
  };

  it("are a recording as it is, and say what its steps do, without what they type", async () => {
    const { id, attributes } = await store({ sign_in: recording });
    expect(attributes).to.deep.include({ username: null, headers: [], sign_in: shown });
    for (const path of [`/basic_auths/${id}`, "/basic_auths"])
      expect((await call("GET", path)).text)
        .to.include("fill in #password")
        .and.not.include("c4n4ry");
    expect(JSON.stringify(api.logged)).not.to.include("c4n4ry");
    const row = await database.db.selectFrom("basic_auths").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    expect(row.sign_in_encrypted?.toString("latin1")).not.to.include("c4n4ry");
    const credentials = await opened(id);
    expect(credentials?.signIn).to.deep.include({ signedInWhen: { text: "Welcome" }, totp: "GEZDGNBV" });
    expect(credentials?.signIn?.steps[1]).to.deep.equal(steps[1]);
  });

  it("have values by the names of variables, which are stored like what is typed", async () => {
    const named = [{ ...steps[1], value: "$SHOP_PASSWORD" }];
    const { id, attributes } = await store({
      sign_in: { steps: named, totp: "$SEED", variables: { SHOP_PASSWORD: CANARY, SEED: "GEZDGNBV" } },
    });
    expect(attributes.sign_in).to.deep.equal({ steps: ["fill in #password"] });
    expect((await call("GET", `/basic_auths/${id}`)).text).not.to.include("c4n4ry");
    expect((await opened(id))?.signIn).to.deep.equal({ steps: [steps[1]], totp: "GEZDGNBV" });
    const host = "shop.example.com";
    expect(await refusal("POST", "/basic_auths", { host, sign_in: { steps: named } })).to.deep.equal([
      "sign_in sign_in: step 1: its value is a variable that has no value; give it in variables.",
    ]);
    const lower = { steps: named, variables: { shop_password: CANARY } };
    expect((await refusal("POST", "/basic_auths", { host, sign_in: lower }))[0]).to.match(
      /^sign_in .*variables must have at most 20 texts by name/,
    );
  });

  it("may have a user and headers, too, and lose the sign-in again", async () => {
    const { id } = await store({ username: "ada", password: "x", sign_in: { steps } });
    expect(await opened(id)).to.deep.include({ username: "ada" });
    const changed = await call("PATCH", `/basic_auths/${id}`, { attributes: { sign_in: null } });
    expect(changed.json.data.attributes.sign_in).to.equal(null);
    expect(await opened(id)).not.to.have.property("signIn");
  });

  it("are refused with the number of the step that is wrong", async () => {
    const wrong = { steps: [...steps, { type: "customStep", value: CANARY }] };
    expect(await refusal("POST", "/basic_auths", { host: "shop.example.com", sign_in: wrong })).to.deep.equal([
      "sign_in sign_in: step 4: customStep runs code, which is not allowed; use waitForElement to wait for something.",
    ]);
  });

  it("keep something to send, and are not sent to another host without being given again", async () => {
    const { id } = await store({ sign_in: { steps } });
    expect(await refusal("PATCH", `/basic_auths/${id}`, { sign_in: null })).to.have.lengthOf(1);
    const [elsewhere] = await refusal("PATCH", `/basic_auths/${id}`, { host: "evil.example.com" });
    expect(elsewhere).to.match(/^host .*send the sign_in for the new host, too/);
    expect(
      (await call("PATCH", `/basic_auths/${id}`, { attributes: { host: "evil.example.com", sign_in: { steps } } }))
        .status,
    ).to.equal(200);
  });
});

import { expect } from "chai";
import { type Arrival, arrivalOf, readClaims } from "../../../src/domain/accounts/provider.ts";

const ada = { issuer: "https://id.example", subject: "u-1" };
const mailOf = (...sources: Record<string, unknown>[]) => readClaims(ada, sources, "groups").mail;

describe("what a provider says of somebody", () => {
  it("has a mail address only if the same source says that it is verified", () => {
    const email = "Ada@Example.org";
    expect(mailOf({ email, email_verified: true })).to.equal("ada@example.org");
    expect(mailOf({}, { email, email_verified: true })).to.equal("ada@example.org");
    for (const sources of [
      [{ email }],
      [{ email, email_verified: "true" }],
      [{ email, email_verified: 1 }],
      [{ email }, { email_verified: true }],
      [{ email_verified: true }, { email }],
      [{ email: "nobody", email_verified: true }],
      [{ email: ["ada@example.org"], email_verified: true }],
    ])
      expect(mailOf(...sources), JSON.stringify(sources)).to.equal(null);
  });

  it("has groups of either source, also a single one, and nothing else that a claim may be", () => {
    const groupsOf = (groups: unknown) => readClaims(ada, [{}, { groups }], "groups").groups;
    expect(groupsOf(["a", 1, null, ["b"], "c"])).to.deep.equal(["a", "c"]);
    expect(groupsOf("a")).to.deep.equal(["a"]);
    expect(groupsOf(undefined)).to.deep.equal([]);
    expect(groupsOf(Array.from({ length: 2_000 }, String))).to.have.length(1_000);
    expect(readClaims(ada, [{ "cognito:groups": ["a"] }], "cognito:groups").groups).to.deep.equal(["a"]);
  });

  it("has a name on one line, of at most 100 characters", () => {
    const nameOf = (claims: Record<string, unknown>) => readClaims(ada, [claims], "groups").name;
    expect(nameOf({ name: " Ada\n\u202eLovelace " })).to.equal("Ada Lovelace");
    expect(nameOf({ name: "", preferred_username: "ada" })).to.equal("ada");
    expect(nameOf({ name: {} })).to.equal(null);
    expect([...(nameOf({ name: "é".repeat(200) }) ?? "")]).to.have.length(100);
  });
});

describe("somebody who comes by the provider for the first time", () => {
  const mail = "ada@example.org";
  const nobody = { known: undefined, groupRole: null, isFull: false } as const;
  const known = (isInvited: boolean, awaitsProvider: boolean) => ({ ...nobody, known: { isInvited, awaitsProvider } });
  const refused = (why: string) => ({ does: "refuse", why });
  const cases: [string, string | null, Parameters<typeof arrivalOf>[1], Arrival | object][] = [
    ["is who was invited", mail, known(true, false), { does: "bind" }],
    ["is of whom an owner has decided so", mail, known(false, true), { does: "bind" }],
    ["is nobody else who has the address", mail, known(false, false), refused("known otherwise")],
    [
      "is not even with a role by groups",
      mail,
      { ...known(false, false), groupRole: "owner" },
      refused("known otherwise"),
    ],
    ["joins by a group", mail, { ...nobody, groupRole: "reader" }, { does: "join" }],
    ["joins no account that is full", mail, { ...nobody, groupRole: "reader", isFull: true }, refused("full")],
    ["is refused without a group", mail, nobody, refused("no role")],
    ["does not join without an address", null, { ...nobody, groupRole: "owner" }, refused("unverified mail")],
    ["is nobody without an address", null, known(true, true), refused("unverified mail")],
  ];
  for (const [what, address, here, arrival] of cases)
    it(what, () => expect(arrivalOf({ mail: address }, here)).to.deep.equal(arrival));
});

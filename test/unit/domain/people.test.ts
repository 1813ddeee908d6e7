import { expect } from "chai";
import { isMail, mailOf } from "../../../src/domain/accounts/mail.ts";
import { hashPassword, isPassword, passwordFault } from "../../../src/domain/accounts/password.ts";
import { callerFor, callerOn, mayDo, type Principal } from "../../../src/domain/accounts/principal.ts";
import {
  boundsAllow,
  grantNames,
  highestRole,
  isTooLargeFor,
  type Right,
  type Role,
  rightOf,
  rights,
  roleHas,
  roles,
  rolesAt,
  rolesOfGroups,
  type TokenGrant,
} from "../../../src/domain/accounts/roles.ts";
import { fromBase32, hotp, newTotpSecret, totpStep, totpUri } from "../../../src/domain/accounts/totp.ts";

describe("roles of people", () => {
  it("have all rights of the roles below them", () => {
    for (const [index, role] of roles.entries())
      for (const lower of roles.slice(0, index))
        for (const right of Object.keys(rights) as Right[])
          if (roleHas(lower, right)) expect(roleHas(role, right), `${role} ${right}`).to.equal(true);
  });

  it("let readers read, editors change, and only owners decide about people and what is kept", () => {
    const of = (role: (typeof roles)[number]) =>
      (Object.keys(rights) as Right[]).filter((right) => roleHas(role, right));
    expect(of("reader")).to.deep.equal(["read", "self"]);
    expect(Object.keys(rights).filter((right) => !of("editor").includes(right as Right))).to.deep.equal([
      "people",
      "keep",
      "audit",
    ]);
    expect(of("owner")).to.deep.equal(Object.keys(rights));
  });

  it("need the right to change something for all that does not only read", () => {
    expect(["GET", "POST", "PATCH", "DELETE"].map((method) => rightOf({ method }))).to.deep.equal([
      ...["read", "change", "change", "change"],
    ]);
    expect(rightOf({ method: "GET", right: "people" })).to.equal("people");
  });

  it("bound what tokens do that a person made, whatever their scope", () => {
    const person = { id: "1", role: "reader" as const, sites: [] };
    const needs = { method: "POST", right: "run" as const };
    expect(mayDo({ scope: "write", bounds: null, person }, needs)).to.equal(false);
    expect(mayDo({ scope: "write", bounds: null, person: { ...person, role: "editor" } }, needs)).to.equal(true);
    expect(mayDo({ scope: "read", bounds: null, person: { ...person, role: "owner" } }, needs)).to.equal(false);
    expect(mayDo({ scope: "write", bounds: null, person: null }, { method: "POST", right: "people" })).to.equal(true);
    expect(mayDo({ scope: "read", bounds: null, person: null }, { method: "GET", right: "people" })).to.equal(true);
  });

  it("are the highest of those that groups give, and none without", () => {
    const byGroup = { web: "owner", press: "reader" } as const;
    expect(rolesOfGroups(["press", "web", "other"], byGroup)).to.deep.equal({
      groups: ["press", "web"],
      role: "owner",
    });
    expect(rolesOfGroups(["other", "constructor", "__proto__", "*"], byGroup)).to.deep.equal({
      groups: [],
      role: null,
    });
    expect(rolesOfGroups([], { "*": "reader" })).to.deep.equal({ groups: ["*"], role: "reader" });
    expect(highestRole([null, undefined, "reader", "editor"])).to.equal("editor");
  });

  it("hold until the access ends, and those by groups until they end", () => {
    const now = new Date("2026-11-30T12:00:00Z");
    const [before, after] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
    const given = { role: null, group_role: "editor", group_role_ends_at: after, ends_at: null, sites: [] } as const;
    expect(rolesAt(given, now)?.role).to.equal("editor");
    expect(rolesAt({ ...given, group_role_ends_at: now }, now)).to.equal(null);
    expect(rolesAt({ ...given, group_role_ends_at: before, role: "reader" }, now)?.role).to.equal("reader");
    expect(rolesAt({ ...given, ends_at: now }, now)).to.equal(null);
    expect(rolesAt({ ...given, ends_at: after }, now)?.role).to.equal("editor");
    const sites = [{ starting_url: "https://example.com/", role: "editor" as const }];
    const there = { ...given, group_role: null, sites };
    expect(rolesAt(there, now)).to.deep.equal({ role: null, sites });
    expect(rolesAt({ ...there, ends_at: now }, now)).to.equal(null);
  });

  it("on single sites count where they are higher, and give no right that is about the whole account", () => {
    const [shop, town] = ["https://shop.example.com/", "https://town.example.com/"];
    const sites = [
      { starting_url: shop, role: "editor" as const },
      { starting_url: town, role: "reader" as const },
    ];
    const caller = { tokenId: "1", accountId: "2", guestToken: null, scope: "write", sites: [], bounds: null } as const;
    const sitesFor = (role: Role | null, right: Right, method = "POST") =>
      callerFor({ ...caller, person: { id: "1", role, sites } }, { method, right })?.sites;
    expect(sitesFor(null, "read", "GET")).to.deep.equal([shop, town]);
    expect(sitesFor(null, "change")).to.deep.equal([shop]);
    expect(sitesFor("reader", "read", "GET")).to.equal(null);
    expect(sitesFor("reader", "change")).to.deep.equal([shop]);
    expect(sitesFor("editor", "change")).to.equal(null);
    for (const right of ["common", "receivers", "people", "keep", "audit"] as const)
      expect(
        [null, "reader" as const].map((role) => sitesFor(role, right)),
        right,
      ).to.deep.equal([undefined, undefined]);
    expect(
      callerFor({ ...caller, scope: "read", person: { id: "1", role: null, sites } }, { method: "POST" }),
    ).to.equal(undefined);
  });
});

describe("the bounds of tokens", () => {
  const all = Object.keys(rights) as Right[];

  it("leave out people and tokens, whatever a token may: everything else is in what may be all", () => {
    const rightsOf = (may: readonly TokenGrant[]) => all.filter((right) => boundsAllow({ may, sites: null }, right));
    expect(all.filter((right) => !rightsOf(["all"]).includes(right))).to.deep.equal(["tokens", "people"]);
    expect(rightsOf(grantNames)).to.deep.equal(rightsOf(["all"]));
    expect(rightsOf(["read"])).to.deep.equal(["read"]);
    expect(rightsOf(["run"])).to.deep.equal(["run"]);
    expect(rightsOf(["read", "write"])).to.deep.equal(["read", "change", "common", "receivers"]);
    expect(rightsOf([])).to.deep.equal([]);
  });

  it("narrow what the maker may, to the sites that both have, and never widen it", () => {
    const [shop, town, port] = ["https://shop.example/", "https://town.example/", "https://port.example/"];
    const sitesFor = (maker: { role: Role | null; sites?: string[] } | null, sites: string[] | null, right: Right) => {
      const roles = { role: maker?.role ?? null, sites: (maker?.sites ?? []).map(editorOf) };
      const person = maker && { id: "1", ...roles };
      const bounds = { may: ["all" as const], sites };
      const caller = { tokenId: "1", accountId: "2", guestToken: null, scope: "write" as const, sites: [] };
      return callerFor({ ...caller, bounds, person }, { method: "POST", right })?.sites;
    };
    const editorOf = (starting_url: string) => ({ starting_url, role: "editor" as const });
    expect(sitesFor(null, null, "change")).to.equal(null);
    expect(sitesFor(null, [shop], "change")).to.deep.equal([shop]);
    expect(sitesFor({ role: "owner" }, [shop], "change")).to.deep.equal([shop]);
    expect(sitesFor({ role: null, sites: [shop, town] }, [town, port], "change")).to.deep.equal([town]);
    expect(sitesFor({ role: null, sites: [shop] }, [port], "change")).to.equal(undefined);
    expect(sitesFor({ role: "reader" }, [shop], "change")).to.equal(undefined);
    for (const right of ["common", "receivers", "people", "keep", "audit", "tokens"] as const)
      expect(sitesFor({ role: "owner" }, [shop], right), right).to.equal(undefined);
  });
});

describe("a token for single sites", () => {
  const [own, other] = ["https://own.example/", "https://other.example/"];
  const post = { method: "POST" };
  const tokenFor = (sites: string[], person: Principal["person"] = null): Principal => ({
    ...{ tokenId: "t", accountId: "a", guestToken: null, scope: "write", sites: null, person },
    bounds: { may: ["all"], sites },
  });

  it("may do nothing where its maker has no such right, and comes in where no site has its tag", () => {
    const maker = { id: "p", role: null, sites: [{ starting_url: own, role: "editor" as const }] };
    expect(callerFor(tokenFor([other], maker), post)).to.equal(undefined);
    expect(callerFor(tokenFor([own, other], maker), post)?.sites).to.deep.equal([own]);
    expect(callerFor(tokenFor([]), post)?.sites).to.deep.equal([]);
    expect(mayDo(tokenFor([]), post)).to.equal(false);
  });

  it("may do on the page of another site what it may do there, which is nothing", () => {
    expect([own, other].map((url) => mayDo(callerOn(tokenFor([own]), url), post))).to.deep.equal([true, false]);
  });

  it("that only starts runs starts none without a limit", () => {
    const starting = { may: ["read" as const, "run" as const], sites: null };
    expect([1, 50, 51, 0].map((pages) => isTooLargeFor(starting, pages))).to.deep.equal([false, false, true, true]);
    expect([null, { may: ["all" as const], sites: null }].map((bounds) => isTooLargeFor(bounds, 0))).to.deep.equal([
      ...[false, false],
    ]);
  });
});

describe("a second factor", () => {
  // RFC 6238, appendix B: the secret is this text in ASCII, and codes have eight digits.
  const secret = Buffer.from("12345678901234567890");
  for (const [seconds, code] of [
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ] as const)
    it(`has the code of the RFC after ${seconds} s`, () => {
      expect(hotp(secret, Math.floor(seconds / 30), 8)).to.equal(code);
    });

  const own = newTotpSecret();
  const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1000);
  const codeAt = (seconds: number) => hotp(fromBase32(own), Math.floor(at(seconds).getTime() / 30_000));

  it("takes the code of now, and of half a minute before and after, with spaces", () => {
    for (const seconds of [-30, 0, 30]) expect(totpStep(own, codeAt(seconds), at(0), null)).to.be.a("number");
    expect(totpStep(own, codeAt(0).replace(/^.../, "$& "), at(0), null)).to.be.a("number");
    for (const seconds of [-60, 60]) expect(totpStep(own, codeAt(seconds), at(0), null)).to.equal(undefined);
  });

  it("takes no code twice, and none from before it", () => {
    const step = totpStep(own, codeAt(0), at(0), null) ?? null;
    expect(totpStep(own, codeAt(0), at(0), step)).to.equal(undefined);
    expect(totpStep(own, codeAt(-30), at(0), step)).to.equal(undefined);
    expect(totpStep(own, codeAt(30), at(30), step)).to.be.a("number");
  });

  it("is written as apps read it", () => {
    expect(totpUri("ABC", "ada@example.org")).to.equal(
      "otpauth://totp/Site%20Validator%3Aada%40example.org?secret=ABC&issuer=Site%20Validator",
    );
    expect(newTotpSecret()).to.match(/^[A-Z2-7]{32}$/);
  });
});

describe("a password", () => {
  it("is known again, by its code points in any composition, and no other one is", async () => {
    const stored = await hashPassword("brücke über das wasser");
    expect(stored)
      .to.match(/^scrypt\$32768\$8\$3\$/)
      .and.not.include("wasser");
    expect(await isPassword("bru\u0308cke u\u0308ber das wasser", stored)).to.equal(true);
    expect(await isPassword("brucke uber das wasser", stored)).to.equal(false);
    expect(await isPassword("", stored)).to.equal(false);
  });

  it("is never that of somebody who has none", async () => {
    expect(await isPassword("", null)).to.equal(false);
    expect(await isPassword("anything at all", null)).to.equal(false);
  });

  it("is refused when it is short, with how long it is", () => {
    expect(passwordFault("short")).to.equal("The password has 5 characters; it must have 12 to 200.");
    expect(passwordFault("long enough it is")).to.equal(undefined);
  });
});

describe("A mail address that is typed", () => {
  it("is the same however it is written", () => {
    expect([" Ada@Example.org\n", "ADA@EXAMPLE.ORG", "e\u0301ve@example.org"].map(mailOf)).to.deep.equal([
      ...["ada@example.org", "ada@example.org", "\u00e9ve@example.org"],
    ]);
  });

  it("has a name and a host, and no more than a mail server takes", () => {
    for (const right of ["a@b", `${"a".repeat(64)}@${"b".repeat(189)}`]) expect(isMail(right), right).to.equal(true);
    for (const wrong of ["", "a", "@b", "a@", "a b@c", "a@b@c", `${"a".repeat(65)}@b`, `a@${"b".repeat(190)}`])
      expect(isMail(wrong), wrong).to.equal(false);
  });
});

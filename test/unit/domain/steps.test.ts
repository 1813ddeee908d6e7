import { expect } from "chai";
import { shownText } from "../../../src/domain/page/shown-text.ts";
import { readFilledSignIn, readSignIn, readVariables } from "../../../src/domain/sign-in/read-sign-in.ts";
import { fromBase32, totpCode } from "../../../src/domain/sign-in/totp.ts";
import { describeStep, readSteps, withoutSourceMap } from "../../../src/schema/steps.ts";

/** As Chrome's DevTools Recorder writes it, with what is not needed. */
const recording = {
  title: "Sign in",
  selectorAttribute: "data-testid",
  steps: [
    {
      type: "setViewport",
      width: 1280,
      height: 720,
      deviceScaleFactor: 1,
      isMobile: false,
      hasTouch: false,
      isLandscape: false,
    },
    {
      type: "navigate",
      url: "https://example.com/login?next=%2F",
      assertedEvents: [{ type: "navigation", url: "https://example.com/login", title: "Sign in" }],
    },
    {
      type: "click",
      target: "main",
      selectors: [["aria/E-mail"], ["#user"], ['xpath///*[@id="user"]'], ["pierce/#user"]],
      offsetY: 11,
      offsetX: 80,
    },
    { type: "change", value: "ada@example.org", target: "main", selectors: [["aria/E-mail"], ["x-form", "#user"]] },
    {
      type: "keyDown",
      target: "main",
      key: "Enter",
      assertedEvents: [{ type: "navigation", url: "https://example.com/", title: "" }],
    },
    { type: "keyUp", target: "main", key: "Enter" },
    { type: "emulateNetworkConditions", download: 1 },
    { type: "close" },
  ],
};
const faultsOf = (given: unknown): string[] => {
  const read = readSignIn(given);
  return "faults" in read ? read.faults : [];
};

describe("Steps in a browser", () => {
  it("are those of a recording as it is, without what is not used", () => {
    const read = readSteps(recording);
    if ("faults" in read) throw new Error(read.faults.join());
    expect(read.steps.map(describeStep)).to.deep.equal([
      "make the window 1280 × 720",
      "open https://example.com/login",
      "click aria/E-mail",
      "fill in aria/E-mail",
      ...["press a key", "release a key"],
    ]);
    const { selectors } = recording.steps[2] ?? {};
    expect(read.steps[2]).to.deep.equal({ type: "click", selectors, offset: { x: 80, y: 11 } });
    expect(read.steps[4]?.assertedEvents).to.deep.equal([{ type: "navigation", url: "https://example.com" }]);
  });

  it("are a list, as people write it, with one selector", () => {
    expect(readSteps([{ type: "click", selector: "#go" }])).to.deep.equal({
      steps: [{ type: "click", selectors: ["#go"] }],
    });
  });

  it("keep what a recording says of a press, of how many, of its limit, and whether a step may be left out", () => {
    const steps = [
      { type: "click", selector: "#a", button: "secondary", duration: 800, optional: true },
      { type: "waitForElement", selector: "li", count: 0, operator: "==", attributes: { class: "busy" }, timeout: 900 },
    ];
    const written = `${JSON.stringify({ title: "x", timeout: 2_000, steps })}\n//# recorderSourceMap=BBBBB`;
    expect(readSteps(JSON.parse(withoutSourceMap(written)))).to.deep.equal({
      steps: [
        { type: "click", selectors: ["#a"], button: "right", duration: 800, timeout: 2_000, optional: true },
        {
          ...{ type: "waitForElement", selectors: ["li"], count: 0, operator: "==" },
          ...{ attributes: { class: "busy" }, timeout: 900 },
        },
      ],
    });
    const faults = faultsOf([
      { type: "click", selector: "#a", optional: "yes" },
      { type: "click", selector: "#a", button: "third" },
      { type: "waitForElement", selector: "#a", properties: { value: "x" } },
      { type: "waitForElement", selector: "#a", operator: ">" },
    ]);
    expect(faults.map((fault) => fault.slice(0, 25))).to.deep.equal(
      [
        "step 1: optional must be t",
        "step 2: button must be one",
        "step 3: properties of elem",
        'step 4: operator must be "',
      ].map((fault) => fault.slice(0, 25)),
    );
  });

  it("are refused with their numbers, and without what is typed", () => {
    const faults = faultsOf([
      { type: "customStep", name: "x" },
      { type: "waitForExpression", expression: "steal()" },
      { type: "navigate", url: "file:///etc/passwd" },
      { type: "navigate", url: "javascript:alert(1)" },
      { type: "change", selectors: [["#password"]], value: { secret: "s3cret" } },
      { type: "click" },
      { type: "click", selectors: [["#x"]], target: "https://popup.example/" },
      { type: "click", selectors: [["#x"]], timeout: 1e9 },
      { type: "click", selectors: [["#x"]], frame: ["a"] },
      { type: "launch" },
      "click",
    ]);
    expect(faults.map((fault) => /^step \d+/.exec(fault)?.[0])).to.deep.equal(
      Array.from({ length: 11 }, (_, index) => `step ${index + 1}`),
    );
    expect(faults.join()).not.to.include("s3cret");
    expect(faults[9]).to.include('"launch"; allowed are navigate, click');
  });

  it("are limited in number and length", () => {
    const click = { type: "click", selectors: ["#x"] };
    expect(faultsOf(Array.from({ length: 51 }, () => click))).to.deep.equal([
      "there are 51 steps; 1 to 50 are allowed",
    ]);
    expect(faultsOf([])).to.have.lengthOf(1);
    expect(faultsOf([{ ...click, note: "x".repeat(50_000) }])).to.have.lengthOf(1);
    for (const other of [null, 1, "x", {}, { steps: {} }]) expect(faultsOf(other)).to.have.lengthOf(1);
  });

  it("may say what is there afterwards, and the secret of one-time codes", () => {
    const steps = [{ type: "click", selectors: ["#x"] }];
    const given = { signed_in_when: { url: "/account" }, signed_out_when: { text: "Bye" }, totp: "gezd gnbv" };
    expect(readSignIn({ steps, ...given })).to.deep.equal({
      signIn: { steps, signedInWhen: { url: "/account" }, signedOutWhen: { text: "Bye" }, totp: "gezd gnbv" },
    });
    for (const when of [{}, { other: "x" }, { text: "" }, "x"])
      for (const name of ["signed_in_when", "signed_out_when"])
        expect(faultsOf({ steps, [name]: when })).to.have.lengthOf(1);
    expect(faultsOf({ steps, signed_out_when: { cookie: "session" } })).to.have.lengthOf(1);
    expect(faultsOf({ steps, totp: "0189" })).to.have.lengthOf(1);
  });
});

describe("A sign-in with variables", () => {
  const change = (value: string) => ({ type: "change" as const, selectors: ["#p"], value });

  it("has their values in place of their names, and no name is left, which would be typed, but that of one-time codes", () => {
    const steps = ["$SHOP_PASSWORD", "$TOTP", "pa$SWORD", "$5", "$SHOP_USER"].map(change);
    const given = { steps, totp: "$SEED" };
    expect(readFilledSignIn(given, { SHOP_USER: "ada" }, "give it in variables")).to.deep.equal({
      faults: ["totp must be the secret of one-time codes in Base32: letters and the digits 2 to 7"],
    });
    expect(readFilledSignIn(given, { SHOP_USER: "ada", SEED: "GEZDGNBV" }, "give it in variables")).to.deep.equal({
      faults: ["step 1: its value is a variable that has no value; give it in variables"],
    });
    const values = { SHOP_USER: "ada", SHOP_PASSWORD: "$ECRET", SEED: "GEZDGNBV" };
    expect(readFilledSignIn(given, values, "")).to.deep.equal({
      signIn: { steps: ["$ECRET", "$TOTP", "pa$SWORD", "$5", "ada"].map(change), totp: "GEZDGNBV" },
    });
    expect(readFilledSignIn(steps.slice(1, 3), {}, "")).to.deep.equal({ signIn: { steps: steps.slice(1, 3) } });
  });

  it("has no value of a name that every object has", () => {
    expect(readFilledSignIn([change("$TO_STRING"), change("$__PROTO__")], {}, "x")).to.have.property("faults");
  });

  it("gets few values, which are texts by names of variables", () => {
    expect(readVariables(undefined)).to.deep.equal({ values: {} });
    expect(readVariables({ A_1: "x" })).to.deep.equal({ values: { A_1: "x" } });
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, number) => [`A${number}`, "x"]));
    for (const wrong of [null, [], "x", { a: "x" }, { TOTP: "x" }, { A: 1 }, { A: "" }, { "A B": "x" }, many])
      expect(readVariables(wrong), JSON.stringify(wrong)).to.have.property("faults").that.has.length(1);
  });
});

describe("The text that a document shows", () => {
  it("is that of its elements, decoded, without what scripts, styles and hidden parts have", () => {
    const html = `<title>T</title><script>"Session ended"</script><p>You&#39;re <b>signed
      out</b>.</p><div hidden>Not <i>this</i></div><template>nor this</template><!-- nor that -->`;
    expect(shownText(html)).to.equal("You're signed out.");
  });
});

describe("A one-time code", () => {
  it("is that of RFC 6238, appendix B", () => {
    const secret = Buffer.from("12345678901234567890");
    // The appendix has eight digits.
    const codes: [number, string][] = [
      [59, "287082"],
      [1_111_111_109, "081804"],
      [1_234_567_890, "005924"],
      [20_000_000_000, "353130"],
    ];
    for (const [seconds, code] of codes) expect(totpCode(secret, new Date(seconds * 1_000))).to.equal(code);
    expect(fromBase32("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")).to.deep.equal(secret);
    expect(fromBase32("gezd gnbv-gy3t qojq gezd gnbv gy3t qojq")).to.deep.equal(secret);
    expect(fromBase32("10")).to.equal(undefined);
  });
});

import { expect } from "chai";
import { htmlEngines } from "../../../src/schema/html-engines.ts";
import type { SpecLimits } from "../../../src/schema/limits.ts";
import { isTimeZone } from "../../../src/schema/schedule.ts";
import { parseReport, parseSchedule } from "../../../src/schema/validate.ts";
import { trackingParameters } from "../../../src/settings/values.ts";

const limits: SpecLimits = { maxPages: 5_000, maxRateLimit: 25, htmlEngines };
const starting_url = "https://example.com/";

/** Pointer and code of each violation, in order. */
function violations(attributes: Record<string, unknown>, within = limits): string[] {
  const parsed = parseReport(attributes, within);
  if ("spec" in parsed) return [];
  return parsed.violations.map(({ code, source }) => {
    const pointer = source && "pointer" in source ? source.pointer : "";
    return `${pointer.replace("/data/attributes/", "")}: ${code}`;
  });
}

function detail(attributes: Record<string, unknown>, within = limits): string {
  const parsed = parseReport(attributes, within);
  return "spec" in parsed ? "" : (parsed.violations[0]?.detail ?? "");
}

describe("a report's attributes", () => {
  it("say which selector or step cannot be used, and nothing of that where the list itself is wrong", () => {
    const given = { starting_url, perform_a11y_checks: true };
    const click = { steps: [{ type: "click", selector: "#menu" }] };
    const states = [
      { name: "a", ...click },
      { name: "a", ...click },
    ];
    expect(violations({ ...given, hide: [".a", "a["] })).to.deep.equal(["hide/1: invalid_format"]);
    expect(violations({ ...given, states })).to.deep.equal(["states/1/name: invalid_format"]);
    expect(violations({ ...given, states, hide: 1 })).to.deep.equal(["hide: invalid_type"]);
  });

  it("get the defaults of the specification", () => {
    expect(parseReport({ starting_url }, limits))
      .to.have.property("spec")
      .that.deep.includes({
        startingUrl: starting_url,
        initialUrls: [],
        exclusions: [],
        includeGlobs: [],
        excludeGlobs: [],
        includeLinks: [],
        excludeLinks: [],
        devices: [],
        followHashRoutes: false,
        sameSite: [],
        pageTimeoutSeconds: 30,
        signInSeconds: 120,
        signInTries: 3,
        maxPages: 10,
        rateLimit: 1,
        activeDeadlineSeconds: 0,
        deepCrawl: true,
        preferCanonicalUrls: true,
        dynamicCrawler: false,
        followFrames: true,
        useSitemaps: false,
        ignoredParameters: [...trackingParameters],
        respectRobots: false,
        ...{ visitActions: false, visitForms: true, allowPosts: [] },
        userAgent: "",
        performHtmlChecks: true,
        performA11yChecks: false,
        performLinkChecks: false,
        htmlEngine: "conformance",
        standard: "all",
        a11yDepth: "static",
        storeRawHtmlChecks: false,
        storeRawA11yChecks: false,
        storeRawLinkChecks: false,
        storeIncompleteChecks: false,
        storeScreenshot: false,
        basicAuthId: "",
        basicAuthSecret: "",
        deviceId: "",
        prepare: [],
        states: [],
        waitFor: {},
        hide: [],
        deviceRotated: false,
        gate: {},
        baseId: "",
        shared: false,
        tags: [],
        cancelled: false,
      });
  });

  it("take lists as strings with lines or commas, and drop blanks and repetitions", () => {
    const parsed = parseReport(
      {
        starting_url,
        initial_urls: "https://example.com/a\r\n\n  https://example.com/b \nhttps://example.com/a",
        exclusions: "/private\n/a,b",
        tags: " one, two ,,one",
      },
      limits,
    );
    expect("spec" in parsed && parsed.spec).to.deep.include({
      initialUrls: ["https://example.com/a", "https://example.com/b"],
      exclusions: ["/private", "/a,b"],
      tags: ["one", "two"],
    });
  });

  it("take lists as arrays, too, so that what was read can be sent, and keep their entries as they are", () => {
    const lists = {
      initial_urls: ["https://example.com/a", "https://example.com/b", "https://example.com/a"],
      exclusions: ["/private ", "/a\nb"],
      tags: ["one", " two"],
      ignored_parameters: ["utm_*"],
    };
    const parsed = parseReport({ starting_url, ...lists }, limits);
    expect("spec" in parsed && parsed.spec).to.deep.include({
      initialUrls: ["https://example.com/a", "https://example.com/b"],
      exclusions: ["/private ", "/a\nb"],
      tags: ["one", " two"],
      ignoredParameters: ["utm_*"],
    });
    expect(violations({ starting_url, initial_urls: [], exclusions: [], tags: [] })).to.deep.equal([]);
  });

  it("are refused with lists whose entries are no strings, or would be refused in a string", () => {
    expect(violations({ starting_url, tags: ["one", 2] })).to.deep.equal(["tags: invalid_type"]);
    expect(detail({ starting_url, tags: ["one", 2] })).to.equal(
      'tags must be one comma-separated string or an array of strings; received ["one",2].',
    );
    expect(violations({ starting_url, tags: ["one,two"] })).to.deep.equal(["tags: invalid_format"]);
    expect(violations({ starting_url, exclusions: [""] })).to.deep.equal(["exclusions: invalid_format"]);
    expect(violations({ starting_url, tags: Array.from({ length: 51 }, (_, n) => `${n}`) })).to.deep.equal([
      "tags: too_many",
    ]);
    expect(violations({ starting_url, initial_urls: ["ftp://example.com/"] })).to.deep.equal([
      "initial_urls: invalid_format",
    ]);
  });

  it("may be null if they have no default or are lists", () => {
    const none = {
      initial_urls: null,
      exclusions: null,
      tags: null,
      ignored_parameters: null,
      device_id: null,
      basic_auth_id: null,
      base_id: null,
    };
    expect(violations({ starting_url, ...none })).to.deep.equal([]);
    const parsed = parseReport({ starting_url, ignored_parameters: null }, limits);
    expect("spec" in parsed && parsed.spec.ignoredParameters).to.deep.equal(trackingParameters);
    expect(violations({ starting_url: null })).to.deep.equal(["starting_url: invalid_type"]);
    expect(violations({ starting_url, max_pages: null })).to.deep.equal(["max_pages: invalid_type"]);
  });

  it("may have a gate, whose conditions have the API's names, too", () => {
    const gate = { max_errors: 0, max_new_warnings: 3, min_impact: "serious", fail_on_failed_pages: true };
    const parsed = parseReport({ starting_url, perform_a11y_checks: true, gate }, limits);
    expect("spec" in parsed && parsed.spec.gate).to.deep.equal({
      maxErrors: 0,
      maxNewWarnings: 3,
      minImpact: "serious",
      failOnFailedPages: true,
    });
    for (const none of [null, {}]) {
      const without = parseReport({ starting_url, gate: none }, limits);
      expect("spec" in without && without.spec.gate).to.deep.equal({});
    }
  });

  it("are refused with a gate that is wrong, and name the condition", () => {
    expect(violations({ starting_url, gate: 5 })).to.deep.equal(["gate: invalid_type"]);
    expect(violations({ starting_url, gate: ["max_errors"] })).to.deep.equal(["gate: invalid_type"]);
    const wrong = { max_errors: -1, max_warnings: "none", min_impact: "huge", maxErrors: 1, "a/b": 1 };
    expect(violations({ starting_url, gate: wrong })).to.have.members([
      "gate/max_errors: out_of_range",
      "gate/max_warnings: invalid_type",
      "gate/min_impact: not_allowed",
      "gate/maxErrors: unknown_attribute",
      "gate/a~1b: unknown_attribute",
    ]);
    expect(detail({ starting_url, gate: { max_errors: -1 } })).to.equal(
      "gate.max_errors is -1; it must be at least 0.",
    );
  });

  it("are refused with a least impact that nothing asks for", () => {
    const alone = { starting_url, perform_a11y_checks: true, gate: { min_impact: "minor" } };
    expect(violations(alone)).to.deep.equal(["gate/min_impact: inconsistent"]);
    expect(detail(alone)).to.equal(
      "gate.min_impact requires max_errors, max_warnings, max_new_errors or max_new_warnings: it sets which findings they count.",
    );
    const html = { starting_url, gate: { min_impact: "minor", max_errors: 0 } };
    expect(violations(html)).to.deep.equal(["gate/min_impact: inconsistent"]);
    expect(detail(html)).to.equal(
      "gate.min_impact requires perform_a11y_checks: HTML and link findings have no impact.",
    );
  });

  it("are refused with all errors at once", () => {
    const wrong = {
      starting_url: "nonsense",
      max_pages: "ten",
      rate_limit: 26,
      deep_crawl: "yes",
      html_engine: "w3c",
      tags: 5,
      initial_urls: "https://example.com/\nftp://example.com/",
      colour: "red",
    };
    expect(violations(wrong)).to.have.members([
      "starting_url: invalid_format",
      "max_pages: invalid_type",
      "rate_limit: out_of_range",
      "deep_crawl: invalid_type",
      "html_engine: not_allowed",
      "tags: invalid_type",
      "initial_urls: invalid_format",
      "colour: unknown_attribute",
    ]);
  });

  for (const url of [
    "",
    "example.com",
    "ftp://example.com/",
    "http://",
    "https://user:secret@example.com/",
    "https://user@example.com/",
    "https://exa mple.com/",
    "https://example.com/a b",
    "http://[::1/",
    "http://example.com:99999/",
    "javascript:alert(1)",
    `https://example.com/${"a".repeat(2000)}`,
  ]) {
    it(`are refused with the right format for a wrong starting URL: ${JSON.stringify(url).slice(0, 40)}`, () => {
      expect(violations({ starting_url: url })).to.deep.equal(["starting_url: invalid_format"]);
      expect(detail({ starting_url: url })).to.match(/^The format is invalid: received "/);
      expect(detail({ starting_url: url }).length).to.be.lessThan(500);
    });
  }

  it("need a starting URL", () => {
    expect(violations({})).to.deep.equal(["starting_url: required"]);
    expect(detail({})).to.equal("starting_url is required.");
  });

  it("may ask only for an HTML engine that can run, and learn what the others need", () => {
    const only = { ...limits, htmlEngines: ["html-validate"] as const };
    expect(violations({ starting_url, html_engine: "html-validate" }, only)).to.deep.equal([]);
    for (const [asked, needs] of [
      [{}, /^html_engine is "conformance", which is not available .* npm package vnu-jar.*Available: html-validate\.$/],
      [{ html_engine: "nu" }, /^html_engine is "nu", which is not available .* Java .*Available: html-validate\.$/],
    ] as const) {
      expect(violations({ starting_url, ...asked }, only)).to.deep.equal(["html_engine: engine_unavailable"]);
      expect(detail({ starting_url, ...asked }, only)).to.match(needs);
    }
  });

  it("are known only by their API names", () => {
    expect(violations({ starting_url, maxPages: 3, "a/b~c": 1, constructor: 1, __proto__x: 1 })).to.deep.equal([
      "maxPages: unknown_attribute",
      "a~1b~0c: unknown_attribute",
      "constructor: unknown_attribute",
      "__proto__x: unknown_attribute",
    ]);
  });

  it("must keep within the operator's maxima, where 0 means no limit on either side", () => {
    expect(violations({ starting_url, max_pages: 5_000, rate_limit: 25 })).to.deep.equal([]);
    expect(violations({ starting_url, max_pages: 5_001 })).to.deep.equal(["max_pages: out_of_range"]);
    expect(detail({ starting_url, max_pages: 5_001 })).to.equal("max_pages is 5001; it must be from 1 to 5000.");
    expect(violations({ starting_url, max_pages: 0, rate_limit: 0 })).to.have.length(2);
    expect(
      violations({ starting_url, max_pages: 0, rate_limit: 0 }, { maxPages: 0, maxRateLimit: 0, htmlEngines }),
    ).to.deep.equal([]);
    expect(violations({ starting_url, max_pages: -1 })).to.deep.equal(["max_pages: out_of_range"]);
    expect(violations({ starting_url, max_pages: 1.5 })).to.deep.equal(["max_pages: invalid_type"]);
  });

  it("must agree with each other", () => {
    expect(violations({ starting_url, perform_html_checks: false })).to.deep.equal([
      "perform_html_checks: inconsistent",
    ]);
    expect(violations({ starting_url, store_incomplete_checks: true })).to.deep.equal([
      "store_incomplete_checks: inconsistent",
    ]);
    expect(detail({ starting_url, store_incomplete_checks: true })).to.equal(
      "store_incomplete_checks requires perform_a11y_checks.",
    );
    expect(violations({ starting_url, a11y_depth: "acting" })).to.deep.equal(["a11y_depth: inconsistent"]);
    expect(detail({ starting_url, a11y_depth: "acting" })).to.equal("a11y_depth acting requires perform_a11y_checks.");
    expect(violations({ starting_url, a11y_depth: "acting", perform_a11y_checks: true })).to.deep.equal([]);
    // Another mistake does not hide that one.
    expect(violations({ starting_url: 1, perform_html_checks: false })).to.have.length(2);
    // A boolean that is none may be meant either way.
    expect(violations({ starting_url, store_incomplete_checks: true, perform_a11y_checks: 0 })).to.deep.equal([
      "perform_a11y_checks: invalid_type",
    ]);
  });

  it("are refused with a bounded number of errors", () => {
    const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`x${index}`, 1]));
    expect(violations({ starting_url, ...many })).to.have.length(50);
    expect(violations({ starting_url, initial_urls: "x\n".repeat(200_000) })).to.deep.equal([
      "initial_urls: invalid_format",
    ]);
    const lines = Array.from({ length: 1_001 }, (_, index) => `https://example.com/${index}`).join("\n");
    expect(violations({ starting_url, initial_urls: lines })).to.deep.equal(["initial_urls: too_many"]);
  });

  it("are refused when the initial URLs are too long together", () => {
    const longest = (index: number) => `https://example.com/${index}?`.padEnd(2_000, "x");
    const lines = (length: number) => Array.from({ length }, (_, index) => longest(index)).join("\n");
    expect(violations({ starting_url, initial_urls: lines(100) })).to.deep.equal([]);
    expect(violations({ starting_url, initial_urls: lines(101) })).to.deep.equal(["initial_urls: too_long"]);
  });
});

describe("A schedule's attributes", () => {
  const periodicity = { every: "week" };
  const read = (attributes: Record<string, unknown>) => {
    const parsed = parseSchedule({ starting_url, ...attributes }, limits);
    return "spec" in parsed ? "right" : parsed.violations.map(({ code, source }) => [code, source]);
  };
  const at = (pointer: string, code: string) => [[code, { pointer: `/data/attributes/${pointer}` }]];

  it("mean a deploy hook by no periodicity", () => {
    const parsed = parseSchedule({ starting_url, periodicity: null }, limits);
    expect("spec" in parsed && parsed.spec.periodicity).to.deep.equal({ every: "deploy" });
  });

  it("name a time zone that there is, with a time of day", () => {
    expect(read({ periodicity: { ...periodicity, at: "08:00", time_zone: "Europe/Berlin" } })).to.equal("right");
    expect(read({ periodicity: { ...periodicity, at: "08:00", time_zone: "Europe/Nowhere" } })).to.have.length(1);
    expect(read({ periodicity: { ...periodicity, time_zone: "Europe/Berlin" } })).to.have.length(1);
    expect(["UTC", "Europe/Nowhere", ""].map(isTimeZone)).to.deep.equal([true, false, false]);
  });

  it("have at most twenty hosts of previews", () => {
    const hosts = (count: number) => ({
      periodicity,
      preview_hosts: Array.from({ length: count }, (_, at) => `pr-${at}.example.com`),
    });
    expect([read(hosts(20)), read(hosts(21))]).to.deep.equal(["right", at("preview_hosts", "too_many")]);
  });

  for (const limit of ["max_errors", "max_warnings", "max_new_errors", "max_new_warnings"])
    it(`count findings by impact for ${limit}`, () => {
      const gate = { min_impact: "serious", [limit]: 1 };
      expect(read({ periodicity, perform_a11y_checks: true, gate })).to.equal("right");
      expect(read({ periodicity, perform_a11y_checks: true, gate: { min_impact: "serious" } })).to.have.length(1);
      expect(read({ periodicity, perform_a11y_checks: false, gate })).to.have.length(1);
    });
});

describe("A list that is no list", () => {
  it("is refused with the sign that separates its entries", () => {
    expect(detail({ starting_url, initial_urls: 7 })).to.equal(
      "initial_urls must be one newline-separated string or an array of strings; received 7.",
    );
    expect(detail({ starting_url, tags: 7 })).to.equal(
      "tags must be one comma-separated string or an array of strings; received 7.",
    );
  });
});

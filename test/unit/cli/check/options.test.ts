import { expect } from "chai";
import { mergeConfig } from "../../../../src/cli/check/options/merge-config.ts";
import { checkOptions, parseCheck } from "../../../../src/cli/check/options/options.ts";
import type { GivenOptions } from "../../../../src/cli/check/options/options-schema.ts";
import { describeError, networksOfHost, reportAttributes } from "../../../../src/cli/check/request.ts";
import { isThisMachine } from "../../../../src/domain/addresses/this-machine.ts";
import { UsageError } from "../../../../src/domain/errors.ts";
import { trackingParameters } from "../../../../src/settings/values.ts";
import { optionsOf } from "../../../support/cli.ts";

const attributesOf = (...args: string[]) => {
  const options = optionsOf(...args);
  return reportAttributes(options, options.targets, { deviceId: "", baseId: undefined });
};

describe("the arguments of check", () => {
  it("have the defaults of a report", () => {
    expect(optionsOf("https://example.com")).to.deep.include({
      targets: ["https://example.com"],
      basePath: "/",
      maxPages: 10,
      timeout: 0,
      html: true,
      htmlEngine: "conformance",
      a11y: false,
      links: false,
      dynamic: false,
      deep: true,
      exclude: [],
      include: [],
      excludeGlob: [],
      includeLinks: [],
      excludeLinks: [],
      followHashRoutes: false,
      sameSite: [],
      followFrames: true,
      useSitemaps: false,
      respectRobots: false,
      ...{ visitActions: false, visitForms: true, allowPosts: [] },
      ignoredParameters: [...trackingParameters],
      pageTimeout: 30,
      signInTimeout: 120,
      signInTries: 3,
      ignore: [],
      devices: [],
      rotated: false,
      standard: "wcag22aa",
      a11yDepth: "static",
      gate: {},
      failOn: "error",
      json: false,
      updateBaseline: false,
      headers: {},
      cookies: {},
      prepare: [],
      states: [],
      waitFor: {},
      hide: [],
      resolve: [],
      clientCert: [],
      insecureTls: [],
      userAgent: "",
      files: {},
      detail: "some",
    });
  });

  it("have limits, which decide the exit code alone unless --fail-on is given, too", () => {
    const args = "https://example.com --a11y --max-errors 0 --max-new-warnings 3 --min-impact serious".split(" ");
    const gate = { maxErrors: 0, maxNewWarnings: 3, minImpact: "serious" };
    expect(optionsOf(...args)).to.deep.include({ gate, failOn: "never" });
    expect(optionsOf(...args, "--fail-on", "warning")).to.deep.include({ gate, failOn: "warning" });
    expect(optionsOf("https://example.com", "--fail-on-failed-pages")).to.deep.include({
      gate: { failOnFailedPages: true },
      failOn: "never",
    });
    expect(attributesOf(...args, "--standard", "en301549")).to.deep.include({
      gate: { max_errors: 0, max_new_warnings: 3, min_impact: "serious" },
      standard: "en301549",
    });
  });

  it("can all be given", () => {
    const options = optionsOf(
      ..."https://example.com --max-pages 0 --a11y --no-html --dynamic --no-deep --rate-limit 5".split(" "),
      ..."--exclude /a --exclude /b --device iPhone --rotated --fail-on never --json --timeout 60".split(" "),
      ..."--sarif a --junit b --csv c --ndjson d --verbose --no-color --base-path /docs --baseline e".split(" "),
      "--update-baseline",
    );
    expect(options).to.include({ maxPages: 0, a11y: true, html: false, dynamic: true, deep: false, rateLimit: 5 });
    expect(options).to.deep.include({
      ...{ exclude: ["/a", "/b"], devices: ["iPhone"], rotated: true, failOn: "never", json: true, timeout: 60 },
      ...{ files: { sarif: "a", junit: "b", csv: "c", ndjson: "d" }, detail: "all", color: false, basePath: "/docs" },
      ...{ baseline: "e", updateBaseline: true },
    });
    expect(optionsOf("https://example.com", "--quiet", "--color")).to.include({ detail: "totals", color: true });
  });

  it("say which pages are visited, and how", () => {
    const options = optionsOf(
      ..."https://example.com --include /docs/** --include *.html --exclude-glob *.pdf --no-follow-frames".split(" "),
      ..."--use-sitemaps --respect-robots --ignored-parameters sid --ignored-parameters t_* --page-timeout 60".split(
        " ",
      ),
    );
    expect(reportAttributes(options, options.targets, { deviceId: "" })).to.deep.include({
      ...{ include_globs: ["/docs/**", "*.html"], exclude_globs: ["*.pdf"], follow_frames: false, use_sitemaps: true },
      ...{ respect_robots: true, ignored_parameters: ["sid", "t_*"], page_timeout_seconds: 60 },
    });
    expect(attributesOf("https://example.com")).to.deep.include({
      ...{ include_globs: [], exclude_globs: [], follow_frames: true, use_sitemaps: false, respect_robots: false },
      ...{ ignored_parameters: trackingParameters, page_timeout_seconds: 30 },
    });
    const acts = optionsOf("https://example.com", "--visit-actions", "--no-visit-forms", "--allow-posts", "/graphql");
    expect(reportAttributes(acts, acts.targets, { deviceId: "" })).to.deep.include({
      ...{ visit_actions: true, visit_forms: false, allow_posts: ["/graphql"] },
    });
    expect(() => optionsOf("https://example.com", "--exclude-glob", "{a,b}")).to.throw(
      UsageError,
      /and braces, such as/,
    );
    expect(() => optionsOf("https://example.com", "--page-timeout", "0")).to.throw(UsageError, /from 1 to 300/);
  });

  it("say how far accessibility checks go, and keep what needs a review if they act", () => {
    const acting = optionsOf("https://example.com", "--a11y", "--a11y-depth", "acting");
    expect(reportAttributes(acting, acting.targets, { deviceId: "" })).to.deep.include({
      ...{ perform_a11y_checks: true, a11y_depth: "acting", store_incomplete_checks: true },
    });
    const static_ = attributesOf("https://example.com", "--a11y");
    expect([static_.a11y_depth, static_.store_incomplete_checks]).to.deep.equal(["static", undefined]);
    expect(() => optionsOf("https://example.com", "--a11y-depth", "acting")).to.throw(
      UsageError,
      "--a11y-depth acting only applies to accessibility checks. Add --a11y.",
    );
  });

  it("do not override a configuration with what is not given", () => {
    expect(parseCheck(["https://example.com"])).to.deep.include({ given: { targets: ["https://example.com"] } });
    expect(parseCheck(["--no-deep", "--no-html"])).to.deep.include({ given: { deep: false, html: false } });
  });

  it("turn switches of a configuration on and off", () => {
    const configured = { targets: ["https://example.com"], html: false, deep: false, a11y: true, json: true };
    const { given } = parseCheck(["--html", "--deep", "--no-a11y", "--no-json"]) as { given: GivenOptions };
    expect(given).to.deep.equal({ html: true, deep: true, a11y: false, json: false });
    const { given: merged } = mergeConfig(configured, given);
    expect(checkOptions(merged)).to.include({ html: true, deep: true, a11y: false, json: false });
    const { help } = parseCheck(["--help"]) as { help: string };
    expect(help)
      .to.match(/--no-html[\s\S]*--no-deep/)
      .and.not.match(/--html\b(?!-)|--deep|--no-a11y/);
  });

  it("may name a device for several files", () => {
    const given = optionsOf(
      "https://example.com",
      ..."--csv /dev/null --sarif /dev/null --baseline /dev/null".split(" "),
    );
    expect(given).to.deep.include({ files: { csv: "/dev/null", sarif: "/dev/null" }, baseline: "/dev/null" });
  });

  it("have headers and cookies of the site, and a user agent", () => {
    const given = optionsOf(
      ...["https://example.com", "--header", "X-Preview: $TOKEN", "--header", "Accept-Language:de", "--user-agent"],
      ...["MyBot/1.0 (x)", "--cookie", "sid=a=b", "--cookie", "theme=dark; lang=$LANG_OF_SITE"],
    );
    expect(given).to.deep.include({
      headers: { "X-Preview": "$TOKEN", "Accept-Language": "de" },
      cookies: { sid: "a=b", theme: "dark", lang: "$LANG_OF_SITE" },
      userAgent: "MyBot/1.0 (x)",
    });
    expect(attributesOf("https://example.com", "--user-agent", "x")).to.include({ user_agent: "x" });
    expect(attributesOf("https://example.com")).to.include({ user_agent: "" });
  });

  for (const [args, message] of [
    [["--header", "s3cret"], /^--header number 1 has no colon; it must be "Name: value"\.$/],
    [["--header", "X: y", "--header", ": s3cret"], /^--header number 2: the name of a header must have/],
    [["--header", "X:"], /^--header number 1: the value of X must be printable ASCII/],
    [
      ["--header", "X: s3cret\r\nY: z"],
      /^--header number 1: the value of X must be printable ASCII.* without line breaks/,
    ],
    [
      ["--header", "Host: s3cret"],
      /^--header number 1: Host cannot be set: it belongs to the connection\. Allowed are/,
    ],
    [["--header", "User-Agent: s3cret"], /a setting of its own, the user agent/],
    [["--header", "X: s3cret", "--header", "x: s3cret"], /^--header gives x twice/],
    [["--cookie", "s3cret"], /^--cookie number 1 must be "name=value"/],
    [["--cookie", "a=1; a=s3cret"], /^--cookie gives a twice/],
    [["--cookie", "a b=s3cret"], /^--cookie number 1 must be "name=value"/],
    [["--user-agent", "a\nb"], /--user-agent.* It must be printable ASCII without spaces at its ends, at most 512/],
    [["--user-agent", ""], /--user-agent.* It must be printable ASCII/],
  ] as const)
    it(`are rejected without being repeated where they are secrets: ${args.join(" ").slice(0, 40)}`, () => {
      expect(() => optionsOf("https://example.com", ...args))
        .to.throw(UsageError, message)
        .and.not.match(/s3cret/);
    });

  it("check what is named, however many pages these are, unless --max-pages says otherwise", () => {
    const urls = Array.from({ length: 12 }, (_, index) => `https://example.com/${index}`);
    expect(optionsOf(...urls)).to.include({ maxPages: 12 });
    expect(optionsOf(...urls, "--max-pages", "3")).to.include({ maxPages: 3 });
    expect(attributesOf("https://example.com/a", "https://example.com/b", "--timeout", "9")).to.deep.include({
      ...{ starting_url: "https://example.com/a", initial_urls: ["https://example.com/b"], active_deadline_seconds: 9 },
    });
  });

  const url = "https://example.com";
  for (const [args, message] of [
    [[], /^No target given: name a URL, a folder or a sitemap/],
    [[url, "--max-page", "3"], /unknown option '--max-page'.*--max-pages.* See npm run check -- --help\.$/],
    [[url, "--max-pages", "-1"], /--max-pages <n>' argument '-1' .* whole number from 0 to 1000000/],
    [[url, "--max-pages", "1e3"], /argument '1e3' /],
    [[url, "--max-pages"], /--max-pages <n>' argument missing/],
    [[url, "--rate-limit", "fast"], /--rate-limit <n>' argument 'fast'/],
    [[url, "--timeout", "1.5"], /--timeout <seconds>' argument '1.5' .* whole number from 0 to 2592000/],
    [[url, "--fail-on", "info"], /--fail-on.*error, warning, never/],
    [[url, "--base-path", "docs"], /--base-path.*starts with "\/"/],
    [[url, "--sarif", ""], /--sarif.*not empty/],
    [[url, "--no-html"], /--no-html without --a11y/],
    [[url, "--max-errors", "-1"], /--max-errors <n>' argument '-1'.*0 to 1000000000/],
    [[url, "--a11y", "--standard", "wcag3"], /--standard.*wcag2a, wcag2aa/],
    [[url, "--standard", "wcag2a"], /--standard and --min-impact .* Add --a11y/],
    [[url, "--min-impact", "minor", "--max-errors", "1"], /Add --a11y/],
    [[url, "--a11y", "--min-impact", "minor"], /--min-impact needs a limit to apply to. Add --max-errors/],
    [[url, "--rotated"], /--device and --rotated .* Add --a11y or --dynamic/],
    [[url, "--verbose", "--quiet"], /--verbose and --quiet contradict each other/],
    [[url, "--csv", "a", "--sarif", "a"], /"a" is named for --sarif and --csv/],
    [[url, "--report", "a", "--markdown", "./a"], /"\.\/a" is named for --report and --markdown/],
    [[url, "--update-baseline", "--baseline", "a", "--ndjson", "a"], /"a" is named for --ndjson and --baseline/],
    [[url, "--baseline", "a", "--report", "./a"], /".*a" is named for --report and --baseline/],
    [[url, "--update-baseline"], /--update-baseline needs a file to write/],
  ] as const) {
    it(`are rejected if wrong: ${args.join(" ").slice(0, 60) || "none"}`, () => {
      expect(() => optionsOf(...args)).to.throw(UsageError, message);
      expect(() => optionsOf(...args)).not.to.throw(UsageError, /\n/);
    });
  }

  it("are wrong together also when a configuration gives one of them", () => {
    expect(() => checkOptions({ targets: ["dist"], verbose: true, quiet: true })).to.throw(UsageError, /contradict/);
  });

  for (const flag of ["-h", "--help"])
    it(`come with a help text: ${flag}`, () => {
      expect(parseCheck([flag, "--nonsense"]))
        .to.have.property("help")
        .that.matches(/--max-pages[\s\S]*--base-path[\s\S]*--color[\s\S]*Examples:[\s\S]*Exit codes/);
    });

  for (const flag of ["-v", "--version"])
    it(`come with the version: ${flag}`, () => {
      expect(parseCheck([flag], "1.2.3")).to.deep.equal({ help: "1.2.3\n" });
    });
});

describe("the report that check creates", () => {
  it("has a rate limit for other machines and none for this one", () => {
    expect(attributesOf("https://example.com")).not.to.have.property("rate_limit");
    expect(attributesOf("http://localhost:8080")).to.have.property("rate_limit", 0);
    expect(attributesOf("http://[::1]/", "--rate-limit", "3")).to.have.property("rate_limit", 3);
  });

  it("knows this machine's names", () => {
    for (const name of ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.8.8.8", "[::1]"])
      expect(isThisMachine(name), name).to.equal(true);
    for (const name of ["example.com", "127.0.0.1.example.com", "localhost.com", "10.0.0.1"])
      expect(isThisMachine(name), name).to.equal(false);
  });

  it("may visit the address that was named, and no other private one", () => {
    expect(networksOfHost("localhost")).to.deep.equal(["127.0.0.0/8", "::1/128"]);
    expect(networksOfHost("192.168.1.7")).to.deep.equal(["192.168.1.7/32"]);
    expect(networksOfHost("[fd00::7]")).to.deep.equal(["fd00::7/128"]);
    expect(networksOfHost("intranet.example")).to.deep.equal([]);
  });

  it("has its errors shown with the option's name", () => {
    const error = { detail: "it must be …", source: { pointer: "/data/attributes/max_pages" } };
    expect(describeError(error)).to.equal("--max-pages: it must be …");
    const limit = { detail: "it must be …", source: { pointer: "/data/attributes/gate/max_errors" } };
    expect(describeError(limit)).to.equal("--max-errors: it must be …");
    const header = { detail: "headers.0: …", source: { pointer: "/data/attributes/headers/0/name" } };
    expect(describeError(header)).to.equal("--header: headers.0: …");
  });
});

import { expect } from "chai";
import type { CheckedPage } from "../../../../src/cli/check/failed-pages.ts";
import { jsonDocument } from "../../../../src/cli/check/output/json-document.ts";
import { readLines } from "../../../../src/cli/check/targets/read-lines.ts";
import { exportedFinding, stream, textOf } from "../../../support/cli.ts";

const page = (url: string, failed: boolean): CheckedPage => {
  const failure = { code: "http_error", detail: "404" } as const;
  const check = failed ? ({ status: "failed", failure } as const) : ({ status: "checked", failure: null } as const);
  const links = failed
    ? { num_linked_from: 30, linked_from_pages: ["https://example.com/", "https://example.com/a"] }
    : { num_linked_from: null, linked_from_pages: null };
  return {
    attributes: {
      url,
      linked_from: "https://example.com/",
      ...links,
      html_check: check,
      a11y_check: check,
      link_check: null,
    },
  };
};
const report = { id: "1", type: "report", attributes: { num_pages: 2 }, links: { self: "http://127.0.0.1:1/" } };

describe("the document of --json", () => {
  it("has the report, its pages, those that failed with who links to them, and findings; no links", async () => {
    const pages = [page("https://example.com/", false), page("https://example.com/gone", true)];
    const findings = [exportedFinding(), exportedFinding({ rule: "</script>\u2028" })];
    const excluded = [{ attributes: { url: "https://example.com/logout", reason: "signs_out" } }];
    const text = await textOf(jsonDocument({ report, pages, excluded, findings: stream(findings) }));
    expect(JSON.parse(text)).to.deep.equal({
      data: { id: "1", type: "report", attributes: { num_pages: 2 } },
      pages: pages.map(({ attributes }) => attributes),
      failed_pages: [
        {
          ...{ url: "https://example.com/gone", linked_from: "https://example.com/", num_linked_from: 30 },
          linked_from_pages: ["https://example.com/", "https://example.com/a"],
          reasons: ["404 (http_error)"],
        },
      ],
      excluded_urls: [{ url: "https://example.com/logout", reason: "signs_out" }],
      findings,
    });
    expect(text.split("\n")).to.have.length.above(10);
  });

  it("is whole for a site without pages and findings", async () => {
    const text = await textOf(jsonDocument({ report, pages: [], excluded: [], findings: stream([]) }));
    expect(JSON.parse(text)).to.deep.include({ pages: [], failed_pages: [], findings: [] });
  });
});

describe("lines of JSON", () => {
  async function valuesOf(pieces: readonly string[]): Promise<unknown[]> {
    const values: unknown[] = [];
    for await (const value of readLines(stream(pieces))) values.push(value);
    return values;
  }

  it("are the same however the text is cut", async () => {
    const text = '{"a":"1"}\n{"b":"ä\\n"}\n3';
    for (let size = 1; size <= text.length; size++) {
      const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
      expect(await valuesOf(pieces)).to.deep.equal([{ a: "1" }, { b: "ä\n" }, 3]);
    }
    expect(await valuesOf([])).to.deep.equal([]);
  });
});

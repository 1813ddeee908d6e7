import assert from "node:assert/strict";
import { readAttributes } from "../../../src/api/http/request/body.ts";
import { RequestError } from "../../../src/domain/errors.ts";
import { htmlEngines } from "../../../src/schema/html-engines.ts";
import { parseReport, parseSchedule } from "../../../src/schema/validate.ts";
import { validateReportSpec, validateScheduleSpec } from "../../../src/schema/validate-spec.ts";
import type { FuzzTarget } from "../target.ts";

const limits = { maxPages: 5_000, maxRateLimit: 25, htmlEngines: [...htmlEngines] };

export const jsonBodies: FuzzTarget = {
  name: "json bodies",
  seeds: [
    '{"data":{"type":"report","attributes":{"starting_url":"https://example.com/","max_pages":5,"tags":["a"]}}}',
    '{"data":{"attributes":{"starting_url":"https://example.com/","periodicity":{"every":"week","weekday":"monday"},"exclusions":"a\\nb"}}}',
    '{"data":{"attributes":{"starting_url":1,"max_pages":-1,"rate_limit":1e99,"html_engine":"nu","device_id":null}}}',
  ],
  words: [
    ...[
      '"starting_url":',
      '"initial_urls":',
      '"exclusions":',
      '"periodicity":',
      '"tags":',
      '"max_pages":',
      '"at":"23:59"',
    ],
    ...[
      '"__proto__":{}',
      '"constructor":',
      "[[[[[[",
      "{}",
      "[]",
      "null",
      '""',
      '"https://example.com/"',
      "1e400",
      "\\u0000",
      "\\ud800",
    ],
  ],
  run(input) {
    let attributes: Readonly<Record<string, unknown>>;
    try {
      attributes = readAttributes(input.toString("utf8"), { type: "report" });
    } catch (error) {
      assert(error instanceof RequestError, `it is refused with ${String(error)}`);
      return;
    }
    for (const parse of [parseReport, parseSchedule]) {
      const parsed = parse(attributes, limits);
      if ("violations" in parsed) {
        assert(parsed.violations.length > 0);
        for (const { status, detail } of parsed.violations) {
          assert.equal(status, 422);
          assert(detail.length > 0 && detail.length < 5_000, "a message is neither empty nor a flood");
        }
        continue;
      }
      const check = parse === parseReport ? validateReportSpec : validateScheduleSpec;
      const checked = check(structuredClone(parsed.spec));
      assert.deepEqual(checked.problems ?? [], [], "what the API accepts, the cluster accepts");
      assert.deepEqual(checked.spec, parsed.spec);
    }
    assert.equal(Object.keys({}).length, 0);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  },
};

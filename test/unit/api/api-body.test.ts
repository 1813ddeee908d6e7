import { expect } from "chai";
import { readAttributes } from "../../../src/api/http/request/body.ts";
import { RequestError } from "../../../src/domain/errors.ts";

/** What comes of a body: its attributes, or status and code of the refusal. */
function read(body: string, id?: string): unknown {
  try {
    return readAttributes(body, { type: "report", id });
  } catch (error) {
    if (error instanceof RequestError) return `${error.status} ${error.violations[0]?.code}`;
    throw error;
  }
}

describe("a request's body", () => {
  const table: [what: string, body: string, outcome: unknown][] = [
    ["attributes", '{"data":{"attributes":{"a":1}}}', { a: 1 }],
    ["attributes and the right type", '{"data":{"type":"report","attributes":{"a":1}}}', { a: 1 }],
    ["no attributes", '{"data":{}}', {}],
    ["nothing", " ", "400 missing_body"],
    ["no JSON", "{", "400 malformed_json"],
    ["a list", "[]", "400 malformed_document"],
    ["null", "null", "400 malformed_document"],
    ["no data", '{"attributes":{}}', "400 malformed_document"],
    ["data that is a list", '{"data":[]}', "400 malformed_document"],
    ["attributes that are a list", '{"data":{"attributes":[]}}', "400 malformed_document"],
    ["another type", '{"data":{"type":"schedule"}}', "409 wrong_type"],
    ["an id of its own", '{"data":{"id":"1"}}', "403 client_generated_id"],
    ["relationships", '{"data":{"relationships":{}}}', "422 unknown_member"],
    ["a NUL character", '{"data":{"attributes":{"a":"\\u0000"}}}', "400 invalid_character"],
    ["a NUL character in a name", '{"data":{"attributes":{"\\u0000":1}}}', "400 invalid_character"],
    ["a lone surrogate", '{"data":{"attributes":{"a":"\\ud800"}}}', "400 invalid_character"],
    ["a prototype key", '{"data":{"attributes":{"__proto__":{"admin":true}}}}', "400 forbidden_key"],
    ["a constructor key", '{"data":{"attributes":{"a":{"constructor":1}}}}', "400 forbidden_key"],
    ["deep lists", `{"data":{"attributes":{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}}}`, "400 too_deep"],
  ];
  for (const [what, body, outcome] of table) {
    it(`with ${what} comes to ${JSON.stringify(outcome)}`, () => {
      expect(read(body)).to.deep.equal(outcome);
    });
  }

  it("of a PATCH may repeat the id in its URL, and have no other", () => {
    expect(read('{"data":{"id":"1"}}', "1")).to.deep.equal({});
    expect(read('{"data":{"id":"2"}}', "1")).to.equal("409 wrong_id");
  });
});

import { expect } from "chai";
import { reasonOf } from "../../../src/cluster/kubernetes/request.ts";

describe("Why a call to the API server failed", () => {
  const table: [number, Parameters<typeof reasonOf>[1], string][] = [
    [400, {}, "Invalid"],
    [401, {}, "Forbidden"],
    [403, {}, "Forbidden"],
    [404, {}, "NotFound"],
    [405, {}, "Invalid"],
    [409, {}, "Conflict"],
    [409, { reason: "AlreadyExists" }, "AlreadyExists"],
    [410, {}, "Expired"],
    [413, {}, "Invalid"],
    [415, {}, "Invalid"],
    [422, {}, "Invalid"],
    [429, {}, "Unavailable"],
    [500, { details: { causes: [{ reason: "ResourceVersionTooLarge" }] } }, "ResourceVersionTooLarge"],
    [503, {}, "Unavailable"],
  ];
  for (const [status, body, reason] of table)
    it(`is ${reason} for ${status} ${JSON.stringify(body)}`, () => {
      expect(reasonOf(status, body)).to.equal(reason);
    });
});

import { expect } from "chai";
import type { Reply } from "./client.ts";

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/** Checks the conventions of all endpoints, which every response of the API follows. */
export function expectEnvelope(reply: Reply, { base, method }: { base: string; method: string }): void {
  const { status, headers, json, text } = reply;
  if (status === 204 || status === 304 || method === "HEAD") {
    expect(text, "a body where none belongs").to.equal("");
    return;
  }
  // A file to keep.
  if (status < 400 && headers["content-disposition"] !== undefined) return;
  if (headers["content-type"]?.startsWith("image/") || headers["content-type"]?.startsWith("text/")) return;
  expect(headers["content-type"]).to.match(/^application\/(vnd\.api\+json|json(; charset=utf-8)?)$/);
  // The API's own description is not a resource.
  if (json.openapi !== undefined) return;
  expect(json.jsonapi, "jsonapi").to.deep.equal({ version: "1.0" });
  if (status >= 400) {
    expectErrors(reply);
    return;
  }
  expect(json).not.to.have.property("errors");
  for (const entry of [json.data].flat()) expectResource(entry, base);
  if (Array.isArray(json.data)) expectList(json, base);
  if (status === 201) expect(headers.location, "Location").to.satisfy(startsAt(base));
}

function startsAt(base: string): (link: unknown) => boolean {
  return (link) => typeof link === "string" && link.startsWith(`${base}/`);
}

// biome-ignore lint/suspicious/noExplicitAny: a contract is about what the types do not say
function expectResource(resource: any, base: string): void {
  expect(resource.id, "id").to.be.a("string");
  expect(resource.type, "type").to.match(/^[a-z][a-z0-9_]*$/);
  expect(resource.attributes, "attributes").to.be.an("object");
  for (const [name, value] of Object.entries(resource.attributes))
    if (name.endsWith("_at") && value !== null) expect(value, name).to.match(TIMESTAMP);
  for (const [name, relationship] of Object.entries(resource.relationships ?? {})) {
    const { related } = (relationship as { links: { related: string } }).links;
    expect(relationship, name).to.deep.equal({ links: { related } });
    expect(related, name).to.satisfy(startsAt(base));
  }
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function expectList({ links, meta, data }: any, base: string): void {
  // A list that is read from place to place has no numbered pages.
  const isNumbered = "last" in links;
  expect(Object.keys(links).sort()).to.deep.equal([
    "first",
    ...(isNumbered ? ["last"] : []),
    "next",
    ...(isNumbered ? ["prev"] : []),
    "self",
  ]);
  for (const [name, link] of Object.entries(links))
    if (link !== null || !["next", "prev"].includes(name)) expect(link, name).to.satisfy(startsAt(base));
  if (isNumbered) expect(meta.total, "meta.total").to.be.a("number").that.is.at.least(data.length);
}

function expectErrors({ status, headers, json }: Reply): void {
  expect(json).not.to.have.property("data");
  expect(json.errors, "errors").to.be.an("array").that.is.not.empty;
  for (const error of json.errors) {
    expect(error.status).to.equal(String(status));
    expect(error.code).to.match(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    expect(error.title).to.be.a("string").that.is.not.empty;
    expect(error.detail).to.be.a("string").that.is.not.empty;
    expect(JSON.stringify(error), "nothing internal").not.to.match(/node_modules|\.ts:\d|stack/);
  }
  if (status === 401) expect(headers["www-authenticate"]).to.match(/^Bearer /);
  if (status === 405) expect(headers.allow).to.be.a("string");
  if (status === 429 || status === 503) expect(headers["retry-after"]).to.match(/^\d+$/);
}

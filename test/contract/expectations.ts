import { expect } from "chai";
import type { Reply } from "./client.ts";
import type { Scene } from "./scene.ts";

/** Checks a response. */
export type Expectation = (reply: Reply, scene: Scene) => void | Promise<void>;

/** Says whether a value is of a kind; `kind` is its name in messages. */
export type Kind = { kind: string; holds(value: unknown): boolean };

const kind = (name: string, holds: (value: unknown) => boolean): Kind => ({ kind: name, holds });
export const matching = (name: string, pattern: RegExp): Kind =>
  kind(name, (value) => typeof value === "string" && pattern.test(value));

export const uuid = matching("a UUID", /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
export const numericId = matching("a numeric id", /^[1-9]\d*$/);
export const timestamp = matching("a time without designator", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
export const url = kind("a URL", (value) => typeof value === "string" && URL.canParse(value));
export const text = kind("a text", (value) => typeof value === "string" && value !== "");
export const integer = kind("an integer", Number.isInteger);
export const positive = kind("a positive number", (value) => typeof value === "number" && value > 0);
export const boolean = kind("true or false", (value) => typeof value === "boolean");
export const absent = kind("absent", (value) => value === undefined);
export const orNull = (of: Kind): Kind => kind(`${of.kind} or null`, (value) => value === null || of.holds(value));
export const listOf = (of: Kind): Kind =>
  kind(`a list of ${of.kind}`, (value) => Array.isArray(value) && value.every(of.holds));
export const containing = (part: string): Kind =>
  kind(`a text with ${part}`, (value) => typeof value === "string" && value.includes(part));

function isKind(value: unknown): value is Kind {
  return typeof value === "object" && value !== null && "holds" in value;
}

/** The least that a response must have: objects may have more members, other values must be equal; a kind stands for all of its values. */
function compare(actual: unknown, wanted: unknown, where: string, scene: Scene): void {
  if (isKind(wanted)) {
    if (!wanted.holds(actual)) expect.fail(`${where} is ${JSON.stringify(actual)}; it must be ${wanted.kind}`);
  } else if (typeof wanted === "string") expect(actual, where).to.equal(scene.fill(wanted));
  else if (Array.isArray(wanted)) {
    expect(actual, where).to.be.an("array").with.lengthOf(wanted.length);
    for (const [index, entry] of wanted.entries())
      compare((actual as unknown[])[index], entry, `${where}[${index}]`, scene);
  } else if (typeof wanted === "object" && wanted !== null) {
    expect(actual, where).to.be.an("object");
    for (const [name, value] of Object.entries(wanted))
      compare((actual as Record<string, unknown>)[name], value, where ? `${where}.${name}` : name, scene);
  } else expect(actual, where).to.equal(wanted);
}

type Wanted = Readonly<Record<string, unknown>>;

/** The body has this. */
export function body(wanted: Wanted): Expectation {
  return ({ json }, scene) => compare(json, wanted, "", scene);
}

/** The single resource has this type and these attributes. */
export function resource(type: string, attributes: Wanted, id?: Kind | string): Expectation {
  return body({ data: { type, attributes, ...(id !== undefined && { id }) } });
}

export const attributes = (wanted: Wanted): Expectation => body({ data: { attributes: wanted } });

/** A list that is not empty and whose entries all have these attributes. */
export function each(type: string, wanted: Wanted): Expectation {
  return ({ json }, scene) => {
    expect(json.data).to.be.an("array").that.is.not.empty;
    for (const [index, entry] of json.data.entries())
      compare(entry, { type, attributes: wanted }, `data[${index}]`, scene);
  };
}

/** A list of exactly these entries, in this order, identified by an attribute or by `id`. */
export function listing(attribute: string, ...wanted: readonly unknown[]): Expectation {
  return ({ json }, scene) => {
    const values = json.data.map((entry: Resource) => attributeOf(entry, attribute));
    expect(values, JSON.stringify(json.data).slice(0, 500)).to.deep.equal(
      wanted.map((value) => (typeof value === "string" ? scene.fill(value) : value)),
    );
  };
}

/** A list of exactly these entries, in any order. */
export function listed(...ids: readonly string[]): Expectation {
  return ({ json }, { fill }) => {
    expect(json.data.map(({ id }: Resource) => id).sort()).to.deep.equal(ids.map(fill).sort());
  };
}

export function holding(...ids: readonly string[]): Expectation {
  return ({ json }, { fill }) => {
    expect(json.data.map(({ id }: Resource) => id)).to.include.members(ids.map(fill));
  };
}

export function without(...ids: readonly string[]): Expectation {
  return ({ json }, { fill }) => {
    for (const id of ids) expect(json.data.map((entry: Resource) => entry.id)).not.to.include(fill(id));
  };
}

type Resource = { id: string; attributes: Record<string, unknown> };

function attributeOf(entry: Resource, attribute: string): unknown {
  return attribute === "id" ? entry.id : entry.attributes[attribute];
}

/** An error with this code, and where it is: a pointer, or `parameter …` or `header …`. */
export function error(code: string, where?: string): Expectation {
  return ({ json }, { fill }) => {
    const found = json.errors.map((entry: ErrorEntry) =>
      where === undefined ? entry.code : `${entry.code} ${sourceOf(entry)}`,
    );
    expect(found, JSON.stringify(json)).to.include(where === undefined ? code : `${code} ${fill(where)}`);
  };
}

/** The errors point to these places and no others. */
export function errorsAt(...pointers: readonly string[]): Expectation {
  return ({ json }) => {
    expect(json.errors.map(sourceOf).sort()).to.deep.equal([...pointers].sort());
  };
}

type ErrorEntry = { code: string; source?: { pointer?: string; parameter?: string; header?: string } };

function sourceOf({ source = {} }: ErrorEntry): string {
  if (source.parameter !== undefined) return `parameter ${source.parameter}`;
  return source.header !== undefined ? `header ${source.header}` : (source.pointer ?? "");
}

export function header(name: string, wanted: RegExp | string): Expectation {
  return ({ headers }, { fill }) => {
    if (typeof wanted === "string") expect(headers[name], name).to.equal(fill(wanted));
    else expect(headers[name] ?? "", name).to.match(wanted);
  };
}

export function all(...expectations: readonly Expectation[]): Expectation {
  return async (reply, scene) => {
    for (const expectation of expectations) await expectation(reply, scene);
  };
}

/** The single resource, or each entry of a list, has these relationships and no others, and their links resolve. */
export function related(...names: readonly string[]): Expectation {
  return async ({ json }, scene) => {
    for (const entry of [json.data].flat()) {
      const links = entry.relationships ?? {};
      expect(Object.keys(links).sort()).to.deep.equal([...names].sort());
      for (const name of names) {
        const reply = await scene.send(`GET ${links[name].links.related}`);
        expect(reply.status, `${name}: ${reply.text.slice(0, 300)}`).to.equal(200);
      }
    }
  };
}

/** A list's links lead through all of its pages, forwards and backwards, and each entry occurs once. */
export const walked: Expectation = async (reply, { send }) => {
  const { meta, links, data } = reply.json;
  const ids = (page: Reply): string[] => page.json.data.map((entry: Resource) => entry.id);
  const follow = async (from: Reply, link: "next" | "prev"): Promise<string[][]> => {
    const pages: string[][] = [];
    for (let page = from; ; page = await send(`GET ${page.json.links[link]}`)) {
      expect(page.status, page.text.slice(0, 300)).to.equal(200);
      pages.push(ids(page));
      if (page.json.links[link] === null) return pages;
      expect(pages.length, "pages").to.be.at.most(200);
    }
  };
  expect(links.prev, "the first page has none before it").to.equal(null);
  expect(ids(await send(`GET ${links.self}`))).to.deep.equal(ids(reply));
  expect(ids(await send(`GET ${links.first}`))).to.deep.equal(ids(reply));
  const forth = await follow(reply, "next");
  expect(forth.flat()).to.have.lengthOf(meta.total);
  expect(new Set(forth.flat()).size, "entries that come once").to.equal(meta.total);
  expect(data.length).to.be.above(0);
  const last = await send(`GET ${links.last}`);
  expect(last.json.links.next).to.equal(null);
  expect((await follow(last, "prev")).reverse()).to.deep.equal(forth);
};

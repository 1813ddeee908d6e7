import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { openApiDocument } from "../../src/api/openapi/document.ts";
import { routes } from "../../src/api/routes.ts";
import { htmlEngines } from "../../src/schema/html-engines.ts";
import { asObject, fieldNames } from "./json-schema.ts";

/**
 * Compares each call of a test with the OpenAPI document: a URL, method, status,
 * header or field that is not in it is an error. What was seen is collected, so that a
 * test can report what the document describes and no call has produced.
 */

export type Exchange = {
  method: string;
  /** Path and query below /api/v1. */
  path: string;
  sent: unknown;
  sentHeaders: Headers;
  status: number;
  headers: Headers;
  text: string;
};

type Operation = {
  operationId: string;
  parameters: { name: string; in: string }[];
  /** Attributes that a request may set. */
  attributes: string[];
  responses: Record<string, { headers: Record<string, { required?: boolean }>; content: Record<string, unknown> }>;
};

type Json = Record<string, unknown>;

export const document = openApiDocument(routes, { maxPages: 5_000, maxRateLimit: 25, htmlEngines });
const seen = new Set<string>();

const ajv = new Ajv2020({
  ...{ strict: false, allErrors: true, validateSchema: false },
  // The same in a quarter of the time: a part that many responses have is compiled once, and most run only a few times.
  ...{ inlineRefs: false, code: { optimize: false } },
});
ajv.addFormat("uuid", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
ajv.addFormat("uri", (text: string) => URL.canParse(text));
ajv.addSchema({ $id: "document", components: document.components });
const validators = new Map<unknown, ValidateFunction>();

/** Checks a value against a schema of the document. @throws Error saying what is wrong */
export function requireAsDocumented(schema: unknown, value: unknown, where: string): void {
  const validate = validatorOf(schema);
  if (!validate(value))
    throw new Error(`${where} is not as the OpenAPI document says: ${ajv.errorsText(validate.errors)}`);
}

function validatorOf(schema: unknown): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  const own = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'));
  const validate = ajv.compile(own);
  validators.set(schema, validate);
  return validate;
}

function resolve(value: unknown): Json {
  const { $ref: ref } = asObject(value);
  if (typeof ref !== "string") return asObject(value);
  return asObject(
    ref
      .slice(2)
      .split("/")
      .reduce<unknown>((at, step) => asObject(at)[step], document),
  );
}

/** Every operation, by path and method. */
const paths = Object.entries(document.paths).map(([path, item]) => ({
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.")}$`),
  methods: new Map(
    Object.entries(item)
      .filter(([method]) => method !== "parameters")
      .map(([method, operation]) => [method.toUpperCase(), readOperation(asObject(operation))]),
  ),
}));

function readOperation(operation: Json): Operation {
  const list = Array.isArray(operation.parameters) ? operation.parameters : [];
  const [body] = Object.values(asObject(asObject(operation.requestBody).content));
  const { data } = asObject(resolve(asObject(body).schema).properties);
  const { attributes } = asObject(asObject(data).properties);
  return {
    operationId: String(operation.operationId),
    parameters: list.map(resolve) as Operation["parameters"],
    attributes: Object.keys(asObject(asObject(attributes).properties)),
    responses: Object.fromEntries(
      Object.entries(asObject(operation.responses)).map(([status, response]) => {
        const { headers, content } = resolve(response);
        const named = Object.entries(asObject(headers)).map(([name, header]) => [name, resolve(header)]);
        return [status, { headers: Object.fromEntries(named), content: asObject(content) }];
      }),
    ) as Operation["responses"],
  };
}

/** Compiles the schemas of all responses, which takes half a second at least: no test has to wait for it between two calls. */
export function compileResponses(): void {
  for (const { methods } of paths)
    for (const { responses } of methods.values())
      for (const { content } of Object.values(responses))
        for (const media of Object.values(content)) {
          const { schema } = asObject(media);
          if (schema !== undefined) validatorOf(schema);
        }
}

/** @returns the operation's id, when the call is one of the document's. @throws Error when the call does not conform to the document */
export function holdAgainstDocument(exchange: Exchange): string | undefined {
  const { pathname, searchParams } = new URL(exchange.path, "http://localhost");
  const found = paths.find(({ pattern }) => pattern.test(pathname));
  if (!found) return undefined;
  const { status } = exchange;
  const operation = found.methods.get(exchange.method === "HEAD" ? "GET" : exchange.method);
  const where = `${exchange.method} ${exchange.path} → ${status}`;
  if (!operation) {
    if (exchange.method === "OPTIONS" && status === 204) return undefined;
    if (status !== 405) throw new Error(`${where}: the OpenAPI document has no such method.`);
    requireValid(where, { Error405: resolve({ $ref: "#/components/responses/Error405" }) }, "Error405", exchange);
    return undefined;
  }
  const { operationId } = operation;
  requireValid(where, operation.responses, String(status), exchange);
  seen.add(`${operationId} answers ${status}`);
  if (status >= 400) {
    if (/\bundefined\b/.test(exchange.text)) throw new Error(`${where} tells clients of undefined: ${exchange.text}`);
    return operationId;
  }
  noteRequest(where, operation, searchParams, exchange);
  if (/[/+]json\b/.test(exchange.headers.get("content-type") ?? "") && exchange.text !== "")
    noteResources(asObject(JSON.parse(exchange.text)).data);
  return operationId;
}

function requireValid(where: string, responses: Json, status: string, { method, headers, text }: Exchange): void {
  const response = asObject(responses[status]);
  if (!responses[status]) throw new Error(`${where}: the OpenAPI document has no such status.`);
  for (const [name, { required }] of Object.entries(response.headers as Record<string, { required?: boolean }>))
    if (required && !headers.has(name)) throw new Error(`${where}: the header ${name} is missing.`);
  if (method === "HEAD") return;
  const content = asObject(response.content);
  const type = (headers.get("content-type") ?? "").split(";")[0] ?? "";
  if (Object.keys(content).length === 0 && text === "") return;
  const media = content[type];
  if (media === undefined) throw new Error(`${where}: the OpenAPI document has no ${type} here.`);
  const { schema } = asObject(media);
  if (schema === undefined || !/json/.test(type)) return;
  requireAsDocumented(schema, JSON.parse(text), `${where} ${text}`);
}

function noteRequest(where: string, operation: Operation, query: URLSearchParams, exchange: Exchange): void {
  const { operationId, parameters, attributes } = operation;
  const known = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  for (const name of query.keys()) {
    if (!known.includes(name)) throw new Error(`${where}: the OpenAPI document has no parameter ${name}.`);
    seen.add(`${operationId} takes ${name}`);
  }
  for (const { name } of parameters.filter((parameter) => parameter.in === "header"))
    if (exchange.sentHeaders.has(name)) seen.add(`${operationId} takes ${name}`);
  for (const name of Object.keys(asObject(asObject(asObject(exchange.sent).data).attributes))) {
    if (!attributes.includes(name)) throw new Error(`${where}: the OpenAPI document has no attribute ${name}.`);
    seen.add(`${operationId} takes ${name}`);
  }
}

function noteResources(data: unknown): void {
  for (const one of [data].flat()) {
    const { type, attributes, relationships } = asObject(one);
    for (const name of namesIn(attributes, "")) seen.add(`${type} shows ${name}`);
    for (const name of Object.keys(asObject(relationships))) seen.add(`${type} leads to ${name}`);
  }
}

/** `checks.html.status`, `html[].extract`: as fieldNames names them. */
function namesIn(value: unknown, prefix: string): string[] {
  return Object.entries(asObject(value)).flatMap(([name, inner]) => {
    const path = `${prefix}${name}`;
    if (Array.isArray(inner)) return [path, ...inner.flatMap((entry) => namesIn(entry, `${path}[].`))];
    return [path, ...namesIn(inner, `${path}.`)];
  });
}

/** Everything that the document describes, in the same format as what was seen. */
function promised(): string[] {
  const ofOperations = paths.flatMap(({ methods }) =>
    [...methods.values()].flatMap(({ operationId, parameters, attributes, responses }) => [
      ...Object.keys(responses).map((status) => `${operationId} answers ${status}`),
      ...parameters.filter((parameter) => parameter.in !== "path").map(({ name }) => `${operationId} takes ${name}`),
      ...attributes.map((name) => `${operationId} takes ${name}`),
    ]),
  );
  const ofResources = Object.values(asObject(asObject(document.components).schemas)).flatMap((schema) => {
    const { attributes, type, relationships } = asObject(asObject(schema).properties);
    const name = asObject(type).const;
    if (name === undefined) return [];
    return [
      ...fieldNames(attributes).map((field) => `${name} shows ${field}`),
      ...Object.keys(asObject(asObject(relationships).properties)).map((link) => `${name} leads to ${link}`),
    ];
  });
  return [...ofOperations, ...ofResources];
}

/** What the document describes and no call has produced so far. */
export function unseen(): string[] {
  return [...new Set(promised())].filter((promise) => !seen.has(promise));
}

/** The method, path template and operation of everything in the document. */
export function documentedOperations(): { method: string; path: string; operationId: string; statuses: string[] }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== "parameters")
      .map(([method, operation]) => {
        const { operationId, responses } = asObject(operation);
        return {
          method: method.toUpperCase(),
          path,
          operationId: String(operationId),
          statuses: Object.keys(asObject(responses)),
        };
      }),
  );
}

import type { OpenApiDocument } from "./document.ts";
import { asObject, constraints, type Field, fieldsOf, typeOf } from "./reference-schema.ts";

type Json = Record<string, unknown>;
type Shown = { method: string; path: string; operation: Json; pathParameters: unknown[] };

export const style = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 70rem; margin: 0 auto; padding: 1rem; }
h2 { border-bottom: 2px solid; margin-top: 3rem; }
article { margin: 2.5rem 0; }
code, pre { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; border: 1px solid; padding: 0.75rem; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 1rem; }
th, td { border: 1px solid; padding: 0.25rem 0.5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
caption { text-align: left; font-weight: 600; padding: 0.5rem 0; }
summary { padding: 0.25rem 0; }
nav li { padding: 0.125rem 0; }
`;

/** The OpenAPI document as a page that needs no script: contents, operations by tag, resources, errors. */
export function referencePage(document: OpenApiDocument): string {
  const shown = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== "parameters")
      .map(
        ([method, operation]): Shown => ({
          method: method.toUpperCase(),
          path,
          operation: asObject(operation),
          pathParameters: Array.isArray(item.parameters) ? item.parameters : [],
        }),
      ),
  );
  const byTag = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: shown.filter(({ operation }) => Array.isArray(operation.tags) && operation.tags.includes(name)),
  }));
  const find = finder(document);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference – ${text(document.info.title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${text(document.info.title)}: API reference</h1>
${document.info.description
  .split("\n\n")
  .map((paragraph) => `<p>${text(paragraph)}</p>`)
  .join("\n")}
<p>For programs: <a href="openapi.json">the OpenAPI document</a>. Addresses begin with <code>/api/v1</code>.</p>
</header>
<nav aria-label="Contents">
<ul>
${byTag.map(contents).join("\n")}
<li><a href="#resources">Resources</a></li>
<li><a href="#errors">Errors</a></li>
</ul>
</nav>
<main>
${byTag
  .map(({ name, description, operations }) =>
    section(
      name,
      description,
      operations.map((one) => article(one, find)),
    ),
  )
  .join("\n")}
${section("Resources", "What answers hold, by type. All timestamps are UTC.", resources(document))}
${section("Errors", "Every error has a body: errors, each with status, code, title, detail and, mostly, source.", [errors(document)])}
</main>
</body>
</html>
`;
}

/** Follows a `$ref` into the document. */
function finder(document: OpenApiDocument): (value: unknown) => Json {
  return (value) => {
    const { $ref: ref } = asObject(value);
    if (typeof ref !== "string") return asObject(value);
    const steps = ref.slice(2).split("/");
    return asObject(steps.reduce<unknown>((at, step) => asObject(at)[step], document));
  };
}

type Finder = ReturnType<typeof finder>;

function contents({ name, operations }: { name: string; operations: Shown[] }): string {
  const entries = operations.map(
    ({ operation }) => `<li><a href="#${text(operation.operationId)}">${text(operation.summary)}</a></li>`,
  );
  return `<li><a href="#${slug(name)}">${text(name)}</a>\n<ul>\n${entries.join("\n")}\n</ul></li>`;
}

function section(name: string, description: string, parts: string[]): string {
  const id = slug(name);
  return `<section aria-labelledby="${id}">\n<h2 id="${id}">${text(name)}</h2>\n<p>${text(description)}</p>\n${parts.join("\n")}\n</section>`;
}

function article({ method, path, operation, pathParameters }: Shown, find: Finder): string {
  const id = text(operation.operationId);
  const parameters = [...pathParameters, ...(Array.isArray(operation.parameters) ? operation.parameters : [])].map(
    find,
  );
  const security = Array.isArray(operation.security) ? operation.security : [];
  const access =
    security.length === 0
      ? "Needs no token."
      : security.length > 1
        ? "Needs a token, unless the report is shared."
        : `Needs a token${method === "GET" ? "" : " that may write"}.`;
  const body = asObject(asObject(operation.requestBody).content)["application/json"];
  return `<article aria-labelledby="${id}">
<h3 id="${id}">${text(operation.summary)}</h3>
<p><code>${method} ${text(path)}</code></p>
${operation.description === undefined ? "" : `<p>${text(operation.description)}</p>\n`}<p>${access}</p>
${parameters.length === 0 ? "" : parameterTable(parameters)}
${body === undefined ? "" : requestPart(asObject(body), find)}
${responsesPart(asObject(operation.responses), find)}
</article>`;
}

function parameterTable(parameters: Json[]): string {
  const rows = parameters.map(({ name, in: place, description, schema }) => {
    const limits = constraints(asObject(schema));
    return [code(name), text(place), text(typeOf(asObject(schema))), text(`${description} ${limits}`.trim())];
  });
  return table("Parameters", ["Name", "In", "Type", "Description"], rows);
}

function requestPart(body: Json, find: Finder): string {
  const data = asObject(asObject(asObject(find(body.schema).properties).data).properties);
  return fieldTable("Attributes of the request", fieldsOf(data.attributes)) + example("Example of a request", body);
}

function responsesPart(responses: Json, find: Finder): string {
  const rows = Object.entries(responses).map(([status, response]) => {
    const { description, headers } = find(response);
    return [text(status), text(description), Object.keys(asObject(headers)).map(code).join(" ")];
  });
  const [first] = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const [content] = Object.values(asObject(find(first?.[1]).content));
  return table("Answers", ["Status", "Meaning", "Headers"], rows) + example("Example of an answer", asObject(content));
}

function resources(document: OpenApiDocument): string[] {
  const schemas = asObject(asObject(document.components).schemas);
  return Object.entries(schemas).flatMap(([name, schema]) => {
    const { properties, description } = asObject(schema);
    const { attributes, type, relationships } = asObject(properties);
    if (attributes === undefined) return [];
    const links = Object.keys(asObject(asObject(relationships).properties));
    const id = slug(`type ${name}`);
    return [
      `<article aria-labelledby="${id}">
<h3 id="${id}">${text(name)}</h3>
<p>${text(description)}</p>
<p>Type: <code>${text(asObject(type).const)}</code>.${links.length === 0 ? "" : ` Related links: ${links.map(code).join(" ")}.`}</p>
${fieldTable(`Attributes of ${name}`, fieldsOf(attributes))}
</article>`,
    ];
  });
}

function errors(document: OpenApiDocument): string {
  const responses = asObject(asObject(document.components).responses);
  const rows = Object.entries(responses).map(([name, response]) => {
    const { description, content } = asObject(response);
    const [media] = Object.values(asObject(content));
    const codes = fieldsOf(asObject(media).schema).find((field) => field.name === "errors[].code");
    return [text(name.replace("Error", "")), text(description), text(codes?.description)];
  });
  return table("Errors by status", ["Status", "Meaning", "Code"], rows);
}

function fieldTable(caption: string, fields: Field[]): string {
  const rows = fields.map(({ name, type, required, description }) => [
    code(name),
    text(type),
    required ? "always" : "optional",
    text(description),
  ]);
  return table(caption, ["Name", "Type", "Presence", "Description"], rows);
}

function table(caption: string, heads: string[], rows: string[][]): string {
  const head = heads.map((name) => `<th scope="col">${text(name)}</th>`).join("");
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`);
  return `<table>\n<caption>${text(caption)}</caption>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body.join("\n")}\n</tbody>\n</table>\n`;
}

function example(title: string, media: Json): string {
  const { value } = asObject(asObject(media.examples).recorded);
  if (value === undefined) return "";
  return `<details>\n<summary>${text(title)}</summary>\n<pre><code>${text(JSON.stringify(value, null, 2))}</code></pre>\n</details>\n`;
}

function code(name: unknown): string {
  return `<code>${text(name)}</code>`;
}

function slug(name: string): string {
  return name.toLowerCase().replace(/\W+/g, "-");
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function text(value: unknown): string {
  return String(value ?? "").replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

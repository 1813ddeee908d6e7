import type { Seed } from "./seed.ts";

/** Statuses of refused requests; 409 is for a `data.type` that does not belong to the URL. */
const refusals = [400, 401, 403, 404, 406, 409, 415, 422];

/**
 * Statuses that a valid request may get besides 2xx: it may name what does not exist, come
 * without a token, or exceed the rate limit.
 */
const acceptances = ["2xx", 304, 401, 402, 403, 404, 409];

/**
 * Operations with a body whose valid requests may break a rule that no schema can express: a URL that no
 * parser reads, a time that is over, a selector that depends on positions, an unknown device, settings that disagree, a time zone
 * a network or a report that there is not, a file of another form, a change of an answer that is not there yet.
 */
const bodiesWithRules = [
  "createReport",
  "createSchedule",
  "updateSchedule",
  "createMuting",
  "updateMuting",
  "previewMuting",
  "createBasicAuth",
  "updateBasicAuth",
  "createShareLink",
  "updateShareLink",
  "createReceiver",
  "updateReceiver",
  "importSitePageViews",
  "createPin",
  "createDeletion",
  "invitePerson",
  "updatePerson",
  "createTeam",
  "updateTeam",
  "createAssignment",
  "updateAssignment",
  "updateCause",
  "answerSiteCriterion",
  "createApiToken",
  "updateApiToken",
];

/**
 * Query parameters whose valid values may break such a rule: guest_token without created_by, filter[tags][mode] without
 * a list, filter[muted] beside no common issue, in a list that has a filter by one, a cursor that no list has given, a day
 * that no calendar has, a successor who is removed.
 */
const parametersWithRules = [
  ...["guest_token", "filter[tags][mode]", "filter[common_html_issue_id]", "page[after]"],
  ...["filter[from]", "filter[to]", "successor_id"],
];

/** What is read of the OpenAPI document. */
export type Document = {
  paths: Record<string, Record<string, { operationId?: string; parameters?: readonly { name?: string }[] }>>;
};

/** The operations whose valid requests may be refused, each with the status of its refusal. */
function operationsWithRules({ paths }: Document): [string, number][] {
  const asked = Object.values(paths)
    .flatMap(({ get, delete: remove }) => [get, remove])
    .filter((operation) => operation?.parameters?.some(({ name = "" }) => parametersWithRules.includes(name)))
    .map((operation): [string, number] => [operation?.operationId ?? "", 400]);
  return [...asked, ...bodiesWithRules.map((id): [string, number] => [id, 422])];
}

/**
 * The operations on what a resource contains, such as a page of a report. The ids of the seed count as taken from
 * the resource that was just created, which has no such page: that is no missing resource.
 */
function operationsOnParts({ paths }: Document): string[] {
  return Object.entries(paths)
    .filter(([path]) => path.split("{").length > 2)
    .flatMap(([, operations]) => Object.values(operations).flatMap(({ operationId }) => operationId ?? []));
}

type Options = { token: string; seed: Seed; document: Document; examples: number };

/** schemathesis.toml: all checks, on the seeded resources. */
export function configuration({ token, seed, document, examples }: Options): string {
  const lines = [
    // Two threads that parse at once can break Python 3.11 ("AST constructor recursion depth mismatch").
    "workers = 1",
    "continue-on-failure = true",
    "request-timeout = 30",
    "suppress-health-check = ['all']",
    "[auth.openapi]",
    `bearer = { bearer = ${text(token)} }`,
    "[generation]",
    `max-examples = ${examples}`,
    "allow-x00 = false",
    "deterministic = true",
    "no-shrink = true",
    // A scenario has many requests, and the earlier phases have made those of one kind already.
    "[phases.stateful.generation]",
    "max-examples = 20",
    "[checks.negative_data_rejection]",
    `expected-statuses = ${list(refusals)}`,
    "[checks.positive_data_acceptance]",
    `expected-statuses = ${list(acceptances)}`,
    ...operation({ "include-method": "GET" }, seed.reading),
    ...operation(
      {
        "include-operation-id": [
          "updateReport",
          "updateSchedule",
          "updateGuestAccount",
          "updateBasicAuth",
          "updateMuting",
          "renewDeployHook",
          "runDeployHook",
          "updateShareLink",
          "acceptInvitation",
        ],
      },
      seed.reading,
    ),
    ...operation({ "include-operation-id": ["updateWebPage"] }, seed.rechecking),
    "[[operations]]",
    `include-operation-id = ${list(operationsOnParts(document))}`,
    "checks.ensure_resource_availability.enabled = false",
    ...operationsWithRules(document).flatMap(([id, status]) => [
      "[[operations]]",
      `include-operation-id = ${text(id)}`,
      `checks.positive_data_acceptance.expected-statuses = ${list([...acceptances, status])}`,
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

function operation(filter: Record<string, unknown>, parameters: Record<string, string>): string[] {
  const filters = Object.entries(filter).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const values = Object.entries(parameters).map(([name, value]) => `${text(`path.${name}`)} = ${text(value)}`);
  return ["[[operations]]", ...filters, `parameters = { ${values.join(", ")} }`];
}

function list(values: readonly (string | number)[]): string {
  return JSON.stringify(values.map(String));
}

function text(value: string): string {
  return JSON.stringify(value);
}

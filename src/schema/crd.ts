import { immutableSpec, mutableReportFields, reportSpecSchema, staysCancelled } from "./report.ts";
import { GROUP, VERSION } from "./resources.ts";
import { type SpecRule, targetRules } from "./rules.ts";
import { scheduleRules, scheduleSpecSchema } from "./schedule.ts";
import { reportStatusSchema, scheduleStatusSchema } from "./status.ts";

/**
 * The CustomResourceDefinitions, generated from the schemas that also define the types and
 * validate API requests (apiextensions.k8s.io/v1, "structural schemas").
 */

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type CelRule = { rule: string; message: string; reason?: string };
type Column = { name: string; type: string; jsonPath: string; description: string };

export function reportCrd(): Json {
  const fixed = Object.keys(reportSpecSchema.properties).filter(
    (name) => !(mutableReportFields as readonly string[]).includes(name),
  );
  return crd({
    kind: "Report",
    plural: "reports",
    shortName: "svr",
    description: "One validation of a site: crawled from a starting URL, each page checked.",
    spec: reportSpecSchema,
    status: reportStatusSchema,
    rules: [
      ...targetRules.map(celRule),
      {
        // One rule on the whole spec: a rule on a field is not evaluated when the field is added or removed.
        rule: fixed.map((name) => `self.${name} == oldSelf.${name}`).join(" && "),
        message: immutableSpec,
      },
      celRule(staysCancelled),
    ],
    columns: [
      { name: "URL", type: "string", jsonPath: ".spec.startingUrl", description: "The starting URL." },
      { name: "Phase", type: "string", jsonPath: ".status.phase", description: "The report's progress." },
      { name: "Pages", type: "integer", jsonPath: ".status.pages", description: "Pages found." },
      { name: "Errors", type: "integer", jsonPath: ".status.errors", description: "Errors found." },
      { name: "Warnings", type: "integer", jsonPath: ".status.warnings", description: "Warnings found." },
      { name: "New", type: "integer", jsonPath: ".status.newFindings", description: "New since the last report." },
      {
        name: "Fixed",
        type: "integer",
        jsonPath: ".status.fixedFindings",
        description: "Fixed since the last report.",
      },
      {
        name: "Passed",
        type: "string",
        jsonPath: '.status.conditions[?(@.type=="Passed")].status',
        description: "Whether it passes its gate.",
      },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "Time since creation." },
    ],
  });
}

export function scheduleCrd(): Json {
  return crd({
    kind: "Schedule",
    plural: "schedules",
    shortName: "svs",
    description: "A report's definition that runs daily, weekly, monthly or on a deploy hook.",
    spec: scheduleSpecSchema,
    status: scheduleStatusSchema,
    rules: [...targetRules, ...scheduleRules].map(celRule),
    columns: [
      { name: "URL", type: "string", jsonPath: ".spec.startingUrl", description: "The starting URL." },
      { name: "Every", type: "string", jsonPath: ".spec.periodicity.every", description: "How often it runs." },
      { name: "Active", type: "boolean", jsonPath: ".spec.active", description: "Whether it runs." },
      { name: "Last run", type: "date", jsonPath: ".status.lastRunTime", description: "Time since the last run." },
      { name: "Next run", type: "string", jsonPath: ".status.nextRunTime", description: "When it runs next." },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "Time since creation." },
    ],
  });
}

function celRule(rule: Pick<SpecRule<never>, "cel" | "message">): CelRule {
  return { rule: rule.cel, message: rule.message };
}

function crd(resource: {
  kind: string;
  plural: string;
  shortName: string;
  description: string;
  spec: Json;
  status: Json;
  rules: CelRule[];
  columns: Column[];
}): Json {
  const spec = structural(resource.spec) as { [name: string]: Json };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${resource.plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: {
        kind: resource.kind,
        listKind: `${resource.kind}List`,
        plural: resource.plural,
        singular: resource.kind.toLowerCase(),
        shortNames: [resource.shortName],
        categories: ["sitevalidation"],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: resource.columns,
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: resource.description,
              required: ["spec"],
              properties: {
                spec: { ...spec, "x-kubernetes-validations": resource.rules },
                status: structural(resource.status),
              },
            },
          },
        },
      ],
    },
  };
}

/**
 * A schema as an API server accepts it: it may not have both `properties` and
 * `additionalProperties: false` (unknown fields are pruned, or refused by strict field validation).
 */
function structural(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(structural);
  if (schema === null || typeof schema !== "object") return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => !(name === "additionalProperties" && value === false))
      .map(([name, value]) => [name, structural(value)]),
  );
}

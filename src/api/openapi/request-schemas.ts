import { FIRST_TOKEN_NAME } from "../../domain/principal.ts";
import { snakeCase } from "../../schema/api-names.ts";
import { reportSpecSchema } from "../../schema/report.ts";
import { scheduleSpecSchema } from "../../schema/schedule.ts";
import type { SpecLimits } from "../../schema/validate.ts";
import {
  apiTokenSchema,
  basicAuthSchema,
  guestAccountSchema,
  invitationSchema,
  mutingSchema,
  newGuestAccountSchema,
  webPageSchema,
} from "../request-attributes.ts";
import { requestAttributes } from "./attributes.ts";
import type { Schema } from "./response-schemas/parts.ts";

type SpecSchema = { required: readonly string[]; properties: Readonly<Record<string, Schema>> };

/**
 * `data.attributes` of every request that has a body, by operation id, derived from the
 * schemas that validate the requests.
 *
 * @param limits the operator's maxima
 */
export function requestSchemas(limits: SpecLimits): Readonly<Record<string, Schema>> {
  const schedule = fromSpec(scheduleSpecSchema, limits);
  return {
    createReport: fromSpec(reportSpecSchema, limits),
    updateReport: {
      type: "object",
      required: ["shared"],
      additionalProperties: false,
      properties: { shared: { type: "boolean", description: reportSpecSchema.properties.shared.description } },
    },
    createSchedule: schedule,
    updateSchedule: allOptional(schedule),
    updateWebPage: withoutNullable(webPageSchema),
    createMuting: withoutNullable(mutingSchema),
    createGuestAccount: withoutNullable(newGuestAccountSchema),
    updateGuestAccount: withoutNullable(guestAccountSchema),
    acceptInvitation: withoutNullable(invitationSchema),
    createApiToken: withoutNullable({
      ...apiTokenSchema,
      properties: {
        ...apiTokenSchema.properties,
        name: { ...apiTokenSchema.properties.name, not: { const: FIRST_TOKEN_NAME } },
      },
    }),
    createBasicAuth: withoutNullable(basicAuthSchema),
  };
}

/** A resource's spec as API requests have it. */
function fromSpec({ required, properties }: SpecSchema, limits: SpecLimits): Schema {
  return {
    type: "object",
    required: required.map(snakeCase),
    additionalProperties: false,
    properties: requestAttributes(properties, limits),
  };
}

function allOptional(schema: Schema): Schema {
  const { required: _, properties, ...rest } = schema as { required: unknown; properties: Record<string, Schema> };
  const withoutDefaults = Object.entries(properties).map(([name, { default: _, ...property }]) => [name, property]);
  return { ...rest, properties: Object.fromEntries(withoutDefaults) };
}

/** Ajv and OpenAPI 3.0 have `nullable`; JSON Schema has the type `null` instead. */
function withoutNullable(schema: Schema): Schema {
  const change = ({ nullable, type, ...rest }: Schema) => ({
    type: nullable === true ? [type, "null"] : type,
    ...rest,
  });
  const { properties, ...rest } = schema as { properties: Record<string, Schema> };
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, change(property)])),
  };
}

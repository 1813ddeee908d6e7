import { FIRST_TOKEN_NAME } from "../../domain/accounts/principal.ts";
import { snakeCase } from "../../schema/api-names.ts";
import { mutingSchema } from "../../schema/muting.ts";
import { reportSpecSchema } from "../../schema/report.ts";
import { scheduleSpecSchema } from "../../schema/schedule.ts";
import type { SpecLimits } from "../../schema/validate.ts";
import {
  apiTokenSchema,
  basicAuthChangeSchema,
  basicAuthSchema,
  guestAccountSchema,
  invitationSchema,
  newGuestAccountSchema,
  newShareLinkSchema,
  shareLinkSchema,
  siteSchema,
  webPageSchema,
} from "../request-attributes.ts";
import { requestAttributes, withDefault } from "./attributes.ts";
import type { Schema } from "./response-schemas/parts.ts";

type SpecSchema = { required: readonly string[]; properties: Readonly<Record<string, Schema>> };

/**
 * `data.attributes` of every request that has a body, by operation id, derived from the
 * schemas that validate the requests.
 *
 * @param limits the operator's maxima
 */
export function requestSchemas(limits: SpecLimits): Readonly<Record<string, Schema>> {
  return {
    createReport: fromSpec(reportSpecSchema, limits),
    updateReport: {
      type: "object",
      minProperties: 1,
      additionalProperties: false,
      properties: {
        shared: { type: "boolean", description: reportSpecSchema.properties.shared.description },
        cancelled: { type: "boolean", const: true, description: reportSpecSchema.properties.cancelled.description },
      },
    },
    createSchedule: fromSpec(scheduleSpecSchema, limits),
    updateSchedule: {
      type: "object",
      additionalProperties: false,
      properties: requestAttributes(scheduleSpecSchema.properties, limits, { defaults: false }),
    },
    updateSite: forRequest(siteSchema),
    createShareLink: forRequest(newShareLinkSchema),
    updateShareLink: forRequest(shareLinkSchema),
    updateWebPage: forRequest(webPageSchema),
    createMuting: forRequest(mutingSchema),
    updateMuting: forRequest(mutingSchema),
    previewMuting: forRequest(mutingSchema),
    createGuestAccount: forRequest(newGuestAccountSchema),
    updateGuestAccount: forRequest(guestAccountSchema),
    acceptInvitation: forRequest(invitationSchema),
    createApiToken: forRequest({
      ...apiTokenSchema,
      properties: {
        ...apiTokenSchema.properties,
        name: { ...apiTokenSchema.properties.name, not: { const: FIRST_TOKEN_NAME } },
      },
    }),
    createBasicAuth: forRequest(basicAuthSchema),
    updateBasicAuth: forRequest(basicAuthChangeSchema),
  };
}

/** A resource's spec as API requests have it. */
function fromSpec({ required, properties }: SpecSchema, limits: SpecLimits): Schema {
  return {
    type: "object",
    required: required.map(snakeCase),
    additionalProperties: false,
    properties: requestAttributes(properties, limits, { defaults: true }),
  };
}

/**
 * Replaces Ajv's `nullable` by JSON Schema's type `null`. Defaults are in the descriptions, for the same reason as in
 * `requestAttributes`.
 */
function forRequest(schema: Schema): Schema {
  const change = ({ nullable, type, default: fallback, description, ...rest }: Schema) => {
    const stated = withDefault(String(description ?? ""), fallback);
    return {
      type: nullable === true ? [type, "null"] : type,
      ...rest,
      ...(stated !== "" && { description: stated }),
    };
  };
  const { properties, ...rest } = schema as { properties: Record<string, Schema> };
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, change(property)])),
  };
}

import type { mutingMeta } from "./openapi/response-schemas/accounts.ts";
import type { auditMeta } from "./openapi/response-schemas/audit.ts";
import type { siteCriteriaMeta } from "./openapi/response-schemas/conformance.ts";
import type * as envelope from "./openapi/response-schemas/envelope.ts";
import type { causeMeta, componentMeta } from "./openapi/response-schemas/findings.ts";
import type { ResourceType, resourceSchemas } from "./openapi/response-schemas/index.ts";
import type { Properties, ValueOf } from "./openapi/response-schemas/parts.ts";
import type { excludedMeta, reportMeta, siteMeta, webPageMeta } from "./openapi/response-schemas/reports.ts";
import type { comparedRuleMeta, ruleMeta } from "./openapi/response-schemas/rules.ts";

/**
 * The API's documents as types, computed from the schemas of the OpenAPI document. The API's own code must return them,
 * and the pages and the command line read them. Types only: an import of this file loads none of the API's code.
 */

export type { ResourceType } from "./openapi/response-schemas/index.ts";

type Schemas = typeof resourceSchemas;

/** The attributes of a resource, by its type: `Attributes<"report">`. */
export type Attributes<Type extends ResourceType> = ValueOf<Schemas[Type]["attributes"]>;

/** A resource of one of these types. */
export type Resource<Type extends ResourceType = ResourceType> = {
  [Name in Type]: { id: string; type: Name; attributes: Attributes<Name> } & Relationships<
    Schemas[Name]["relationships"]
  >;
}[Type];

type Names = { readonly always: readonly string[]; readonly optional?: readonly string[] };
/** Left out only where there may be nothing to link to. */
type Relationships<Related extends Names> = Related["always"] extends readonly []
  ? { relationships?: Links<Related> }
  : { relationships: Links<Related> };
type Links<Related extends Names> = { [Name in Related["always"][number]]: Link } & {
  [Name in NonNullable<Related["optional"]>[number]]?: Link;
};
export type Link = { links: { related: string } };

type Jsonapi = ValueOf<typeof envelope.jsonapi>;

/** The document with one resource. */
export type One<Type extends ResourceType = ResourceType> = { data: Resource<Type>; jsonapi: Jsonapi };

/** The document with one page of a list. */
export type List<Type extends ResourceType = ResourceType> = {
  data: Resource<Type>[];
  links: ValueOf<typeof envelope.pageLinks>;
  meta: ListMeta<Record<never, never>> & MoreMeta<Type>;
  jsonapi: Jsonapi;
};
type MoreMeta<Type> = Type extends "component"
  ? ListMeta<typeof componentMeta>
  : Type extends "cause"
    ? ListMeta<typeof causeMeta>
    : Type extends "report_rule"
      ? ListMeta<typeof ruleMeta>
      : Type extends "compared_rule"
        ? ListMeta<typeof comparedRuleMeta>
        : Type extends "excluded_url"
          ? ListMeta<typeof excludedMeta>
          : Type extends "site"
            ? ListMeta<typeof siteMeta>
            : Type extends "report"
              ? ListMeta<typeof reportMeta>
              : Type extends "web_page"
                ? ListMeta<typeof webPageMeta>
                : Type extends "site_criterion"
                  ? ListMeta<typeof siteCriteriaMeta>
                  : Type extends "muting"
                    ? ListMeta<typeof mutingMeta>
                    : unknown;
type ListMeta<More extends Properties> = ValueOf<ReturnType<typeof envelope.pageMeta<More>>>;

/** The document with one page of a list that has a cursor instead of page numbers. */
export type CursorList<Type extends ResourceType = ResourceType> = {
  data: Resource<Type>[];
  links: ValueOf<typeof envelope.cursorLinks>;
  meta: ValueOf<
    ReturnType<typeof envelope.cursorMeta<Type extends "audit_entry" ? typeof auditMeta : Record<never, never>>>
  >;
  jsonapi: Jsonapi;
};

/** The document with the report that a deploy hook has started, or put into the queue. */
export type Run = One<"report"> & { meta: ValueOf<typeof envelope.runMeta> };

/** The document of a response with an error status. */
export type Errors = { errors: ValueOf<ReturnType<typeof envelope.errorObject>>[]; jsonapi: Jsonapi };

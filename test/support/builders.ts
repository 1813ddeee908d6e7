import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { upsertReport } from "../../src/database/reports/reports.ts";
import type { Database } from "../../src/database/tables.ts";
import type { SignInPicture } from "../../src/domain/sign-in/sign-in-picture.ts";
import { type ReportSpec, reportSpecSchema } from "../../src/schema/report.ts";
import { API_VERSION, annotations, type ReportResource } from "../../src/schema/resources.ts";

/** A report's spec with the schema's defaults and the given fields. */
export function reportSpec(spec: Partial<ReportSpec> = {}): ReportSpec {
  const defaults = Object.fromEntries(
    Object.entries(reportSpecSchema.properties).flatMap(([name, property]) =>
      "default" in property ? [[name, property.default]] : [],
    ),
  );
  return { ...defaults, startingUrl: "https://example.com/", ...spec } as ReportSpec;
}

/** A Report resource as the cluster would return it. */
export function reportResource(
  spec: Partial<ReportSpec> = {},
  metadata: Partial<ReportResource["metadata"]> = {},
): ReportResource {
  const uid = metadata.uid ?? randomUUID();
  return {
    apiVersion: API_VERSION,
    kind: "Report",
    metadata: {
      name: `report-${uid.slice(0, 8)}`,
      namespace: "default",
      uid,
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: new Date().toISOString(),
      annotations: { [annotations.id]: uid },
      ...metadata,
    },
    spec: reportSpec(spec),
  };
}

/** An account's row; returns its id. */
export async function insertAccount(
  db: Kysely<Database>,
  account: { name?: string; monthly_credits?: number } = {},
): Promise<string> {
  const row = await db
    .insertInto("accounts")
    .values({ name: "test", monthly_credits: null, ...account })
    .returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}

/** A report's row (and its account's, when none is given) as api or controller would make it; returns its id. */
export async function insertReport(
  db: Kysely<Database>,
  options: { accountId?: string; spec?: Partial<ReportSpec> } = {},
): Promise<string> {
  const resource = reportResource(options.spec);
  await upsertReport(db, resource, options.accountId ?? (await insertAccount(db)));
  return resource.metadata.uid;
}

/** A picture of a sign-in, of its second step unless given. */
export function signInPicture(picture: Partial<SignInPicture> = {}): SignInPicture {
  return { step: 2, action: "click #go", failed: false, png: Buffer.from("PNG"), ...picture };
}

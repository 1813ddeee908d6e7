import type { Standing } from "../domain/acts/rule.ts";
import type { SiteCredentials } from "../domain/headers/site-credentials.ts";
import type { AddressPolicy } from "./addresses.ts";
import { certificateRule } from "./tls-trust.ts";

/** By what the requests of a report act in somebody's name: by credentials, or by the operator's client certificates alone. */
export function standingOf({
  credentials,
  policy,
}: {
  credentials?: SiteCredentials | undefined;
  policy: Pick<AddressPolicy, "tls">;
}): Standing {
  return { credentials, showsCertificate: certificateRule(policy.tls) };
}

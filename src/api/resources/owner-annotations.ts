import type { Principal } from "../../domain/accounts/principal.ts";
import { annotations } from "../../schema/resources.ts";
import type { Context } from "../context.ts";

/** The annotations of a resource that an API call creates: its owner and the request. */
export function ownerAnnotations(
  { requestId }: Pick<Context, "requestId">,
  caller: Pick<Principal, "accountId" | "guestToken">,
): Readonly<Record<string, string>> {
  return {
    [annotations.account]: caller.accountId,
    ...(caller.guestToken !== null && { [annotations.guest]: caller.guestToken }),
    [annotations.requestId]: requestId,
  };
}

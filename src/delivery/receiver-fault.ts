import { isThisMachine } from "../domain/addresses/this-machine.ts";
import type { ReceiverKind } from "../domain/notifications/receivers.ts";
import { type AddressPolicy, isAllowedAddress } from "../net/addresses.ts";
import { ipLiteral } from "../net/guarded-lookup.ts";
import { isTimeZone } from "../schema/schedule.ts";
import { formatValue } from "../schema/validate.ts";

/** Why a receiver cannot have an attribute, with the error code of the API. */
export type ReceiverFault = {
  attribute: "kind" | "url" | "mail_addresses" | "time_zone";
  code: "inconsistent" | "required" | "not_allowed" | "invalid_format";
  message: string;
};

/** What the operator allows: where receivers may be, and whether mail is sent. */
export type ReceiverLimits = { policy: AddressPolicy; mail: boolean };

/**
 * Says why messages cannot be sent where somebody wants to have them.
 *
 * @param given.url undefined for one that was given before
 */
export function receiverFault(
  kind: ReceiverKind,
  given: { url: string | null | undefined; mail_addresses: readonly string[] },
  { policy, mail }: ReceiverLimits,
): ReceiverFault | undefined {
  const { url, mail_addresses: mails } = given;
  if (kind === "mail") return mailFault(url, mails, mail);
  if (mails.length > 0)
    return fault("mail_addresses", "inconsistent", `mail_addresses is for mail; ${kind} has a url.`);
  if (url === undefined) return undefined;
  if (url === null) return fault("url", "required", `url is required for ${kind}.`);
  return urlFault(url, policy);
}

const fault = (attribute: ReceiverFault["attribute"], code: ReceiverFault["code"], message: string): ReceiverFault => ({
  attribute,
  code,
  message,
});

function mailFault(url: string | null | undefined, mails: readonly string[], isSent: boolean) {
  if (url) return fault("url", "inconsistent", "url is for webhooks and channels; mail has mail_addresses.");
  if (mails.length === 0) return fault("mail_addresses", "required", "mail_addresses is required for mail.");
  if (isSent) return undefined;
  const message = "kind is mail; the service sends none: its operator must set SMTP_URL and MAIL_FROM.";
  return fault("kind", "not_allowed", message);
}

/** No message has the address itself: it may be a secret. */
function urlFault(url: string, policy: AddressPolicy): ReceiverFault | undefined {
  const target = URL.parse(url);
  if (target?.username !== "" || target.password !== "") {
    const message = "url must be an address such as https://tickets.example.com/checks, without a user name.";
    return fault("url", "invalid_format", message);
  }
  const hasPrivate = policy.allowed.length > 0;
  if (target.protocol !== "https:" && !(target.protocol === "http:" && hasPrivate))
    return fault("url", "invalid_format", `url is ${formatValue(target.protocol)}//…; it must begin with https://.`);
  const literal = ipLiteral(target.hostname);
  const isInside =
    literal === undefined ? isThisMachine(target.hostname) && !hasPrivate : !isAllowedAddress(literal, policy);
  if (!isInside) return undefined;
  return fault(
    "url",
    "not_allowed",
    "url is inside the service's own network. Use a public address, or ask the operator to allow it (RECEIVER_PRIVATE_CIDRS).",
  );
}

/** Says why a digest cannot follow a time zone. */
export function timeZoneFault(zone: string): ReceiverFault | undefined {
  if (isTimeZone(zone)) return undefined;
  const message = `time_zone is ${formatValue(zone)}; it must be a name of the IANA database, such as Europe/Berlin.`;
  return fault("time_zone", "not_allowed", message);
}

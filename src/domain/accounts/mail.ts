import { domainToASCII } from "node:url";
import { MAIL_PATTERN } from "../../schema/pattern-words.ts";

/** What was typed, as mail addresses are stored. */
export function mailOf(typed: string): string {
  return typed.trim().normalize("NFC").toLowerCase();
}

/** Whether a text may be a mail address. Only a mail to it tells whether it is one. */
export function isMail(text: string): boolean {
  return new RegExp(MAIL_PATTERN).test(text);
}

/** Where a mail to a stored address goes: the same text for all ways to write its domain. */
export function recipientOf(mail: string): string {
  const at = mail.lastIndexOf("@") + 1;
  const domain = domainToASCII(mail.slice(at)).replace(/\.$/, "");
  return domain === "" ? mail : mail.slice(0, at) + domain;
}

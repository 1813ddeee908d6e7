import { MAIL_PATTERN } from "../../schema/pattern-words.ts";

/** What was typed, as mail addresses are stored. */
export function mailOf(typed: string): string {
  return typed.trim().normalize("NFC").toLowerCase();
}

/** Whether a text may be a mail address. Only a mail to it tells whether it is one. */
export function isMail(text: string): boolean {
  return new RegExp(MAIL_PATTERN).test(text);
}

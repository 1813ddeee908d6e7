import { wordsOfSettings } from "../settings/index.ts";

/**
 * A mail address of a person: RFC 5321 has these lengths. It has none of the signs by which headers name several addresses,
 * or one address in another way, such as "ada"@example.com.
 */
export const MAIL_PATTERN = '^[^\\s@,;:<>()\\[\\]"\\\\]{1,64}@[^\\s@,;:<>()\\[\\]"\\\\]{1,189}$';
/** An address to which mail is sent: nothing in it can end a header, or begin another address. */
export const LISTED_MAIL_PATTERN = "^[^\\s@,;<>]+@[^\\s@,;<>]+$";

/** What the patterns of texts in requests mean: who is refused reads this, and no regular expression. */
export const patternWords: Readonly<Record<string, string>> = {
  ...wordsOfSettings,
  "^[-a-z0-9_.]*([*][-a-z0-9_.]*){0,2}(:[0-9]{1,5})?$":
    "a host in lower case with at most two *, such as pr-*.example.com",
  "^([A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?$":
    "a host without a path, such as example.com or example.com:8443",
  "^[^{}\\s]+$": "a pattern of addresses without spaces and braces, such as /docs/**",
  "^[!-~]([ -~]*[!-~])?$": "printable ASCII without spaces around it",
  "^[a-z0-9]+(-[a-z0-9]+)*$": "lower case letters and digits with single hyphens between them, such as menu-open",
  "^[^,]*\\S[^,]*$": "a text without commas, and not only spaces",
  "\\S": "a text that is not only spaces",
  "^([01][0-9]|2[0-3]):[0-5][0-9]( *, *([01][0-9]|2[0-3]):[0-5][0-9])*$":
    "a time of day as HH:MM, such as 06:30, or several with commas between them",
  "^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$": "the name of a time zone, such as Europe/Berlin",
  "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$": "a UUID",
  "^[0-9a-f]{20}$": "20 hexadecimal digits in lower case",
  "^[0-9a-f]{32}$": "32 hexadecimal digits in lower case",
  "^/([^/?#\\s]+/)?$": "the first folder of an address, such as /docs/, or /",
  "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$": "a day, such as 2030-01-31",
  "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?$":
    "a date with a time, such as 2030-01-31T12:00:00Z",
  "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?$":
    "a date with a time, such as 2030-01-31T12:00:00Z",
  [LISTED_MAIL_PATTERN]: "an email address, such as ada@example.com, and nothing besides it",
  "^[^\\s@]+@[^\\s@]+$": "an email address, such as ada@example.com",
  [MAIL_PATTERN]: "an email address, such as ada@example.com, and nothing besides it",
  "^[^:\\u0000-\\u001f\\u007f]+$": "a text without colons and control characters",
  "^[^\\u0000-\\u001f\\u007f]*$": "a text without control characters",
  "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$": "the name of a header, such as X-Preview",
};

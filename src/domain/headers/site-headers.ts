/** A header of every request to a site's own host; its cookies are the header Cookie. Values are secrets. */
export type SiteHeader = { name: string; value: string };

/** A fault of one header or of the whole list. The text never contains a header's value. */
export type HeaderFault = {
  /** undefined: the list. */
  index?: number;
  member?: "name" | "value";
  code: "invalid_format" | "not_allowed" | "inconsistent" | "too_many" | "too_long";
  text: string;
};

export const MAX_HEADERS = 20;
export const MAX_HEADER_NAME = 100;
/** Bytes of all names and values together: many servers accept 8 kB, and other headers are sent, too. */
export const MAX_HEADER_BYTES = 7_000;
/** A token (RFC 9110, section 5.6.2). */
export const HEADER_NAME = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$";
/** Printable ASCII without spaces at its ends (RFC 9110, section 5.5). */
export const HEADER_VALUE = "^[!-~]([ -~]*[!-~])?$";
/** Browsers drop larger cookies (RFC 6265bis, section 5.6). */
const MAX_COOKIE_BYTES = 4_096;

const connection = "it belongs to the connection";
const answer = "it would change what the site answers with";
const browsers = "browsers write it themselves, and keep it on redirects to other sites";

/** Headers that cannot be set, and why. */
const refused = new Map([
  ...["connection", "content-encoding", "content-length", "content-type", "expect", "host", "http2-settings"].map(
    (name) => [name, connection] as const,
  ),
  ...["keep-alive", "te", "trailer", "transfer-encoding", "upgrade"].map((name) => [name, connection] as const),
  ...["accept-encoding", "range"].map((name) => [name, answer] as const),
  ...["origin", "referer", "cookie2"].map((name) => [name, browsers] as const),
  ["user-agent", "it has a setting of its own, the user agent"] as const,
]);
const refusedPrefixes = [
  ["proxy-", connection],
  ["if-", answer],
  ["sec-", browsers],
] as const;

const named = new RegExp(HEADER_NAME);
const valued = new RegExp(HEADER_VALUE);

/**
 * All that is wrong with the headers of a site's credentials.
 *
 * @param headers as they are received, of the right types
 * @param withUser whether the credentials have a user name, too, which is sent as the header Authorization
 */
export function headerFaults(headers: readonly SiteHeader[], withUser: boolean): HeaderFault[] {
  const names = headers.map(({ name }) => name.toLowerCase());
  const bytes = headers.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  return [
    ...(headers.length > MAX_HEADERS
      ? [{ code: "too_many", text: `there are ${headers.length} headers; at most ${MAX_HEADERS} are allowed` } as const]
      : []),
    ...(bytes > MAX_HEADER_BYTES
      ? [
          {
            code: "too_long",
            text: `names and values have ${bytes} bytes; at most ${MAX_HEADER_BYTES} are allowed`,
          } as const,
        ]
      : []),
    ...headers.flatMap(({ name, value }, index): HeaderFault[] => {
      const lower = name.toLowerCase();
      const wrong = nameFault(name, lower, withUser) ?? (names.indexOf(lower) < index ? repeated(name) : undefined);
      if (wrong) return [{ index, member: "name", ...wrong }];
      const text = valueFault(lower, value);
      return text === undefined
        ? []
        : [{ index, member: "value", code: "invalid_format", text: `the value of ${name} ${text}` }];
    }),
  ];
}

type NameFault = Pick<HeaderFault, "code" | "text">;

function nameFault(name: string, lower: string, withUser: boolean): NameFault | undefined {
  if (name.length > MAX_HEADER_NAME || !named.test(name)) {
    // The name is not repeated: somebody may have given a whole line as the name, with the value.
    const allowed = `1 to ${MAX_HEADER_NAME} letters, digits and hyphens, such as X-Preview`;
    return { code: "invalid_format", text: `the name of a header must have ${allowed}` };
  }
  const why = refused.get(lower) ?? refusedPrefixes.find(([prefix]) => lower.startsWith(prefix))?.[1];
  if (why !== undefined)
    return {
      code: "not_allowed",
      text: `${name} cannot be set: ${why}. Allowed are other headers, such as Cookie, Authorization and X-Preview`,
    };
  if (withUser && lower === "authorization")
    return { code: "inconsistent", text: `${name} cannot be set beside a user name, which is sent in this header` };
  return undefined;
}

function repeated(name: string): NameFault {
  return { code: "inconsistent", text: `${name} is given twice: a header has one value` };
}

function valueFault(name: string, value: string): string | undefined {
  if (!valued.test(value))
    return "must be printable ASCII, with at least one character, and without line breaks and without spaces at its ends";
  if (name !== "cookie") return undefined;
  const cookies = cookiesOf(value);
  if (cookies.some(({ name }) => name === "" || /\s/.test(name)))
    return "must be cookies as browsers send them: name=value; name=value";
  if (cookies.some((cookie) => cookie.name.length + cookie.value.length > MAX_COOKIE_BYTES))
    return `has a cookie of more than ${MAX_COOKIE_BYTES} bytes, which browsers drop`;
  if (new Set(cookies.map((cookie) => cookie.name)).size < cookies.length) return "has two cookies of the same name";
  return undefined;
}

/** The cookies in the value of the header Cookie (RFC 6265, section 4.2.1). One without a "=" has an empty name. */
export function cookiesOf(value: string): { name: string; value: string }[] {
  return value.split(";").map((pair) => {
    const [, name = "", content = ""] = /^([^=]*)=(.*)$/.exec(pair.trim()) ?? [];
    return { name: name.trim(), value: content.trim() };
  });
}

/** A line `Name: value`; undefined when it has no colon. */
export function parseHeaderLine(line: string): SiteHeader | undefined {
  const colon = line.indexOf(":");
  return colon === -1 ? undefined : { name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() };
}

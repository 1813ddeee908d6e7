import { isMail, mailOf } from "./mail.ts";
import type { Provided } from "./provider.ts";

/** Who says who comes, where a proxy in front of the service does. */
export const PROXY_ISSUER = "proxy";

/** What a proxy in front says of who comes: somebody, nobody, or something that could mean two. */
export type SaidByProxy = { who: Provided } | { nobody: true } | { unclear: string };

const MAX_LENGTH = 1_000;

/**
 * Reads who comes, as a proxy says it: `PREFIX-User`, `-Email`, `-Groups` with commas and `-Preferred-Username`. Each may be there
 * once: of two, one could be the visitor's own, which the proxy has passed on.
 *
 * @param raw names and values of the headers in turn, as they came
 * @param prefix of their names: `X-Forwarded` of oauth2-proxy, `Remote` of Authelia
 */
export function readProxyHeaders(raw: readonly string[], prefix: string): SaidByProxy {
  const said = new Map<string, string>();
  const names = ["user", "email", "groups", "preferred-username"];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    const part = names.find((one) => name === `${prefix.toLowerCase()}-${one}`);
    if (part === undefined) continue;
    if (said.has(part)) return { unclear: `There are two headers ${raw[at]}.` };
    // Header bytes come as Latin-1; proxies send UTF-8.
    said.set(
      part,
      Buffer.from(raw[at + 1] ?? "", "latin1")
        .toString("utf8")
        .trim(),
    );
  }
  const subject = said.get("user") ?? "";
  if (subject === "") return { nobody: true };
  const long = [...said].find(([, value]) => value.length > MAX_LENGTH * (value.includes(",") ? 20 : 1));
  if (long || /\p{C}/u.test([...said.values()].join("")))
    return { unclear: "A header of the proxy is too long, or has characters that no name has." };
  const mail = mailOf(said.get("email") ?? "");
  const groups = (said.get("groups") ?? "").split(",").flatMap((group) => group.trim() || []);
  const name = said.get("preferred-username") || null;
  return { who: { issuer: PROXY_ISSUER, subject, mail: isMail(mail) ? mail : null, name, groups } };
}

import { dayOf } from "../calendar-day.ts";
import { cutTo } from "../cut-to.ts";
import { composeMail, type Mail } from "../notifications/mail.ts";

/** Whoever made tokens gets one mail about their ends in so many milliseconds, however many end then. */
export const TOKEN_END_MAILS_MS = 86_400_000;
/** As many tokens are named in a mail. */
const MAX_NAMED = 20;
/** Bytes of a token's name in HTML. */
const MAX_NAME = 100;

/** Says which tokens end soon, and what to do. @param tokens at least one, the next to end first */
export function tokenEndMail({
  baseUrl,
  tokens,
}: {
  baseUrl: string;
  tokens: readonly { name: string; expires_at: Date }[];
}): Mail {
  const host = new URL(baseUrl).host;
  const [first, ...others] = tokens;
  const what = others.length === 0 ? "A token" : `${tokens.length} tokens`;
  const subject = `${what} for Site Validator at ${host} ${others.length === 0 ? "ends" : "end"} from ${first ? dayOf(first.expires_at) : ""} on`;
  const lines = [
    ...tokens
      .slice(0, MAX_NAMED)
      .map(({ name, expires_at }) => `“${cutTo(name, MAX_NAME)}” ends on ${dayOf(expires_at)} (UTC).`),
    ...(tokens.length > MAX_NAMED ? [`And ${tokens.length - MAX_NAMED} more.`] : []),
    "Programs that use a token get 401 from its end on. On the page Tokens you can let it end a year from now, or revoke it.",
  ];
  const part = { title: "Tokens that end soon", lines, items: [], url: `${baseUrl}/tokens?show=soon` };
  return composeMail(subject, [part], { reason: "You get this because you made these tokens.", end: undefined });
}

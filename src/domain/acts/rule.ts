import type { ReportSpec } from "../../schema/report.ts";
import { belongsTo, credentialsFor, type SiteCredentials } from "../headers/site-credentials.ts";
import { matchedGlob } from "../scope/url-scope.ts";
import { endsSession, isSignOutText } from "../sign-in/sign-in-page.ts";
import { type ActRule, commonParameters, type Sign, signOf, signOfAttributes } from "./acts.ts";
import { createTokenMemory, randomParameters } from "./tokens.ts";

/** Methods that ask a server to change nothing (RFC 9110, section 9.2.1). */
export const SAFE = /^(?:GET|HEAD|OPTIONS)$/i;
/** Pairs that are remembered: a site has few. */
const MAX_COMMON = 200;

type Settings = Pick<ReportSpec, "startingUrl"> &
  Partial<Pick<ReportSpec, "visitActions" | "visitForms" | "allowPosts">>;

/** By what a report acts in somebody's name. */
export type Standing = {
  credentials?: SiteCredentials | undefined;
  /** Whether a client certificate is shown to an address; undefined if there is none. */
  showsCertificate?: ((url: string) => boolean) | undefined;
};

/** The rule of a report: harmless, unless its settings say otherwise. */
export function createActRule(
  { startingUrl, visitActions = false, visitForms = true, allowPosts = [] }: Settings,
  { credentials, showsCertificate }: Standing,
): ActRule {
  const given = credentialsFor(startingUrl, credentials);
  /** Whose cookies are somebody's. */
  const hosts = [given?.host ?? [], showsCertificate?.(startingUrl) ? new URL(startingUrl).host : []].flat();
  const isSomebody = given !== undefined || showsCertificate !== undefined;
  const common = new Set<string>();
  const memory = createTokenMemory(common);
  const signedIn = (url: string): boolean =>
    (given !== undefined && belongsTo(given, url)) || showsCertificate?.(url) === true;
  const signed = (url: string): Sign | undefined => {
    const sign = signOf(url, { signedIn: signedIn(url), common, token: memory.tokenOf(url) });
    return visitActions && sign?.kind !== "form" ? undefined : sign;
  };
  return {
    signedIn,
    signOf: signed,
    signOfLink: ({ url, attributes, text }) => {
      if (!signedIn(url)) return undefined;
      if (isSignOutText(text)) return { reason: "signs_out", text: `"${text}" as its text` };
      const sign = visitActions ? undefined : signOfAttributes(attributes);
      return sign && { reason: "acts", text: sign.text };
    },
    leavesOut: (url) => {
      const { kind, text = "" } = signed(url) ?? {};
      if (kind === "acts") return { reason: "acts", text };
      return kind === "form" && !visitForms ? { reason: "forms", text } : undefined;
    },
    guardsPages: isSomebody && !visitActions,
    maySend: ({ method, url, authorized, of }) => {
      if (!isSomebody || visitActions) return true;
      if (of === "socket") return matchedGlob(url, allowPosts) !== undefined;
      if (!(authorized || signedIn(url) || hosts.some((host) => isOfSession(url, host)))) return true;
      if (!SAFE.test(method)) return matchedGlob(url, allowPosts) !== undefined;
      if (endsSession(url)) return false;
      if (of === "part") return true;
      // A script may need its tokens to read: what it asks for has to have a verb, too.
      return signOf(url, { signedIn: of === "document", common })?.kind !== "acts";
    },
    seeLinks: (links, page) => {
      for (const pair of commonParameters(links, page)) if (common.size < MAX_COMMON) common.add(pair);
    },
    takeSuspects: (links) => memory.takeSuspects(links.filter((url) => signedIn(url) && signed(url) === undefined)),
    isSuspect: (url) => signedIn(url) && randomParameters(url, common).length > 0,
    learnTokens: memory.learn,
  };
}

/** Whether cookies of the host may go to an address: they know no ports, and may be those of all hosts below its domain. */
function isOfSession(url: string, host: string): boolean {
  const [name, own] = [URL.parse(url)?.hostname ?? "", URL.parse(`http://${host}`)?.hostname ?? ""];
  const domain = own.replace(/^www\./, "");
  return name === domain || name.endsWith(`.${domain}`);
}

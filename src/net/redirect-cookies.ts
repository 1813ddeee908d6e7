import type { CookieJar } from "tough-cookie";

/**
 * Cookies that redirects set. They are sent once redirects lead in a circle or to a refusal, as many sites do to see whether a
 * browser keeps them; not before, because a site may show something else to who has one.
 *
 * @param atOnce whether they are sent from the start, as by a browser
 */
export function createRedirectCookies(atOnce: boolean) {
  const received: { url: string; cookie: string }[] = [];
  const sent = new Map<string, string>();
  let jar: CookieJar | undefined;
  const keep = async (): Promise<CookieJar> => {
    // Loaded here, because hardly any site needs it.
    jar ??= new (await import("tough-cookie")).CookieJar();
    for (const { url, cookie } of received.splice(0)) jar.setCookieSync(cookie, url, { ignoreError: true });
    return jar;
  };
  return {
    async receive(url: string, cookies: string | readonly string[] = []): Promise<void> {
      for (const cookie of [cookies].flat()) received.push({ url, cookie });
      if (received.length > 0 && (atOnce || jar)) await keep();
    },
    /** Sends those that there are from now on. @returns whether there are any that were not sent so far */
    async send(): Promise<boolean> {
      if (jar || received.length === 0) return false;
      await keep();
      return true;
    },
    /** Whether a browser comes back to an address with other cookies than it was asked for with. From then on all are sent. */
    async areNewTo(url: string): Promise<boolean> {
      if (!jar && received.length === 0) return false;
      return (await keep()).getCookieStringSync(url) !== (sent.get(url) ?? "");
    },
    /** The header of a request, with what is sent anyway; undefined for none. */
    headerFor(url: string, given: string | undefined): string | undefined {
      const cookies = jar?.getCookieStringSync(url) ?? "";
      sent.set(url, cookies);
      if (cookies === "") return given;
      const names = new Set(cookies.split("; ").map(nameOf));
      const others = given?.split("; ").filter((cookie) => !names.has(nameOf(cookie))) ?? [];
      return [...others, cookies].join("; ");
    },
  };
}

function nameOf(cookie: string): string {
  return cookie.slice(0, Math.max(0, cookie.indexOf("=")));
}

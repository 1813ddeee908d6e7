import type { CDPSession } from "puppeteer-core";
import type { ProxyPass } from "../net/proxy-pass.ts";

/**
 * Counts the requests of a tab that the proxy cannot, because they are in tunnels, and stops those to a host whose budget is
 * used up.
 */
export function watchBudget(session: Pick<CDPSession, "on" | "send">, pass: ProxyPass): { begin(): Promise<void> } {
  const stopped = new Set<string>();
  const block = () =>
    session.send("Network.setBlockedURLs", {
      urlPatterns: [...stopped].map((urlPattern) => ({ urlPattern, block: true })),
    });
  session.on("Network.requestWillBeSent", ({ request: { url, method } }) => {
    if (!/^https:/i.test(url) || !URL.canParse(url) || pass.take(url, method)) return;
    const { hostname } = new URL(url);
    const pattern = `https://${hostname}:*/*`;
    if (stopped.has(pattern)) return;
    stopped.add(pattern);
    block().catch(() => {});
  });
  return {
    begin: async () => {
      if (stopped.size === 0) return;
      stopped.clear();
      await block();
    },
  };
}

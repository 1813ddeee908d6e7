import type { FilteringProxy } from "../../src/net/proxy.ts";
import type { ProxyPass } from "../../src/net/proxy-pass.ts";

const passes = new WeakMap<FilteringProxy, ProxyPass>();

/** The pass of these tests for a proxy, the same one each time. */
export function passFor(proxy: FilteringProxy): ProxyPass {
  const pass = passes.get(proxy) ?? proxy.admit();
  passes.set(proxy, pass);
  return pass;
}

/** The header that clients of the proxy send. */
export function shownTo(proxy: FilteringProxy): { "proxy-authorization": string } {
  return { "proxy-authorization": passFor(proxy).authorization };
}

/** The beginning of a tunnel. */
export function connectTo(proxy: FilteringProxy, target: string): string {
  return `CONNECT ${target} HTTP/1.1\r\nproxy-authorization: ${passFor(proxy).authorization}\r\n\r\n`;
}

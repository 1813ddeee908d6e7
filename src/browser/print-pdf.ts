import type { HTTPRequest } from "puppeteer-core";
import type { Logger } from "../telemetry/log.ts";
import { browserSource, launcher } from "./launch.ts";

/** The only address that the browser is given: nobody is there, and what it shows is answered here. */
const ADDRESS = "http://document.invalid/";
/** The port of a proxy that there is not: whatever else the browser tried would end there. */
const NO_PROXY_PORT = 1;
/** The document says so itself; this holds if it does not. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * A document on paper, A4. It runs no script, and the browser reaches nothing: each of its requests but the one for the document is
 * refused here, and the proxy that it would need does not exist.
 *
 * @param html with its style in it
 */
export async function printPdf(
  html: string,
  options: { chromePath: string | undefined; browserSocket?: string | undefined; log: Logger; timeLimitMs: number },
): Promise<Uint8Array> {
  const { log, timeLimitMs } = options;
  const source = await browserSource(options);
  const running = await launcher(source, { proxyPort: NO_PROXY_PORT }, log)();
  const timer = setTimeout(() => void running.process.kill(), timeLimitMs);
  try {
    const page = await running.connection.newPage();
    await page.setJavaScriptEnabled(false);
    await page.setRequestInterception(true);
    page.on("request", (request) => void answer(request, html).catch(() => {}));
    await page.goto(ADDRESS, { timeout: timeLimitMs });
    return await page.pdf({ format: "A4", preferCSSPageSize: true, timeout: timeLimitMs });
  } finally {
    clearTimeout(timer);
    await running.process.kill();
  }
}

async function answer(request: HTTPRequest, html: string): Promise<void> {
  if (request.url() !== ADDRESS || !request.isNavigationRequest()) return request.abort("blockedbyclient");
  const headers = { "content-security-policy": POLICY };
  await request.respond({ status: 200, contentType: "text/html; charset=utf-8", headers, body: html });
}

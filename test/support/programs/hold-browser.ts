import { openBrowser } from "../../../src/browser/browser.ts";
import { defaultDevice } from "../../../src/browser/devices.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";

/** Shows a page that may never end, and waits to be killed: `hold-browser.ts URL`. */
const browser = await openBrowser({
  chromePath: undefined,
  policy: addressPolicy(["127.0.0.0/8"]),
  log: createLogger("error", {}),
  device: defaultDevice,
});
await browser.withTab({ signal: new AbortController().signal, timeLimitMs: 60_000 }, async (tab) => {
  await tab.load(process.argv[2] ?? "", { beforeRequest: async () => {}, checkResponse: () => {} });
});

import type { BrowserRequest } from "./browser-request.ts";

/**
 * Makes V8 optimise functions some 20 times later than by default. Every page runs axe-core again, so most optimised
 * code is thrown away with its page; making it took a quarter of the processor time of a check. Code that is really
 * hot, such as a long loop in a script of the page, is still optimised.
 */
const LATE_OPTIMIZATION = [
  "--invocation-count-for-maglev=8000",
  "--invocation-count-for-maglev-osr=4000",
  "--invocation-count-for-turbofan=60000",
  "--invocation-count-for-osr=10000",
];

/**
 * The browser's command line: no requests to its maker, no access to the network except through
 * the proxy, and a sandbox wherever one is possible.
 */
export function chromiumArguments(options: BrowserRequest): string[] {
  return [
    "--headless",
    ...(options.sandbox ? [] : ["--no-sandbox"]),
    // The emulation of a tab's user agent does not reach its workers.
    ...(options.userAgent ? [`--user-agent=${options.userAgent}`] : []),
    ...(options.playsSound ? ["--autoplay-policy=no-user-gesture-required"] : []),
    // Otherwise a cookie of a host is sent to all of its ports (RFC 6265, section 8.5).
    ...(options.portBoundCookies ? ["--enable-features=EnablePortBoundCookies"] : []),

    // All traffic goes through the proxy, even to loopback, which Chromium would otherwise connect to directly.
    `--proxy-server=http://127.0.0.1:${options.proxyPort}`,
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    // Where that proxy ends TLS, it has this key; its certificates name no host.
    ...(options.acceptedKey ? [`--ignore-certificate-errors-spki-list=${options.acceptedKey}`] : []),
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--no-pings",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--metrics-recording-only",
    "--disable-breakpad",
    "--disable-crash-reporter",

    // Restricts what pages may do.
    "--block-new-web-contents",
    "--deny-permission-prompts",
    "--disable-extensions",
    "--disable-notifications",
    "--disable-print-preview",
    "--disable-3d-apis",
    "--mute-audio",
    `--js-flags=--max-old-space-size=1024,${LATE_OPTIMIZATION.join(",")}`,

    // Frames stay in their page's process, so that axe reaches them through one session; the browser has
    // no secrets of other sites to protect. There is no back-forward cache, and storage is not
    // partitioned, so that everything a frame stored can be removed by its origin. A tab keeps its main
    // frame from page to page, so that its scripts are sent to the renderer only once.
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process,IsolateSandboxedIframes,RenderDocument,BackForwardCache,ThirdPartyStoragePartitioning,Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,AutofillServerCommunication",

    // The same rendering on every machine, and no throttling of windows in the background.
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--disable-dev-shm-usage",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-default-apps",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
  ];
}

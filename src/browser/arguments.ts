/**
 * The browser's command line: nothing that phones home, no way to the network but the
 * proxy, no sandbox only where there can be none.
 */
export function chromiumArguments(options: { proxyPort: number; sandbox: boolean }): string[] {
  return [
    "--headless",
    ...(options.sandbox ? [] : ["--no-sandbox"]),

    // The network: all of it through the proxy, loopback too, which Chromium would dial itself.
    `--proxy-server=http://127.0.0.1:${options.proxyPort}`,
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
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

    // What pages may not do.
    "--block-new-web-contents",
    "--deny-permission-prompts",
    "--disable-extensions",
    "--disable-notifications",
    "--disable-print-preview",
    "--disable-3d-apis",
    "--mute-audio",
    "--js-flags=--max-old-space-size=1024",

    // Frames stay in their page's process: axe reaches them through one session, and there
    // are no secrets of other sites to keep from each other. Pages that were left are gone,
    // and what a frame stored is found under its origin, to be removed. A tab keeps its frame
    // from page to page, so that its scripts are sent to the renderer once.
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process,IsolateSandboxedIframes,RenderDocument,BackForwardCache,ThirdPartyStoragePartitioning,Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,AutofillServerCommunication",

    // The same pictures everywhere, and no pauses for windows that nobody sees.
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

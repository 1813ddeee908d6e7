import type { Page } from "puppeteer-core";

/**
 * Shows pages in a light or dark scheme, and in the colours that a system forces on pages ("high contrast"), for which
 * puppeteer has no call of its own; or as they are printed.
 */
export async function emulateColours(
  page: Page,
  scheme: "light" | "dark",
  forced: boolean,
  media: "screen" | "print" = "screen",
): Promise<void> {
  const session = await page.createCDPSession();
  const features = [
    { name: "prefers-color-scheme", value: scheme },
    { name: "forced-colors", value: forced ? "active" : "none" },
  ];
  await session.send("Emulation.setEmulatedMedia", { media, features });
}

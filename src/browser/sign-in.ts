import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserContext, Page } from "puppeteer-core";
import { errorText } from "../domain/error-text.ts";
import { BrokenEnvironmentError } from "../domain/errors.ts";
import { PageError } from "../domain/failure.ts";
import { readSigns } from "../domain/site/page-signs.ts";
import type { SignedInWhen, SignIn } from "../domain/site/read-sign-in.ts";
import type { SignedIn } from "../domain/site/session.ts";
import { isSignIn, weighPage } from "../domain/site/sign-in.ts";
import type { KeepPictures } from "../domain/site/sign-in-picture.ts";
import { fromBase32, totpCode } from "../domain/site/totp.ts";
import { startProxy } from "../net/proxy.ts";
import { describeStep, type Step } from "../schema/steps.ts";
import type { Logger } from "../telemetry/log.ts";
import { within } from "../time/within.ts";
import type { BrowserSettings } from "./browser.ts";
import { browserSource, launcher } from "./launch.ts";
import { maskedPicture } from "./masked-picture.ts";
import { runSteps, StepError } from "./run-steps.ts";

/** All steps together. */
const TIMEOUT_MS = 120_000;
/** After the last step: the page may still be loading. */
const SIGNED_IN_TIMEOUT_MS = 8_000;
const POLL_MS = 200;
const MAX_STORAGE_LENGTH = 500_000;
const MAX_HTML = 2_000_000;
const PICTURE_TIMEOUT_MS = 5_000;

/** After a step: what it has started may still be loading. */
const QUIET = { idleTime: 200, timeout: 1_500 };
/** Of the pictures of all steps together. */
const MAX_PICTURES_BYTES = 5_000_000;

/**
 * Signs in, in a browser of its own, which is closed afterwards.
 *
 * @throws PageError `sign_in_failed`, which says at which step and why, and never what was typed
 */
export async function signIn(
  settings: BrowserSettings,
  { steps, signedInWhen, totp }: SignIn,
  signal: AbortSignal,
  pictures: KeepPictures = { keep: async () => {}, ofEachStep: false },
): Promise<SignedIn> {
  const source = await browserSource(settings);
  const proxy = await startProxy(settings.policy);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const request = { proxyPort: proxy.port, portBoundCookies: false, acceptedKey: proxy.spki };
  const running = await launcher(source, request, settings.log)().catch(async (error: unknown) => {
    await proxy.close();
    throw error;
  });
  const typed = new Set<string>();
  let opened: Page | undefined;
  try {
    const context = await running.connection.createBrowserContext({ downloadBehavior: { policy: "deny" } });
    const page = await context.newPage();
    opened = page;
    page.on("dialog", (dialog) => void dialog.accept().catch(() => {}));
    const seed = totp === undefined ? undefined : fromBase32(totp);
    const typedFor = (value: string) => {
      const text = seed ? value.replaceAll("$TOTP", totpCode(seed, new Date())) : value;
      typed.add(text);
      return text;
    };
    const options = { signal: limit, typedFor, failureOf: proxy.failureOf };
    const onDone = pictures.ofEachStep ? pictureOfEach(page, typed, pictures, settings.log) : undefined;
    await runSteps(page, steps, { ...options, ...(onDone && { onDone }) });
    await requireSignedIn(page, context, signedInWhen, limit);
    return await sessionOf(page, context);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BrokenEnvironmentError) throw error;
    const png =
      opened && (await within(PICTURE_TIMEOUT_MS, maskedPicture(opened, typed), undefined).catch(() => undefined));
    const [step, action] =
      error instanceof StepError ? [error.number, describeStep(error.step)] : [steps.length + 1, ""];
    // That nobody could sign in is what counts.
    if (png)
      await pictures.keep({ step, action, failed: true, png }).catch((reason) => {
        settings.log.warn("no picture was kept", { error: reason });
      });
    const reason = limit.aborted ? `The sign-in took longer than ${TIMEOUT_MS / 1_000} s.` : errorText(error);
    throw new PageError("sign_in_failed", reason, { cause: error });
  } finally {
    await running.process.kill();
    await proxy.close();
  }
}

/** Keeps a picture after each step. The sign-in goes on without those that cannot be taken. */
function pictureOfEach(page: Page, typed: ReadonlySet<string>, { keep }: KeepPictures, log: Logger) {
  let bytes = 0;
  return async (number: number, step: Step): Promise<void> => {
    if (bytes > MAX_PICTURES_BYTES) return;
    try {
      await page.waitForNetworkIdle(QUIET).catch(() => {});
      const png = await within(PICTURE_TIMEOUT_MS, maskedPicture(page, typed, { goesOn: true }), undefined);
      if (!png) return;
      bytes += png.length;
      await keep({ step: number, action: describeStep(step), failed: false, png });
    } catch (error) {
      log.warn("no picture was kept", { error });
    }
  };
}

/** Waits until the page shows that somebody has signed in. */
async function requireSignedIn(
  page: Page,
  context: BrowserContext,
  when: SignedInWhen | undefined,
  signal: AbortSignal,
): Promise<void> {
  const end = performance.now() + SIGNED_IN_TIMEOUT_MS;
  for (;;) {
    signal.throwIfAborted();
    const missing = await missingOf(page, context, when).catch(() => "the page could not be read");
    if (missing === undefined) return;
    if (performance.now() > end) throw new Error(`All steps were done, but ${missing}.`);
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** @returns undefined when somebody has signed in */
async function missingOf(page: Page, context: BrowserContext, when: SignedInWhen = {}): Promise<string | undefined> {
  const { selector, text, url, cookie } = when;
  const at = page.url().split(/[?#]/, 1)[0];
  if (selector !== undefined && !(await page.$(selector)))
    return `no element ${JSON.stringify(selector)} is there (signed_in_when) in ${at}`;
  if (text !== undefined && !(await page.evaluate((wanted) => document.body.innerText.includes(wanted), text)))
    return `the text ${JSON.stringify(text)} is not there (signed_in_when) in ${at}`;
  if (url !== undefined && !page.url().includes(url))
    return `the address ${at} does not contain ${JSON.stringify(url)} (signed_in_when)`;
  if (cookie !== undefined && !(await context.cookies()).some(({ name }) => name === cookie))
    return `there is no cookie ${JSON.stringify(cookie)} (signed_in_when)`;
  if (Object.keys(when).length > 0) return undefined;
  const html = await page.content();
  const shown = weighPage(readSigns(html.slice(0, MAX_HTML)));
  const isStill = isSignIn(
    { asked: `${new URL(page.url()).origin}/`, reached: page.url(), status: 200, page: shown },
    [],
    true,
  );
  return isStill ? `${at} still asks to sign in` : undefined;
}

async function sessionOf(page: Page, context: BrowserContext): Promise<SignedIn> {
  const cookies = await context.cookies();
  const items = await page
    .evaluate(() => Object.entries(localStorage).map(([key, value]) => [key, String(value)] as [string, string]))
    .catch(() => []);
  const length = items.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return {
    cookies: cookies.map(({ name, value, domain, path, secure, httpOnly, expires }) => ({
      ...{ name, value, domain, path, secure, httpOnly: httpOnly ?? false, expires },
    })),
    ...(items.length > 0 && length <= MAX_STORAGE_LENGTH && { storage: { origin: new URL(page.url()).origin, items } }),
  };
}

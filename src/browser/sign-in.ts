import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserContext, Page } from "puppeteer-core";
import { errorText } from "../domain/error-text.ts";
import { BrokenEnvironmentError } from "../domain/errors.ts";
import { PageError } from "../domain/failure.ts";
import { readSigns } from "../domain/site/page-signs.ts";
import type { SignedInWhen, SignIn } from "../domain/site/read-sign-in.ts";
import type { SignedIn } from "../domain/site/session.ts";
import { isSignIn, weighPage } from "../domain/site/sign-in.ts";
import type { KeepPictures, SignInPicture } from "../domain/site/sign-in-picture.ts";
import { fromBase32, totpCode } from "../domain/site/totp.ts";
import { startProxy } from "../net/proxy.ts";
import { describeStep, type Step } from "../schema/steps.ts";
import { within } from "../time/within.ts";
import type { BrowserSettings } from "./browser.ts";
import { browserSource, launcher } from "./launch.ts";
import { coveredPicture, maskedPicture } from "./masked-picture.ts";
import { runSteps, type StepsDone } from "./run-steps.ts";
import { watchSteps } from "./watch-steps.ts";

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
/** For the pictures of all steps together, the waits before them included. */
const PICTURES_MS = 20_000;
const MAX_PICTURES_BYTES = 5_000_000;
/** For all pictures to be kept: whether somebody has signed in counts more. */
const KEEP_TIMEOUT_MS = 10_000;

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
  const limitMs = TIMEOUT_MS + (pictures.ofEachStep ? PICTURES_MS : 0);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const request = { proxyPort: proxy.port, portBoundCookies: false, acceptedKey: proxy.spki };
  const running = await launcher(source, request, settings.log)().catch(async (error: unknown) => {
    await proxy.close();
    throw error;
  });
  const typed = new Set<string>(typedByKeys(steps));
  const taken: SignInPicture[] = [];
  const keep = async () => {
    const kept = pictures.keep(taken).catch((error) => settings.log.warn("no picture was kept", { error }));
    await within(KEEP_TIMEOUT_MS, kept, undefined);
  };
  let done = 0;
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
    const takePicture = pictures.ofEachStep ? takePictures(page, typed, taken) : async () => {};
    const onDone = async (number: number, step: Step) => {
      done = number;
      await takePicture(number, describeStep(step));
    };
    const waits = await watchSteps(page);
    const did = await runSteps(page, steps, { signal: limit, waits, typedFor, failureOf: proxy.failureOf, onDone });
    for (const reason of did.passedBy) settings.log.info("a step of the sign-in was passed by", { reason });
    await requireSignedIn(page, context, { when: signedInWhen, signal: limit, did });
    const session = await sessionOf(page, context);
    await keep();
    return session;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BrokenEnvironmentError) throw error;
    const png =
      opened && (await within(PICTURE_TIMEOUT_MS, maskedPicture(opened, typed), undefined).catch(() => undefined));
    const failedAt = steps[done];
    if (png) taken.push({ step: done + 1, action: failedAt ? describeStep(failedAt) : "", failed: true, png });
    // That nobody could sign in is what counts.
    await keep();
    const reason = limit.aborted ? `The sign-in took longer than ${limitMs / 1_000} s.` : errorText(error);
    throw new PageError("sign_in_failed", reason, { cause: error });
  } finally {
    await running.process.kill();
    await proxy.close();
  }
}

/** Takes pictures after steps, until their time or their bytes are used up. What cannot be covered has none. */
function takePictures(page: Page, typed: ReadonlySet<string>, taken: SignInPicture[]) {
  let leftMs = PICTURES_MS;
  let leftBytes = MAX_PICTURES_BYTES;
  return async (step: number, action: string): Promise<void> => {
    if (leftMs <= 0) return;
    const started = performance.now();
    await page.waitForNetworkIdle(QUIET).catch(() => {});
    const png = await coveredPicture(page, typed, PICTURE_TIMEOUT_MS);
    leftMs -= performance.now() - started;
    if (!png || png.length > leftBytes) return;
    leftBytes -= png.length;
    taken.push({ step, action, failed: false, png });
  };
}

/** What is typed key by key: a page may repeat all of it, or its beginning. */
function typedByKeys(steps: readonly Step[]): string[] {
  let text = "";
  return steps.flatMap((step) => {
    if (step.type === "keyUp") return [];
    text = step.type === "keyDown" && [...step.key].length === 1 ? text + step.key : "";
    return text === "" ? [] : [text];
  });
}

/** Waits until the page shows that somebody has signed in. */
async function requireSignedIn(
  page: Page,
  context: BrowserContext,
  { when, signal, did }: { when: SignedInWhen | undefined; signal: AbortSignal; did: StepsDone },
): Promise<void> {
  const end = performance.now() + SIGNED_IN_TIMEOUT_MS;
  for (;;) {
    signal.throwIfAborted();
    const missing = await missingOf(page, context, when).catch(() => "the page could not be read");
    if (missing === undefined) return;
    if (performance.now() > end) {
      const also = [await did.hint(), ...did.passedBy].filter((text) => text !== "").map((text) => ` ${text}.`);
      throw new Error(`All steps were done, but ${missing}.${also.join("")}`);
    }
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

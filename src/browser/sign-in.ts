import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserContext, HTTPRequest, Page, Protocol } from "puppeteer-core";
import { SAFE } from "../domain/acts/rule.ts";
import { stepAddress, stepText } from "../domain/addresses/shown-address.ts";
import { errorText } from "../domain/error-text.ts";
import { BrokenEnvironmentError, UsageError } from "../domain/errors.ts";
import { readSigns } from "../domain/sign-in/page-signs.ts";
import type { SignedInWhen, SignIn } from "../domain/sign-in/read-sign-in.ts";
import { type SignedIn, SignInFailure, type SiteStorage } from "../domain/sign-in/session.ts";
import { isSignIn, weighPage } from "../domain/sign-in/sign-in-page.ts";
import type { KeepPictures, SignInPicture } from "../domain/sign-in/sign-in-picture.ts";
import { fromBase32, totpCode } from "../domain/sign-in/totp.ts";
import { namedOrigins, sendingRule, typingRule } from "../domain/sign-in/typing-origins.ts";
import { hostAndPort } from "../net/pins.ts";
import { type FilteringProxy, startProxy } from "../net/proxy.ts";
import type { ProxyPass } from "../net/proxy-pass.ts";
import { describeStep, type Step } from "../schema/steps.ts";
import { within } from "../time/within.ts";
import type { BrowserSettings } from "./browser.ts";
import { browserSource, launcher, type RunningBrowser } from "./launch.ts";
import { coveredPicture } from "./masked-picture.ts";
import { isThere, runSteps, type StepsDone } from "./run-steps.ts";
import { readStorage } from "./storage.ts";
import { watchSteps } from "./watch-steps.ts";
import { guardTab } from "./way-in.ts";

/** After the last step, and after the last answer to it: scripts may still draw the page. */
const SIGNED_IN_TIMEOUT_MS = 8_000;
const POLL_MS = 200;
const MAX_STORAGE_LENGTH = 2_000_000;
const MAX_HTML = 2_000_000;
const PICTURE_TIMEOUT_MS = 5_000;

/** After a step: what it has started may still be loading. */
const QUIET = { idleTime: 200, timeout: 1_500 };
/** For the pictures of all steps together, the waits before them included. */
const PICTURES_MS = 20_000;
const MAX_PICTURES_BYTES = 5_000_000;
/** For all pictures to be kept: whether somebody has signed in counts more. */
const KEEP_TIMEOUT_MS = 10_000;

type Options = {
  /** For all steps together. */
  limitMs: number;
  signal: AbortSignal;
  pictures?: KeepPictures | undefined;
};

const NO_PICTURES: KeepPictures = { keep: async () => {}, ofEachStep: false };

/**
 * Signs in, in a browser of its own, which is closed afterwards.
 *
 * @throws SignInFailure `sign_in_failed`, which says at which step and why, and never what was typed; BrokenEnvironmentError
 */
export async function signIn(
  settings: BrowserSettings,
  { steps, signedInWhen, totp, origins }: SignIn,
  { limitMs: wantedMs, signal, pictures = NO_PICTURES }: Options,
): Promise<SignedIn> {
  const source = await browserSource(settings);
  const { policy } = settings;
  // Steps lead away from hosts that the user has named, and back to them.
  const ways = namedOrigins(steps, origins).map((origin) => hostAndPort(new URL(origin)));
  const proxy = await startProxy({ ...policy, named: new Set([...(policy.named ?? []), ...ways]) });
  const limitMs = wantedMs + (pictures.ofEachStep ? PICTURES_MS : 0);
  const gone = new AbortController();
  const limit = AbortSignal.any([signal, gone.signal, AbortSignal.timeout(limitMs)]);
  const request = { proxyPort: proxy.port, portBoundCookies: false, acceptedKey: proxy.spki };
  const typed = new Set<string>(typedByKeys(steps));
  const taken: SignInPicture[] = [];
  const keep = async () => {
    const kept = pictures.keep(taken).catch((error) => settings.log.warn("no picture was kept", { error }));
    await within(KEEP_TIMEOUT_MS, kept, undefined);
  };
  const sending = guardSending(steps, typed);
  let done = 0;
  let running: RunningBrowser | undefined;
  let opened: Opened | undefined;
  try {
    running = await launcher(source, request, settings.log)();
    void running.process.ended.then(() => gone.abort());
    const context = await running.connection.createBrowserContext({ downloadBehavior: { policy: "deny" } });
    const page = await context.newPage();
    const answers = watchAnswers(page);
    opened = { page, answers, refusal: sending.refusal };
    await guardTab(await page.createCDPSession(), admitted(proxy, steps), sending.maySend);
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
    const mayNotType = typingRule(steps, origins);
    const waits = await watchSteps(page);
    const failureOf = (url: string) => sending.refusal() ?? proxy.failureOf(url);
    const doing = { signal: limit, waits, typedFor, mayNotType, failureOf, onDone };
    const did = await runSteps(page, steps, doing).catch((error): undefined => {
      // The last step has only to be answered, for which the whole sign-in has time.
      if (done !== steps.length - 1 || answers.pending() === 0 || limit.aborted) throw error;
      done = steps.length;
    });
    sayPassedBy(settings, did);
    await requireSignedIn(page, context, { when: signedInWhen, answers, signal: limit, did });
    const session = await sessionOf(page, context);
    await keep();
    return session;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BrokenEnvironmentError || error instanceof UsageError) throw error;
    const page = opened?.page;
    const png =
      page &&
      (await within(PICTURE_TIMEOUT_MS, coveredPicture(page, typed, PICTURE_TIMEOUT_MS), undefined).catch(
        () => undefined,
      ));
    const failedAt = steps[done];
    if (png) taken.push({ step: done + 1, action: failedAt ? describeStep(failedAt) : "", failed: true, png });
    const isFinal = opened !== undefined && (await failsAlike(opened, steps, done));
    // That nobody could sign in is what counts.
    await keep();
    const late = limit.aborted ? `The sign-in took longer than ${limitMs / 1_000} s.` : stepText(errorText(error));
    const reason = gone.signal.aborted ? "The browser ended meanwhile." : late;
    // Without its cause, whose addresses logs would have as they are.
    throw new SignInFailure(reason, { mayPass: !isFinal });
  } finally {
    await running?.process.kill();
    await proxy.close();
  }
}

/** Keeps what was typed from going on in clear. */
function guardSending(steps: readonly Step[], typed: ReadonlySet<string>) {
  const mayNotSend = sendingRule(steps, typed);
  let refusal: Error | undefined;
  return {
    maySend: (request: Protocol.Network.Request): boolean => {
      const reason = mayNotSend(request.url, sentIn(request));
      if (reason !== undefined) refusal ??= new Error(reason);
      return reason === undefined;
    },
    /** Why something was not sent. */
    refusal: () => refusal,
  };
}

/** The body of a request, as far as the protocol has it. */
function sentIn({ postData = "", postDataEntries = [] }: Protocol.Network.Request): string {
  return [postData, ...postDataEntries.map(({ bytes = "" }) => Buffer.from(bytes, "base64").toString())].join("\n");
}

/** @property refusal why something was not sent */
type Opened = { page: Page; answers: Answers; refusal: () => Error | undefined };

/** Answers to what was sent: documents, and what scripts send that is no mere reading. */
type Answers = { pending(): number; status(): number };

function watchAnswers(page: Page): Answers {
  const pending = new Set<HTTPRequest>();
  let status = 0;
  const tells = (request: HTTPRequest): boolean => {
    if (request.isNavigationRequest()) return request.frame() === page.mainFrame();
    // Those who count visitors answer from elsewhere.
    const [host, own] = [request.url(), page.url()].map((url) =>
      URL.parse(url)?.hostname.split(".").slice(-2).join("."),
    );
    return !SAFE.test(request.method()) && ["fetch", "xhr"].includes(request.resourceType()) && host === own;
  };
  page.on("request", (request) => void (tells(request) && pending.add(request)));
  page.on("response", (response) => {
    if (pending.has(response.request())) status = response.status();
  });
  for (const event of ["requestfinished", "requestfailed"] as const)
    page.on(event, (request) => void pending.delete(request));
  return { pending: () => pending.size, status: () => status };
}

/**
 * Whether another try would fail alike: the site has refused what was typed, as far as can be seen, which may lock the account, or
 * there is nothing on a page that has loaded to type it into. Neither if an answer is still awaited, or was that the server has a
 * fault.
 */
async function failsAlike({ page, answers, refusal }: Opened, steps: readonly Step[], done: number): Promise<boolean> {
  if (refusal()) return true;
  const hasTyped = steps.slice(0, done + 1).some(({ type }) => type === "change" || type === "keyDown");
  if (answers.pending() > 0 || answers.status() >= 500) return false;
  const look = async () => {
    if ((await page.evaluate(() => document.readyState)) !== "complete" || !/^https?:/.test(page.url())) return false;
    if (!hasTyped || done === steps.length || (await stillAsks(page))) return true;
    const field = steps.slice(0, done).findLast((step) => step.type === "change");
    return field !== undefined && (await isThere(page, field));
  };
  // A page that does not answer has not refused anything.
  return within(PICTURE_TIMEOUT_MS, look(), false).catch(() => false);
}

function sayPassedBy({ log }: BrowserSettings, did: StepsDone | undefined): void {
  for (const reason of did?.passedBy ?? []) log.info("a step of the sign-in was passed by", { reason });
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

/** Waits until the page shows that somebody has signed in: as long as an answer is awaited, and a while after it. */
async function requireSignedIn(
  page: Page,
  context: BrowserContext,
  {
    when,
    answers,
    signal,
    did,
  }: { when: SignedInWhen | undefined; answers: Answers; signal: AbortSignal; did: StepsDone | undefined },
): Promise<void> {
  for (let end = performance.now() + SIGNED_IN_TIMEOUT_MS; ; ) {
    signal.throwIfAborted();
    const missing = await missingOf(page, context, when).catch(() => "the page could not be read");
    if (missing === undefined) return;
    if (answers.pending() > 0) end = performance.now() + SIGNED_IN_TIMEOUT_MS;
    else if (performance.now() > end) {
      const also = [(await did?.hint()) ?? "", ...(did?.passedBy ?? [])].filter((text) => text !== "");
      throw new Error(`All steps were done, but ${missing}.${also.map((text) => ` ${text}.`).join("")}`);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** @returns undefined when somebody has signed in */
async function missingOf(page: Page, context: BrowserContext, when: SignedInWhen = {}): Promise<string | undefined> {
  const { selector, text, url, cookie } = when;
  const at = stepAddress(page.url());
  if (selector !== undefined && !(await page.$(selector)))
    return `no element ${JSON.stringify(selector)} is there (signed_in_when) in ${at}`;
  if (text !== undefined && !(await page.evaluate((wanted) => document.body.innerText.includes(wanted), text)))
    return `the text ${JSON.stringify(text)} is not there (signed_in_when) in ${at}`;
  if (url !== undefined && !page.url().includes(url))
    return `the address ${at} does not contain ${JSON.stringify(url)} (signed_in_when)`;
  if (cookie !== undefined && !(await context.cookies()).some(({ name }) => name === cookie))
    return `there is no cookie ${JSON.stringify(cookie)} (signed_in_when)`;
  if (Object.keys(when).length > 0) return undefined;
  return (await stillAsks(page)) ? `${at} still asks to sign in` : undefined;
}

async function stillAsks(page: Page): Promise<boolean> {
  const html = await page.content();
  const shown = weighPage(readSigns(html.slice(0, MAX_HTML)));
  const asked = `${new URL(page.url()).origin}/`;
  return isSignIn({ asked, reached: page.url(), status: 200, page: shown }, [], true);
}

async function sessionOf(page: Page, context: BrowserContext): Promise<SignedIn> {
  const cookies = await context.cookies();
  const storage = await page.evaluate(readStorage).catch(() => undefined);
  const fits = (one: SiteStorage | undefined) => JSON.stringify(one ?? "").length <= MAX_STORAGE_LENGTH;
  const withoutDatabases = storage && { ...storage, databases: [] };
  return {
    cookies: cookies.map(({ name, value, domain, path, secure, httpOnly, expires }) => ({
      ...{ name, value, domain, path, secure, httpOnly: httpOnly ?? false, expires },
    })),
    storage: [storage, withoutDatabases].find(fits),
  };
}

/** A pass whose visit is that of the first page. */
function admitted(proxy: FilteringProxy, steps: readonly Step[]): ProxyPass {
  const pass = proxy.admit();
  const [first] = namedOrigins(steps);
  if (first !== undefined) pass.begin(first);
  return pass;
}

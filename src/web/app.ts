import { type NextFunction, type Request, type Response, Router } from "express";
import type { Call, PagePort } from "../api/page-port.ts";
import { personOfProvider } from "../database/accounts/people.ts";
import { findSession } from "../database/accounts/tokens.ts";
import { listSiteNames } from "../database/reports/sites.ts";
import type { Principal } from "../domain/accounts/principal.ts";
import { RequestError } from "../domain/errors.ts";
import { gzipped, usesGzip } from "../responses/gzip.ts";
import { READ_METHODS, sendFile, versioned } from "../responses/send-file.ts";
import { apiFor, searchOf } from "./api.ts";
import { assetRoutes, assets } from "./assets.ts";
import { atSite } from "./at-site.ts";
import { readFields } from "./fields.ts";
import { htmlPage } from "./layout.ts";
import { createOncePerKey } from "./once-per-key.ts";
import type { Access, Fields, FormRoute, Forward, Outcome, PageContext, PageRoute, Reader, View } from "./page.ts";
import { errorView, meantAddress } from "./pages/error.ts";
import { unknownView } from "./pages/provider.ts";
import { resumeOf, unsentView } from "./pages/unsent.ts";
import { mayWrite, whyNot } from "./parts/access.ts";
import { isForOthers } from "./parts/report.ts";
import { forms, guidePages, pages } from "./routes.ts";
import { arrivalRoutes } from "./session/arrive.ts";
import { type CookieAddress, csrfToken, isCsrfToken, noSessionCookie, sessionSecret } from "./session/cookie.ts";
import { isCrossSite } from "./session/cross-site.ts";
import { requestOf } from "./session/let-in.ts";
import { ownRoutes } from "./session/own.ts";
import { type ProviderHealth, providerRoutes, signInForm } from "./session/provider.ts";
import { atProxy, followProxy } from "./session/proxy.ts";
import { signInRoutes } from "./session/sign-in.ts";
import { texts } from "./texts/en.ts";

/** What pages may load and send: only from and to this service, with scripts and styles as files. */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
].join("; ");

/** The most sites that one is chosen from. */
const MAX_NAMES = 1_000;

/** What is saved or shown beside pages does nothing. */
const FILE_POLICY = "default-src 'none'; sandbox";

/** The same limit as for a request to the API. */
const MAX_FORM_BYTES = "1mb";
const MAX_FILE_BYTES = "8mb";

/**
 * The pages for people, on the application that serves the API.
 *
 * @param deps.baseUrl its path is the start of every link
 */
export function createWeb(deps: PagePort): Router {
  return createPages(deps, { pages, forms, hasSessions: true });
}

/** Only the guides, to which the API's issues link: for an installation without the other pages. */
export function createGuidePages(deps: PagePort): Router {
  return createPages(deps, { pages: guidePages, forms: [], hasSessions: false });
}

type Served = {
  pages: readonly PageRoute[];
  forms: readonly FormRoute[];
  /** Whether there are pages to sign in. */
  hasSessions: boolean;
};

function createPages(deps: PagePort, { pages, forms, hasSessions }: Served): Router {
  const prefix = deps.baseUrl === undefined ? "" : new URL(deps.baseUrl).pathname.replace(/\/$/, "");
  const addressOf = (request: Request): CookieAddress => ({
    prefix,
    secure: request.secure || (deps.baseUrl?.startsWith("https:") ?? false),
  });
  const oncePerKey = createOncePerKey(deps.now);
  const health: ProviderHealth = { awaySince: undefined };
  const form = signInForm(deps, health);
  const router = Router({ caseSensitive: true, strict: true });
  router.use(assetRoutes());

  function secretOf(request: Request): string | undefined {
    return hasSessions ? sessionSecret(request, addressOf(request)) : undefined;
  }

  /** Who reads a page. Where a proxy says who comes, a session is only of whom it names. */
  async function contextOf(request: Request, response: Response, entered?: string): Promise<PageContext> {
    const secret = entered ?? secretOf(request);
    const isNobody = hasSessions && atProxy(deps, request, response) === "nobody";
    const principal =
      secret === undefined || isNobody
        ? undefined
        : await findSession(deps.db, secret, deps.now(), deps.originOf(request).address);
    // The session is over: the browser need not send its secret again.
    if (secret !== undefined && !principal) {
      response.clearCookie(...noSessionCookie(addressOf(request)));
      // The look-up costs the database work, so it counts like wrong credentials.
      await deps.limit({ request, response });
    }
    const reader: Reader | null = principal && secret ? { principal, here: principal, csrf: csrfToken(secret) } : null;
    response.locals.caller = principal;
    return {
      api: apiFor(deps.api, { request, response }, principal ?? null, oncePerKey),
      params: encoded(request.params),
      query: new URL(request.originalUrl, "http://localhost").searchParams,
      reader,
      provider: deps.provider?.name,
      invitesByMail: deps.people.invites,
      home: hasSessions,
      guides: () => deps.guides({ request, response }),
      siteNames: async () => (principal ? listSiteNames(deps.db, principal, MAX_NAMES) : []),
      href: (path, query = {}) => {
        const search = searchOf(query).toString();
        return `${prefix}${path}${search && `?${search}`}`;
      },
      path: request.path,
      now: deps.now(),
    };
  }

  /** The same for whom the proxy names; the page that says why this is nobody here. Without a proxy nothing changes. */
  async function byProxy(context: PageContext, request: Request, response: Response): Promise<PageContext | View> {
    const who = atProxy(deps, request, response);
    if (typeof who !== "object") return context;
    const { principal } = context.reader ?? {};
    const followed = await followProxy(deps, who, { request, response, principal, at: addressOf(request) });
    if (followed === "as before") return context;
    if (followed === "other role") return contextOf(request, response);
    if ("secret" in followed) {
      const entered = await contextOf(request, response, followed.secret);
      // A form was filled in by whoever had the session before.
      return request.method === "POST" ? errorView("foreign form") : entered;
    }
    const { contact } = deps.people;
    const view = { name: texts.provider.proxyName, why: followed.refused, contact };
    return unknownView(context, { ...view, ...requestOf(response) });
  }

  /** On a page for everybody, whose session another has left behind is nobody: the proxy names who reads. */
  async function ofWhomProxyNames(context: PageContext, request: Request, response: Response): Promise<PageContext> {
    const who = atProxy(deps, request, response);
    if (typeof who !== "object" || !context.reader) return context;
    const person = await personOfProvider(deps.db, who);
    return person?.id === context.reader.principal.tokenId ? context : { ...context, reader: null };
  }

  /** What a page for everybody reads: as somebody who is not signed in, and what the reader owns apart from that. */
  function forEverybody({ api, reader, params }: PageContext, request: Request, response: Response) {
    const shareSecret = params.share_secret;
    return {
      api: apiFor(deps.api, { request, response }, null, oncePerKey, { shareSecret }),
      own: reader ? api : undefined,
    };
  }

  type Act = (context: PageContext, request: Request, response: Response) => Promise<Outcome>;

  /** Responds to somebody who was admitted, or has to sign in first. */
  async function respond(
    { access }: { access: Access },
    act: Act,
    context: PageContext,
    request: Request,
    response: Response,
  ): Promise<void> {
    if (access === "account" && !context.reader) return toSignIn(context, request, response);
    const isPublic = access === "public";
    const signedOut = isPublic && forEverybody(context, request, response);
    const outcome = await act({ ...context, ...signedOut }, request, response);
    const caller = isPublic ? null : (context.reader?.principal ?? null);
    await send(outcome, { context, caller }, request, response);
  }

  /** Handles a request for a page or from a form, and shows errors as pages. */
  function handler(route: { path: string; access: Access; isForm?: boolean }, act: Act) {
    return async (request: Request, response: Response, next: NextFunction) => {
      response.locals.route = route.path;
      response.locals.isForm = route.isForm;
      response.set({ "Cache-Control": "no-store", "Referrer-Policy": "same-origin", ...robotsHeader(request.path) });
      response.vary("Cookie");
      let context: PageContext | undefined;
      try {
        context = await contextOf(request, response);
        const admit = route.access === "public" ? ofWhomProxyNames : byProxy;
        const admitted = await admit(context, request, response);
        context = isView(admitted) ? { ...context, reader: null } : await atSite(deps.db, admitted);
        if (isView(admitted)) await sendView(admitted, context, request, response);
        else await respond(route, act, context, request, response);
      } catch (error) {
        if (response.headersSent) return next(error);
        const shown = route.access === "public" ? hidden(error) : error;
        await sendError(shown, context, request, response).catch(next);
      }
    };
  }

  async function sendError(error: unknown, context: PageContext | undefined, request: Request, response: Response) {
    if (error instanceof RequestError && error.status === 401 && context) return toSignIn(context, request, response);
    const known = deps.onError(error, response);
    response.set({ ...known.headers });
    const fields = known.status === 429 || known.status === 503 ? await typedIn(request, response) : undefined;
    const view = fields
      ? unsentView(known, fields, request.originalUrl)
      : errorView(known, ownReport(context, request));
    await sendView(view, context ?? anonymous(request), request, response);
  }

  /** What was typed into one of our forms; undefined for any other request. */
  async function typedIn(request: Request, response: Response): Promise<Fields | undefined> {
    if (request.method !== "POST" || response.locals.isForm !== true || isCrossSite(request)) return undefined;
    return readFields(request, response, MAX_FORM_BYTES).catch(() => undefined);
  }

  /** For an error page while the database, which knows who is signed in, is unavailable. */
  function anonymous(request: Request): PageContext {
    const href = (path: string) => `${prefix}${path}`;
    const none = { api: undefined as never, guides: undefined as never, params: {}, query: new URLSearchParams() };
    return { ...none, reader: null, home: hasSessions, href, path: request.path, now: deps.now() };
  }

  async function toSignIn(context: PageContext, request: Request, response: Response): Promise<void> {
    const ended = secretOf(request) !== undefined;
    const fields = await typedIn(request, response);
    const resume = fields && resumeOf(fields, request.originalUrl);
    if (resume) {
      const view = { ...(await form(context, { ended, resume })), status: 401 };
      return sendView(view, { ...context, reader: null }, request, response);
    }
    const next = request.method === "GET" ? request.originalUrl : "";
    response.redirect(303, context.href("/sign-in", { next, ended: ended ? "1" : undefined }));
  }

  type For = { context: PageContext; caller: Principal | null };

  async function send(outcome: Outcome, { context, caller }: For, request: Request, response: Response): Promise<void> {
    const shareSecret = context.params.share_secret;
    if ("file" in outcome) {
      const { filename, chunks } = outcome.file;
      const api = apiFor(deps.api, { request, response }, caller, oncePerKey, { shareSecret, isPart: true });
      response.set("Content-Security-Policy", FILE_POLICY);
      await deps.api.sendFile({ request, response }, { filename, chunks: chunks(api) }, { caller });
    } else if ("forward" in outcome) await forward(outcome.forward, { caller, shareSecret }, request, response);
    else if ("redirect" in outcome) response.redirect(303, outcome.redirect);
    else await sendView(outcome, context, request, response);
  }

  async function forward(
    { path, query = {} }: Forward,
    who: Pick<Call, "caller" | "shareSecret">,
    request: Request,
    response: Response,
  ) {
    response.set("Content-Security-Policy", FILE_POLICY);
    await deps.api.forward({ request, response }, { method: "GET", path, query: searchOf(query), ...who });
  }

  async function sendView(view: View, context: PageContext, request: Request, response: Response): Promise<void> {
    const html = htmlPage(view, context, await assets());
    // A response to a request with a cookie may depend on the session, so it must not be cached for others.
    if (view.isForEverybody && secretOf(request) === undefined && !context.reader)
      return sendFile(request, response, await versioned("text/html", html, { "Content-Security-Policy": POLICY }));
    const page = Buffer.from(html);
    const body = usesGzip(request, response, page.length) ? await gzipped(response, page) : page;
    response
      .status(view.status ?? 200)
      .set("Content-Security-Policy", POLICY)
      .type("html")
      .send(body);
  }

  if (hasSessions) {
    router.use(signInRoutes({ ...deps, addressOf, handler }, form));
    router.use(providerRoutes({ ...deps, addressOf, handler }, form, health));
    router.use(arrivalRoutes({ ...deps, addressOf, handler }));
    router.use(ownRoutes({ ...deps, addressOf, handler }));
  }
  for (const route of pages) router.get(route.path, handler(route, route.read));
  for (const route of forms)
    router.post(
      route.path,
      handler({ ...route, isForm: true }, async (context, request, response) => {
        const fields = await readFields(request, response, route.takesFile ? MAX_FILE_BYTES : MAX_FORM_BYTES);
        const secret = secretOf(request);
        if (secret === undefined || !isCsrfToken(secret, fields.get("csrf"))) return errorView("foreign form");
        // Before the form's own errors, which people who may only read cannot correct.
        if (!mayWrite(context, route.right)) return errorView(readOnly(context));
        return route.submit(context, fields);
      }),
    );
  for (const { path } of guidePages)
    router.all(path, (request, response) => {
      response.locals.route = path;
      if (request.method !== "OPTIONS") throw onlyRead();
      response.set("Allow", READ_METHODS).status(204).end();
    });
  if (!hasSessions) return router;
  const fixed = pages.flatMap(({ path }) => (/[:*]/.test(path) ? [] : [path]));
  const unknown = handler({ path: "unknown", access: "public" }, async (context) => {
    const error = { status: 404, code: "not_found", title: "Not found", detail: "There is no such address." };
    return errorView(new RequestError(error), undefined, meantAddress(context, fixed));
  });
  router.get("/*path", (request, response, next) => (isForPeople(request) ? unknown(request, response, next) : next()));
  return router;
}

const isView = (shown: PageContext | View): shown is View => "content" in shown;

function robotsHeader(path: string): Record<string, string> {
  return isForOthers(path) ? { "X-Robots-Tag": "noindex, nofollow" } : {};
}

/** Whether a browser asks for a page. A client of the API, or one that accepts anything, gets errors as JSON. */
function isForPeople(request: Request): boolean {
  if (/^\/api(\/|$)/.test(request.path)) return false;
  return request.accepts(["application/vnd.api+json", "application/json", "text/html"]) === "text/html";
}

/**
 * Where the owner reads a report that is not shared, after signing in. The same for one that does not exist, so that nobody
 * learns which do.
 */
function ownReport(context: PageContext | undefined, { method, originalUrl }: Request): string | undefined {
  const shared = /^\/r(?=\/)/;
  if (method !== "GET" || !context || !shared.test(originalUrl)) return undefined;
  const next = originalUrl.replace(shared, "/reports");
  return context.reader ? context.href(next) : context.href("/sign-in", { next });
}

/** Without sign-in, a page that is not shared does not exist. */
function hidden(error: unknown): unknown {
  const isAskedToSignIn = error instanceof RequestError && error.status === 401;
  return isAskedToSignIn
    ? new RequestError({ status: 404, code: "not_found", title: "Not found", detail: "There is no such report." })
    : error;
}

/** A path's parameters in their encoded form: a decoded slash would make it the path of something else. */
function encoded(params: Readonly<Record<string, string | string[]>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, [value].flat().map(encodeURIComponent).join("/")]),
  );
}

function onlyRead(): RequestError {
  const detail = `Guides are read-only: ${READ_METHODS}.`;
  const error = { status: 405, code: "method_not_allowed", title: "Method not allowed", detail };
  return new RequestError(error, { Allow: READ_METHODS });
}

function readOnly(context: PageContext): RequestError {
  return new RequestError({ status: 403, code: "insufficient_scope", title: "Forbidden", detail: whyNot(context) });
}

import { type Request, type RequestHandler, type Response, Router } from "express";
import type { PagePort } from "../../api/page-port.ts";
import { deleteSession, findPrincipal, redeemSignInCode } from "../../database/accounts/tokens.ts";
import { mailOf } from "../../domain/accounts/mail.ts";
import { readFields } from "../fields.ts";
import { localPath } from "../local-path.ts";
import type { Access, Fields, Outcome, PageContext, View } from "../page.ts";
import { errorView } from "../pages/error.ts";
import { OWN } from "../pages/own.ts";
import { type SignInState, secondFactorView } from "../pages/sign-in.ts";
import { resumedView, resumeIn } from "../pages/unsent.ts";
import { type CookieAddress, csrfToken, isCsrfToken, noSessionCookie, sessionSecret } from "./cookie.ts";
import { isCrossSite } from "./cross-site.ts";
import { enter } from "./enter.ts";
import { judgeFactor, judgePassword } from "./password.ts";
import { atProxy } from "./proxy.ts";

/** Makes the handler of a request, in which errors are pages. */
export type Handler = (
  route: { path: string; access: Access },
  act: (context: PageContext, request: Request, response: Response) => Promise<Outcome>,
) => RequestHandler;

export type SignIn = Pick<
  PagePort,
  | ("db" | "now" | "limit" | "callerAddress" | "originOf" | "encryptor" | "people" | "baseUrl")
  | ("announceSetupCode" | "provider" | "proxy" | "onProviderFailure")
> & {
  addressOf: (request: Request) => CookieAddress;
  handler: Handler;
};

/** The form to sign in, with the ways in that there are. */
export type SignInForm = (context: PageContext, state: SignInState) => Promise<View>;

/** Has room for a waiting form, whose characters may be escaped twice. */
const MAX_FORM_BYTES = "256kb";

/** Signs people in with a token, a link that works once or a password, and signs them out. */
export function signInRoutes(deps: SignIn, form: SignInForm): Router {
  const { db, limit, addressOf, handler } = deps;
  const router = Router({ caseSensitive: true, strict: true });

  /** Goes on where somebody wanted to be. */
  async function goOn(tokenId: string, context: PageContext, fields: Fields, exchange: Exchange): Promise<Outcome> {
    const secret = await enter(deps, tokenId, exchange, addressOf(exchange.request));
    const resume = resumeIn(fields);
    if (resume) return resumedView(resume, csrfToken(secret));
    const next = localPath(fields.get("next"));
    return { redirect: next ? context.href(next) : context.href("/") };
  }

  router.get(
    "/sign-in",
    handler({ path: "/sign-in", access: "public" }, async (context, request, response) => {
      const { query } = context;
      const next = localPath(query.get("next"));
      const out = query.has("out");
      const said = atProxy(deps, request, response);
      // Whom the proxy names has no need of this page.
      if (typeof said === "object" && !out) return { redirect: context.href(next ?? "/") };
      const proxyProblem = typeof said === "string" ? said : undefined;
      return form(context, { next, ended: query.has("ended"), out, proxyProblem });
    }),
  );

  router.post(
    "/sign-in",
    handler({ path: "/sign-in", access: "public" }, async (context, request, response) => {
      // Another site must not sign somebody in to an account of its own.
      if (isCrossSite(request)) return errorView("foreign form");
      await limit({ request, response });
      const fields = await readFields(request, response, MAX_FORM_BYTES);
      const kept = { next: localPath(fields.get("next")), resume: resumeIn(fields) };
      const result = await judge(deps, fields, request);
      if ("id" in result) {
        const outcome = await goOn(result.id, context, fields, { request, response });
        // Where a provider signs people in, an owner's password is the one way past it.
        const isAsked = result.lacksFactor && deps.provider && deps.encryptor && !kept.resume;
        return isAsked ? { redirect: context.href(OWN) } : outcome;
      }
      if ("pending" in result) {
        const view = secondFactorView(context, { ...kept, ...result });
        return result.isWrong ? { ...view, status: 422 } : view;
      }
      return { ...(await form(context, { ...kept, ...result })), status: 422 };
    }),
  );

  router.post(
    "/sign-out",
    handler({ path: "/sign-out", access: "public" }, async (context, request, response) => {
      const secret = sessionSecret(request, addressOf(request));
      if (secret !== undefined) {
        const fields = await readFields(request, response, MAX_FORM_BYTES);
        if (!isCsrfToken(secret, fields.get("csrf"))) return errorView("foreign form");
        await deleteSession(db, secret);
        response.clearCookie(...noSessionCookie(addressOf(request)));
      }
      return { redirect: context.href("/sign-in", { out: "1" }) };
    }),
  );
  return router;
}

/** What comes of a form: who it is, a second factor that is still missing, or what the form says then. */
type Judged = { id: string; lacksFactor?: boolean } | { pending: string; isWrong?: boolean } | SignInState;

/** Judges what was typed: the code of an app, a mail address with a password, a token, or the code of a link. */
async function judge(deps: SignIn, fields: Fields, request: Request): Promise<Judged> {
  if (fields.has("pending")) return byFactor(deps, fields);
  const mail = mailOf(fields.get("mail") ?? "");
  const password = fields.get("password") ?? "";
  if (mail === "" && password === "") return byToken(deps, fields);
  const result = await judgePassword(deps, { mail, password }, request);
  if (!("problem" in result)) return result;
  const left = result.problem === "wrong" ? result.left : 0;
  return { mail, passwordProblem: result.problem, left };
}

async function byFactor(deps: SignIn, fields: Fields): Promise<Judged> {
  const pending = fields.get("pending") ?? "";
  const result = await judgeFactor(deps, { pending, code: fields.get("factor") ?? "" });
  if ("id" in result) return result;
  return result.problem === "wrong" ? { pending, isWrong: true } : { passwordProblem: result.problem };
}

async function byToken({ db, now }: SignIn, fields: Fields): Promise<Judged> {
  const token = fields.get("token")?.trim() ?? "";
  const code = fields.get("code") ?? "";
  if (token === "" && code === "") return { problem: "empty" };
  const id = code === "" ? (await findPrincipal(db, token, now()))?.tokenId : await redeemSignInCode(db, code, now());
  return id === undefined ? { problem: code === "" ? "unknown token" : "used code" } : { id };
}

type Exchange = { request: Request; response: Response };

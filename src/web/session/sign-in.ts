import { type Request, type RequestHandler, type Response, Router } from "express";
import type { PagePort } from "../../api/page-port.ts";
import { findPrincipal } from "../../database/accounts/tokens.ts";
import { createSession, deleteSession, redeemSignInCode } from "../../database/accounts/web-sessions.ts";
import { readFields } from "../fields.ts";
import { localPath } from "../local-path.ts";
import type { Access, Outcome, PageContext } from "../page.ts";
import { errorView } from "../pages/error.ts";
import { type SignInProblem, signInView } from "../pages/sign-in.ts";
import { type CookieAddress, isCsrfToken, noSessionCookie, sessionCookie, sessionSecret } from "./cookie.ts";

type Handler = (
  route: { path: string; access: Access },
  act: (context: PageContext, request: Request, response: Response) => Promise<Outcome>,
) => RequestHandler;

type SignIn = Pick<PagePort, "db" | "now" | "limit"> & {
  addressOf: (request: Request) => CookieAddress;
  handler: Handler;
};

const MAX_FORM_BYTES = "8kb";

/** Signs people in with a token or a link that works once, and out. */
export function signInRoutes({ db, now, limit, addressOf, handler }: SignIn): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.get(
    "/sign-in",
    handler({ path: "/sign-in", access: "public" }, async (context) =>
      signInView(context, { next: localPath(context.query.get("next")), ended: context.query.has("ended") }),
    ),
  );

  router.post(
    "/sign-in",
    handler({ path: "/sign-in", access: "public" }, async (context, request, response) => {
      // Another site must not sign somebody in to an account of its own.
      if (isFromElsewhere(request)) return errorView("foreign form");
      await limit({ request, response });
      const fields = await readFields(request, response, MAX_FORM_BYTES);
      const next = localPath(fields.get("next"));
      const token = fields.get("token")?.trim() ?? "";
      const code = fields.get("code") ?? "";
      const again = (problem: SignInProblem) => ({ ...signInView(context, { next, problem }), status: 422 });
      if (token === "" && code === "") return again("empty");
      const tokenId =
        code === "" ? (await findPrincipal(db, token, now()))?.tokenId : await redeemSignInCode(db, code, now());
      if (tokenId === undefined) return again(code === "" ? "unknown token" : "used code");
      // A session that somebody else may have set ends here: who signs in gets a new one.
      const before = sessionSecret(request, addressOf(request));
      if (before !== undefined) await deleteSession(db, before);
      response.cookie(...sessionCookie(await createSession(db, tokenId, now()), addressOf(request)));
      return { redirect: next ? context.href(next) : context.href("/") };
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
      return { redirect: context.href("/sign-in") };
    }),
  );
  return router;
}

/** Browsers say where a form comes from (Fetch Metadata; older ones with Origin). */
function isFromElsewhere(request: Request): boolean {
  const site = request.get("sec-fetch-site");
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const origin = request.get("origin");
  // None of these pages hides where it is: "null" is another site's, too.
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== request.host);
}

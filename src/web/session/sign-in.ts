import { type Request, type RequestHandler, type Response, Router } from "express";
import type { PagePort } from "../../api/page-port.ts";
import { createSession, deleteSession, findPrincipal, redeemSignInCode } from "../../database/accounts/tokens.ts";
import { readFields } from "../fields.ts";
import { localPath } from "../local-path.ts";
import type { Access, Outcome, PageContext } from "../page.ts";
import { errorView } from "../pages/error.ts";
import { type SignInProblem, signInView } from "../pages/sign-in.ts";
import { resumedView, resumeIn } from "../pages/unsent.ts";
import { type CookieAddress, csrfToken, isCsrfToken, noSessionCookie, sessionCookie, sessionSecret } from "./cookie.ts";
import { isCrossSite } from "./cross-site.ts";

type Handler = (
  route: { path: string; access: Access },
  act: (context: PageContext, request: Request, response: Response) => Promise<Outcome>,
) => RequestHandler;

type SignIn = Pick<PagePort, "db" | "now" | "limit"> & {
  addressOf: (request: Request) => CookieAddress;
  handler: Handler;
};

/** Has room for a waiting form, whose characters may be escaped twice. */
const MAX_FORM_BYTES = "256kb";

/** Signs people in with a token or a link that works once, and signs them out. */
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
      if (isCrossSite(request)) return errorView("foreign form");
      await limit({ request, response });
      const fields = await readFields(request, response, MAX_FORM_BYTES);
      const next = localPath(fields.get("next"));
      const token = fields.get("token")?.trim() ?? "";
      const code = fields.get("code") ?? "";
      const resume = resumeIn(fields);
      const again = (problem: SignInProblem) => ({ ...signInView(context, { next, problem, resume }), status: 422 });
      if (token === "" && code === "") return again("empty");
      const tokenId =
        code === "" ? (await findPrincipal(db, token, now()))?.tokenId : await redeemSignInCode(db, code, now());
      if (tokenId === undefined) return again(code === "" ? "unknown token" : "used code");
      // An earlier session, which somebody else may have set, ends here: signing in always creates a new one.
      const before = sessionSecret(request, addressOf(request));
      if (before !== undefined) await deleteSession(db, before);
      const secret = await createSession(db, tokenId, now());
      response.cookie(...sessionCookie(secret, addressOf(request)));
      if (resume) return resumedView(resume, csrfToken(secret));
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

import { randomBytes } from "node:crypto";
import { type Request, type Response, Router } from "express";
import type { PagePort } from "../../api/page-port.ts";
import { firstOwnerSince } from "../../database/accounts/people.ts";
import { beginProviderSignIn, endProviderSignIn } from "../../database/accounts/provider-sign-ins.ts";
import { ProviderAway, ProviderRefused } from "../../domain/accounts/provider.ts";
import { PROVIDER_SIGN_IN_MS } from "../../domain/accounts/sign-in-limits.ts";
import { localPath } from "../local-path.ts";
import type { PageContext } from "../page.ts";
import { PROVIDER, PROVIDER_BACK, PROVIDER_END, unknownView } from "../pages/provider.ts";
import { signInView } from "../pages/sign-in.ts";
import { noSessionCookie, sessionCookie, sessionSecret } from "./cookie.ts";
import { enter } from "./enter.ts";
import { letIn, requestOf } from "./let-in.ts";
import type { SignIn, SignInForm } from "./sign-in.ts";

/** What this process knows of the provider: since when it does not respond. */
export type ProviderHealth = { awaySince: Date | undefined };

export function signInForm(
  { db, people, provider, proxy, baseUrl }: Pick<PagePort, "db" | "people" | "provider" | "proxy" | "baseUrl">,
  health: ProviderHealth,
): SignInForm {
  return async (context, state) =>
    signInView(context, {
      ...state,
      hasOwner: (await firstOwnerSince(db)) !== undefined,
      contact: people.contact,
      proxy: proxy && { signOut: proxy.signOut, baseUrl },
      provider: provider && { name: provider.name, awaySince: health.awaySince },
    });
}

/** Signs people in by the provider: away to its page, and back. */
export function providerRoutes(deps: SignIn, form: SignInForm, health: ProviderHealth): Router {
  const { db, now, limit, addressOf, handler, provider, onProviderFailure } = deps;
  const router = Router({ caseSensitive: true, strict: true });
  if (!provider) return router;
  const { client, name } = provider;

  const addressTo = ({ href }: PageContext, request: Request, path: string) =>
    new URL(href(path), deps.baseUrl ?? `${request.protocol}://${request.host}`);

  /** Notes whether the provider responds. */
  async function asked<Result>(work: Promise<Result>, response: Response): Promise<Result | undefined> {
    try {
      const result = await work;
      health.awaySince = undefined;
      return result;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      onProviderFailure(error, response);
      if (error instanceof ProviderAway) health.awaySince ??= now();
      // It has answered.
      if (error instanceof ProviderRefused) health.awaySince = undefined;
      return undefined;
    }
  }

  // A link, and no form: a browser follows the redirects of a form only to where this page's policy allows it, and where a
  // provider leads on to is its own matter.
  router.get(
    PROVIDER,
    handler({ path: PROVIDER, access: "public" }, async (context, request, response) => {
      await limit({ request, response });
      const next = localPath(context.query.get("next"));
      const secret = randomBytes(32).toString("base64url");
      const callback = addressTo(context, request, PROVIDER_BACK).href;
      const to = await asked(client.begin({ secret, callback, isAgain: context.query.has("again") }), response);
      if (to === undefined) return { ...(await form(context, { next })), status: 503 };
      const endsAt = new Date(now().getTime() + PROVIDER_SIGN_IN_MS);
      await beginProviderSignIn(db, { secret, next, now: now(), endsAt });
      response.cookie(...sessionCookie({ secret, ms: PROVIDER_SIGN_IN_MS }, addressOf(request), "provider"));
      return { redirect: to };
    }),
  );

  router.get(
    PROVIDER_BACK,
    handler({ path: PROVIDER_BACK, access: "public" }, async (context, request, response) => {
      await limit({ request, response });
      const secret = sessionSecret(request, addressOf(request), "provider");
      response.clearCookie(...noSessionCookie(addressOf(request), "provider"));
      // Only the browser that went away comes back, once: what somebody else has begun signs nobody in.
      const begun = secret === undefined ? undefined : await endProviderSignIn(db, secret, now());
      if (secret === undefined || !begun) return { ...(await form(context, { providerProblem: "used" })), status: 422 };
      const next = localPath(begun.next);
      const back = addressTo(context, request, PROVIDER_BACK);
      back.search = context.query.toString();
      const provided = await asked(client.finish(back, secret), response);
      if (!provided) {
        const problem = health.awaySince === undefined ? ({ providerProblem: "refused" } as const) : {};
        return { ...(await form(context, { next, ...problem })), status: problem.providerProblem ? 422 : 503 };
      }
      const arrived = await letIn(deps, provided, request, response);
      if ("refused" in arrived)
        return unknownView(context, {
          name,
          why: arrived.refused,
          contact: deps.people.contact,
          ...requestOf(response),
        });
      await enter(deps, arrived.id, { request, response }, addressOf(request));
      return { redirect: context.href(next ?? "/") };
    }),
  );

  router.get(
    PROVIDER_END,
    handler({ path: PROVIDER_END, access: "public" }, async (context, request, response) => {
      await limit({ request, response });
      const to = await asked(client.end(addressTo(context, request, "/sign-in").href), response);
      return { redirect: to ?? context.href("/sign-in") };
    }),
  );
  return router;
}

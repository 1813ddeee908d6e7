import { type Response, Router, urlencoded } from "express";
import { acceptInvitation, readInvitation } from "../../../database/accounts/guests.ts";
import { RequestError } from "../../../domain/errors.ts";
import { escaped } from "../../../domain/escaped-html.ts";
import type { ApiDeps } from "../../context.ts";
import { originOf } from "../../http/request/origin.ts";
import { callerAddress, type RateLimiter } from "../../http/request/rate-limit.ts";
import { showSmallPage as show } from "../../http/response/small-page.ts";
import { readInvitationForm } from "./invitations.ts";

const PATH = "/invitations/:guest_token";

/** The public page on which a person accepts an invitation; programs call POST /api/v1/invitations/{guest_token}. */
export function invitationPage({ db, now, hasSignIn = false }: ApiDeps, limit: RateLimiter): Router {
  const router = Router({ caseSensitive: true });
  router.all(PATH, async (request, response, next) => {
    response.locals.route = PATH;
    await limit(callerAddress(request), response, now());
    next();
  });
  router.get(PATH, async (request, response) => {
    const state = await stateOf(request.params.guest_token);
    if (state === "open") show(response, 200, "Accept the invitation", form());
    else refuse(response, state);
  });
  router.post(PATH, urlencoded({ extended: false, limit: "10kb", parameterLimit: 10 }), async (request, response) => {
    const token = request.params.guest_token ?? "";
    const state = await stateOf(token);
    if (state !== "open") return refuse(response, state);
    const { name, email } = (request.body ?? {}) as Record<string, unknown>;
    const entered = { name: textOf(name), email: textOf(email) };
    try {
      const made = await acceptInvitation(db, token, readInvitationForm(entered), {
        now: now(),
        origin: originOf(request, "browser"),
        requestId: response.locals.requestId,
      });
      if (made) show(response, 201, "You are a guest now", accepted(made.token, hasSignIn));
      else refuse(response, "accepted");
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      show(response, 422, "Please check what you entered", form(entered, error));
    }
  });

  function stateOf(token: string | undefined) {
    return token === undefined || token.includes("\0") ? ("none" as const) : readInvitation(db, token);
  }
  return router;
}

function refuse(response: Response, state: "accepted" | "none"): void {
  if (state === "none")
    show(response, 404, "No such invitation", "<p>Please check the address that you were given.</p>");
  else
    show(
      response,
      409,
      "The invitation has been used",
      "<p>An invitation works once. Please ask your host for another one.</p>",
    );
}

type Entered = { name: string; email: string };

const fields = [
  { name: "name", label: "Your name", type: "text", hint: "Enter your name, at most 200 characters." },
  { name: "email", label: "Your email address", type: "email", hint: "Enter an address such as ada@example.com." },
] as const;

function form(entered: Entered = { name: "", email: "" }, error?: RequestError): string {
  const wrong = new Set(
    (error?.violations ?? []).map(({ source }) => (source && "pointer" in source ? source.pointer : "")),
  );
  const inputs = fields.map(({ name, label, type, hint }) => {
    const bad = wrong.has(`/data/attributes/${name}`);
    return [
      `<label for="${name}">${label}</label>`,
      ...(bad ? [`<p class="error" id="${name}-error">${hint}</p>`] : []),
      // A browser may show nothing of what is no address: "text" keeps it, so that it can be corrected.
      `<input id="${name}" name="${name}" type="${bad ? "text" : type}" autocomplete="${name}" required value="${escaped(entered[name])}"`,
      ...(bad ? [` aria-invalid="true" aria-describedby="${name}-error"`] : []),
      ">",
    ].join("");
  });
  return `${error ? '<p role="alert">The invitation has not been accepted yet.</p>' : ""}
<p>You were invited to validate sites with your host's credits. You will get an API token of your own.</p>
<form method="post">
${inputs.join("\n")}
<button type="submit">Accept</button>
</form>`;
}

/** @param hasSignIn there are pages to which the form signs in, in its body: an address would be kept and logged */
function accepted(token: string, hasSignIn: boolean): string {
  const signIn = `<p>You sign in with it. You can do so at once:</p>
<form method="post" action="../sign-in">
<input type="hidden" name="token" value="${escaped(token)}">
<button type="submit">Sign in and go to the pages</button>
</form>`;
  return `<p>This is your API token. Keep it now: it will not be shown again.</p>
<p><code>${escaped(token)}</code></p>
${hasSignIn ? signIn : ""}
<p>${hasSignIn ? "Programs send" : "Send"} it with every request: <code>Authorization: Bearer ${escaped(token)}</code></p>
<p>What you can do with it: <a href="../api/v1/docs">the API reference</a>.</p>`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.replaceAll("\0", "").toWellFormed().trim() : "";
}

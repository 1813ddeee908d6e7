import { type Request, Router } from "express";
import type { PagePort } from "../../api/page-port.ts";
import { databaseVersion, findInvited, firstOwnerSince } from "../../database/accounts/people.ts";
import { isMail, mailOf } from "../../domain/accounts/mail.ts";
import { hashPassword, passwordFault } from "../../domain/accounts/password.ts";
import { rolesAt } from "../../domain/accounts/roles.ts";
import type { Violation } from "../../schema/violation.ts";
import { acceptInvitation, createFirstOwner } from "../../transactions/people.ts";
import { ensureSetupCode, typedSetupCode } from "../../transactions/setup-code.ts";
import { readFields, textIn } from "../fields.ts";
import type { Fields, PageContext } from "../page.ts";
import { errorView } from "../pages/error.ts";
import { joinView, noInvitationView } from "../pages/join.ts";
import { FIRST_SITE, type Installation, isSetUpView, setUpView } from "../pages/set-up.ts";
import { rolesText } from "../parts/roles.ts";
import { texts } from "../texts/en.ts";
import { isCrossSite } from "./cross-site.ts";
import { enter } from "./enter.ts";
import { requestedBy } from "./let-in.ts";
import type { SignIn } from "./sign-in.ts";

const MAX_FORM_BYTES = "16kb";

/** How people become some: the first owner by a code from the log, others by an invitation. */
export function arrivalRoutes(deps: SignIn): Router {
  const { db, now, limit, addressOf, handler, announceSetupCode } = deps;
  const router = Router({ caseSensitive: true, strict: true });

  router.get(
    "/setup",
    handler({ path: "/setup", access: "public" }, async (context, request, response) => {
      await limit({ request, response });
      const since = await firstOwnerSince(db);
      if (since) return isSetUpView(context, since);
      await ensureSetupCode(db, now(), announceSetupCode);
      return setUpView(context, await installation(deps, context, request));
    }),
  );

  router.post(
    "/setup",
    handler({ path: "/setup", access: "public" }, async (context, request, response) => {
      if (isCrossSite(request)) return errorView("foreign form");
      await limit({ request, response });
      const fields = await readFields(request, response, MAX_FORM_BYTES);
      const faults = [
        ...[...nameFaults(fields), ...mailFaults(fields), ...passwordFaults(fields)],
        ...(firstSiteIn(fields) === undefined ? [fault(FIRST_SITE, texts.setUp.noAddress)] : []),
      ];
      const here = await installation(deps, context, request);
      const since = await firstOwnerSince(db);
      if (since) return isSetUpView(context, since);
      if (faults.length > 0) return setUpView(context, here, { attempt: { fields, violations: faults } });
      const code = typedSetupCode(fields.get("code") ?? "");
      const owner = {
        ...{ name: textIn(fields, "name") ?? "", mail: mailOf(fields.get("mail") ?? "") },
        passwordHash: await hashPassword(fields.get("password") ?? ""),
      };
      const result = await createFirstOwner(db, code, owner, requestedBy(deps, request, response));
      if (result.outcome === "created") {
        await enter(deps, result.id, { request, response }, addressOf(request));
        const url = firstSiteIn(fields);
        return { redirect: url ? context.href("/reports/new", { url }) : context.href("/people") };
      }
      const already = await firstOwnerSince(db);
      if (already) return isSetUpView(context, already);
      await ensureSetupCode(db, now(), announceSetupCode);
      return setUpView(context, here, { attempt: { fields, violations: [] }, isCodeWrong: true });
    }),
  );

  router.get(
    "/join/:secret",
    handler({ path: "/join/:secret", access: "public" }, async (context, request, response) => {
      await limit({ request, response });
      const found = await invited(deps, request);
      return found ? joinView(context, found) : noInvitationView();
    }),
  );

  router.post(
    "/join/:secret",
    handler({ path: "/join/:secret", access: "public" }, async (context, request, response) => {
      if (isCrossSite(request)) return errorView("foreign form");
      await limit({ request, response });
      const fields = await readFields(request, response, MAX_FORM_BYTES);
      const found = await invited(deps, request);
      if (!found) return noInvitationView();
      const violations = [...nameFaults(fields), ...passwordFaults(fields)];
      if (violations.length > 0) return joinView(context, found, { fields, violations });
      const password_hash = await hashPassword(fields.get("password") ?? "");
      const id = await acceptInvitation(
        db,
        found.secret,
        { name: textIn(fields, "name") ?? found.name, password_hash },
        requestedBy(deps, request, response),
      );
      if (id === undefined) return noInvitationView();
      await enter(deps, id, { request, response }, addressOf(request));
      return { redirect: context.href("/") };
    }),
  );
  return router;
}

/** The address of the first site; empty for none, undefined for what is no address. */
function firstSiteIn(fields: URLSearchParams): string | undefined {
  const typed = textIn(fields, FIRST_SITE) ?? "";
  return typed === "" || /^https?:$/.test(URL.parse(typed)?.protocol ?? "") ? typed : undefined;
}

async function invited({ db, now }: Pick<PagePort, "db" | "now">, request: Request) {
  const secret = String(request.params.secret ?? "");
  const row = /^svi_[A-Za-z0-9_-]{32}$/.test(secret) ? await findInvited(db, secret, now()) : undefined;
  if (!row) return undefined;
  const roles = rolesAt(row, now());
  return {
    ...{ secret, name: row.name, mail: row.mail, by: row.invited_by ?? texts.people.roles.owner },
    role: roles && rolesText(roles),
  };
}

async function installation(
  { db, people, baseUrl }: SignIn,
  context: PageContext,
  request: Request,
): Promise<Installation> {
  return {
    database: await databaseVersion(db),
    address: baseUrl ?? `${request.protocol}://${request.host}${context.href("/")}`,
    mail: people.mail ?? false,
  };
}

/** What is wrong with a field. */
export const fault = (name: string, detail: string): Violation => ({
  status: 422,
  code: "invalid",
  title: "Invalid attribute",
  detail,
  source: { pointer: `/data/attributes/${name}` },
});

function nameFaults(fields: Fields): Violation[] {
  const name = textIn(fields, "name") ?? "";
  const length = [...name].length;
  if (length >= 1 && length <= 100) return [];
  return [fault("name", `${texts.setUp.name} has ${length} characters; it must have 1 to 100.`)];
}

function mailFaults(fields: Fields): Violation[] {
  const mail = mailOf(fields.get("mail") ?? "");
  if (isMail(mail)) return [];
  return [fault("mail", `${texts.setUp.mail} must be an address such as ada@example.org.`)];
}

/** What is wrong with a new password that was typed twice. */
export function passwordFaults(fields: Fields): Violation[] {
  const password = fields.get("password") ?? "";
  const wrong = passwordFault(password);
  if (wrong !== undefined) return [fault("password", wrong)];
  if (password === fields.get("password_again")) return [];
  return [fault("password_again", texts.passwordFaults.different)];
}

import { type Request, type Response, Router } from "express";
import { countSignIn, forgetSignIn } from "../../database/accounts/failed-sign-ins.ts";
import { findPerson, type PersonChange, type PersonRow } from "../../database/accounts/people.ts";
import { hashPassword, isPassword } from "../../domain/accounts/password.ts";
import { SIGN_IN_TRIES } from "../../domain/accounts/sign-in-limits.ts";
import { newTotpSecret, totpStep } from "../../domain/accounts/totp.ts";
import type { Violation } from "../../schema/violation.ts";
import { changeOwnSignIn } from "../../transactions/people.ts";
import { readFields } from "../fields.ts";
import type { Fields, Outcome, PageContext } from "../page.ts";
import { errorView } from "../pages/error.ts";
import { OWN, type OwnAttempt, ownView } from "../pages/own.ts";
import { texts } from "../texts/en.ts";
import { fault, passwordFaults } from "./arrive.ts";
import { isCsrfToken, sessionSecret } from "./cookie.ts";
import { requestedBy } from "./let-in.ts";
import { totpPurpose } from "./password.ts";
import type { SignIn } from "./sign-in.ts";

const MAX_FORM_BYTES = "16kb";
const t = texts.people;

/** A change of the own sign-in: what the log says of it, and what the page. */
type OwnChange = { change: PersonChange; verb: string; fields: readonly string[]; done: string };

/** What somebody changes of the own sign-in. Each change asks for the password: a browser that was left open is not enough. */
export function ownRoutes(deps: SignIn): Router {
  const { db, now, addressOf, handler, encryptor } = deps;
  const router = Router({ caseSensitive: true, strict: true });

  router.get(
    OWN,
    handler({ path: OWN, access: "account" }, async (context) => {
      const person = await personOf(deps, context);
      return person ? view(context, person) : { redirect: context.href("/people") };
    }),
  );

  form("factor", `${OWN}/factor`, async (person, fields) => {
    const purpose = totpPurpose(person.id);
    const secret = encryptor?.decrypt(Buffer.from(fields.get("pending") ?? "", "base64url"), purpose) ?? "";
    const step = secret === "" ? undefined : totpStep(secret, fields.get("factor") ?? "", now(), null);
    if (!encryptor || step === undefined) return [fault("factor", t.factorWrong)];
    const wrong = await passwordFault(person, fields.get("password_old") ?? "", "password_old");
    if (wrong) return [wrong];
    const change = { totp_secret: encryptor.encrypt(secret, purpose), totp_step: String(step) };
    return { change, verb: "set up a second factor", fields: ["second_factor"], done: "factorOn" };
  });

  form("end", `${OWN}/factor/end`, async (person, fields) => {
    const wrong = await passwordFault(person, fields.get("password_old") ?? "", "password_old");
    if (wrong) return [wrong];
    const change = { totp_secret: null, totp_step: null };
    return { change, verb: "switched the second factor off", fields: ["second_factor"], done: "factorOff" };
  });

  form("password", `${OWN}/password`, async (person, fields) => {
    const faults = passwordFaults(fields);
    if (faults.length > 0) return faults;
    const wrong = await passwordFault(person, fields.get("password_now") ?? "", "password_now");
    if (wrong) return [wrong];
    const change = { password_hash: await hashPassword(fields.get("password") ?? "") };
    return { change, verb: "changed the own password", fields: ["password"], done: "passwordChanged" };
  });

  /** A form of the page: what is refused is shown on it, and what is changed signs other browsers out. */
  function form(
    name: OwnAttempt["form"],
    path: string,
    act: (person: PersonRow, fields: Fields) => Promise<OwnChange | Violation[]>,
  ): void {
    const submit = async (context: PageContext, request: Request, response: Response): Promise<Outcome> => {
      const secret = sessionSecret(request, addressOf(request));
      const fields = await readFields(request, response, MAX_FORM_BYTES);
      if (secret === undefined || !isCsrfToken(secret, fields.get("csrf"))) return errorView("foreign form");
      const person = await personOf(deps, context);
      if (!person) return { redirect: context.href("/people") };
      const result = await act(person, fields);
      if (Array.isArray(result)) return view(context, person, { form: name, attempt: { fields, violations: result } });
      const { done, ...made } = result;
      await changeOwnSignIn(db, person, { ...made, keep: secret }, requestedBy(deps, request, response));
      return { redirect: context.href("/people", { done }) };
    };
    router.post(path, handler({ path, access: "account" }, submit));
  }

  function view(context: PageContext, person: PersonRow, refused?: OwnAttempt): Outcome {
    const secret = newTotpSecret();
    const sealed = encryptor?.encrypt(secret, totpPurpose(person.id)).toString("base64url");
    const offered = sealed === undefined ? undefined : { secret, sealed };
    const own = {
      mail: person.mail,
      hasPassword: person.password_hash !== null,
      hasFactor: person.totp_secret !== null,
    };
    return ownView(context, { ...own, offered }, refused);
  }

  /** What is wrong with a password that was typed as the own one; too many wrong ones are all wrong for a while. */
  async function passwordFault(person: PersonRow, password: string, field: string): Promise<Violation | undefined> {
    const key = `own ${person.id}`;
    const tries = await countSignIn(db, key, now());
    if (tries > SIGN_IN_TRIES.pair) return fault(field, texts.signInAs.tooMany);
    if (!(await isPassword(password, person.password_hash))) return fault(field, t.passwordWrong);
    await forgetSignIn(db, key, true);
    return undefined;
  }
  return router;
}

/** The person who is signed in, and not with a token. */
async function personOf({ db }: SignIn, { reader }: PageContext): Promise<PersonRow | undefined> {
  const principal = reader?.principal;
  if (!principal?.person || principal.person.id !== principal.tokenId) return undefined;
  return findPerson(db, principal.tokenId, principal.accountId);
}

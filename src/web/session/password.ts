import type { Request } from "express";
import type { PagePort } from "../../api/page-port.ts";
import { countSignIn, forgetSignIn } from "../../database/accounts/failed-sign-ins.ts";
import { findPerson, type PersonRow, peopleByMail, takeTotpStep } from "../../database/accounts/people.ts";
import { noteSignIn } from "../../database/audit/sign-ins.ts";
import { secretDigest } from "../../database/secrets.ts";
import { encryptedValues } from "../../domain/accounts/encrypted-values.ts";
import type { Encryptor } from "../../domain/accounts/encryption.ts";
import { isPassword } from "../../domain/accounts/password.ts";
import { rolesAt } from "../../domain/accounts/roles.ts";
import { SIGN_IN_TRIES } from "../../domain/accounts/sign-in-limits.ts";
import { totpStep } from "../../domain/accounts/totp.ts";

/** What comes of a password: a person, or one whose second factor is still missing. */
export type PasswordResult =
  | { id: string; lacksFactor: boolean }
  | { pending: string }
  | { problem: "wrong"; left: number }
  | { problem: "too many" };

/** How long the second factor may take, in milliseconds. */
const PENDING_MS = 5 * 60_000;
const PENDING = "sign-in second factor";

type Deps = Pick<PagePort, "db" | "now" | "encryptor" | "callerAddress">;

/**
 * Judges a mail address and a password. It takes as long, and says the same, whether or not somebody has this address; an
 * attempt counts before it is judged, so that many at once are no more than their limit.
 */
export async function judgePassword(
  { db, now, encryptor, callerAddress }: Deps,
  { mail, password }: { mail: string; password: string },
  request: Request,
): Promise<PasswordResult> {
  const time = now();
  const address = callerAddress(request);
  const keys = {
    pair: keyOf("pair", `${address} ${mail}`),
    address: keyOf("address", address),
    name: keyOf("name", mail),
  };
  const tries = {
    pair: await countSignIn(db, keys.pair, time),
    address: await countSignIn(db, keys.address, time),
    name: await countSignIn(db, keys.name, time),
  };
  const { pair, address: most, name } = SIGN_IN_TRIES;
  if (tries.pair > pair || tries.address > most || tries.name > name) return { problem: "too many" };
  const known = await peopleByMail(db, mail);
  let found: PersonRow | undefined;
  for (const one of known.length > 0 ? known : [undefined])
    if ((await isPassword(password, one?.password_hash ?? null)) && one && rolesAt(one, time) !== null) found ??= one;
  if (!found) {
    // Whose address it is learns of it; that nobody has it, nobody has to know.
    const origin = { address: request.ip, agent: request.get("user-agent"), requestId: null };
    for (const { id } of known) await noteSignIn(db, id, { outcome: "wrong", at: time, origin });
    return { problem: "wrong", left: Math.max(0, pair - tries.pair) };
  }
  await forgetSignIn(db, keys.pair, true);
  await forgetSignIn(db, keys.address, false);
  await forgetSignIn(db, keys.name, false);
  // A password of an owner opens everything.
  if (found.totp_secret === null) return { id: found.id, lacksFactor: found.role === "owner" };
  return { pending: sealed(encryptor, { id: found.id, until: time.getTime() + PENDING_MS }) };
}

/** What comes of the second factor. */
export type FactorResult = { id: string } | { problem: "wrong" | "expired" | "too many" };

/** Judges the code of an app, after the password was right. A code works once. */
export async function judgeFactor(
  { db, now, encryptor }: Deps,
  { pending, code }: { pending: string; code: string },
): Promise<FactorResult> {
  const time = now();
  const { id, until } = opened(encryptor, pending) ?? { id: "", until: 0 };
  if (until <= time.getTime()) return { problem: "expired" };
  const key = keyOf("factor", id);
  if ((await countSignIn(db, key, time)) > SIGN_IN_TRIES.pair) return { problem: "too many" };
  const person = await findPerson(db, id);
  if (!person || rolesAt(person, time) === null) return { problem: "expired" };
  if (!(await takeFactor({ db, encryptor }, person, code, time))) return { problem: "wrong" };
  await forgetSignIn(db, key, true);
  return { id };
}

/** Whether a code is that of a person's app, and was not used before. */
export async function takeFactor(
  { db, encryptor }: Pick<PagePort, "db" | "encryptor">,
  person: PersonRow,
  code: string,
  now: Date,
): Promise<boolean> {
  const secret = person.totp_secret && encryptor?.decrypt(person.totp_secret, totpPurpose(person.id));
  if (!secret) return false;
  const step = totpStep(secret, code, now, person.totp_step === null ? null : Number(person.totp_step));
  return step !== undefined && takeTotpStep(db, person.id, step);
}

/** What the secret of a second factor is encrypted for. */
export const { totp_secret: totpPurpose } = encryptedValues.people;

/** Only a digest of what was typed is stored: people type passwords into the wrong field. */
function keyOf(kind: string, text: string): string {
  return `${kind} ${secretDigest(text).toString("base64url")}`;
}

type Pending = { id: string; until: number };

function sealed(encryptor: Encryptor | undefined, pending: Pending): string {
  if (!encryptor) throw new Error("A second factor needs SECRET_KEY, with which it was stored.");
  return encryptor.encrypt(JSON.stringify(pending), PENDING).toString("base64url");
}

function opened(encryptor: Encryptor | undefined, text: string): Pending | undefined {
  const json = encryptor?.decrypt(Buffer.from(text, "base64url"), PENDING);
  return json === undefined ? undefined : (JSON.parse(json) as Pending);
}

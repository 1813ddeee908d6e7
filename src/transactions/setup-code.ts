import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import { firstOwnerSince } from "../database/accounts/people.ts";
import { hasSetupCode, storeSetupCode } from "../database/accounts/setup-codes.ts";
import type { Database } from "../database/tables.ts";
import { SETUP_CODE_MS } from "../domain/accounts/sign-in-limits.ts";

/** Without letters and digits that are taken for others: 32, so that each has five bits. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A code that creates the first owner: 80 random bits, as people can type them. */
function newSetupCode(): string {
  const letters = [...randomBytes(16)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return (letters.match(/.{4}/g) ?? []).join("-");
}

/** What was typed as a code, without what people change in it. */
export function typedSetupCode(text: string): string {
  const letters = text.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return (letters.match(/.{1,4}/g) ?? []).join("-");
}

/** Makes a code, unless there is an owner. @returns undefined when there is one */
export async function issueSetupCode(db: Kysely<Database>, now: Date): Promise<string | undefined> {
  if ((await firstOwnerSince(db)) !== undefined) return undefined;
  const code = newSetupCode();
  await storeSetupCode(db, code, new Date(now.getTime() + SETUP_CODE_MS));
  return code;
}

/** Makes a code when nobody can have one that works: the last one was too old, or guessed at too often. */
export async function ensureSetupCode(
  db: Kysely<Database>,
  now: Date,
  announce: (code: string) => void,
): Promise<void> {
  if (await hasSetupCode(db, now)) return;
  const code = await issueSetupCode(db, now);
  if (code !== undefined) announce(code);
}

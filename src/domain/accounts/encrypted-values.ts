/**
 * All that is stored encrypted with the service's key: by table and column, what it is encrypted for. It is bound to the row's
 * id: a secret that is moved to another row cannot be decrypted there. Sessions of sites are no part of it: they end with their
 * report, whose Jobs have a key of their own (transactions/site-session.ts).
 */
export const encryptedValues = {
  basic_auths: {
    password_encrypted: (id: string) => `basic_auth ${id}`,
    headers_encrypted: (id: string) => `basic_auth headers ${id}`,
    sign_in_encrypted: (id: string) => `basic_auth sign-in ${id}`,
  },
  schedules: { hook_encrypted: (id: string) => `deploy hook of ${id}` },
  receivers: {
    url_encrypted: (id: string) => `receiver url ${id}`,
    secret_encrypted: (id: string) => `receiver secret ${id}`,
    old_secret_encrypted: (id: string) => `receiver secret ${id}`,
  },
  people: { totp_secret: (id: string) => `second factor of ${id}` },
  secret_keys: { signing_key_encrypted: (id: string) => `signing key ${id}` },
} as const;

export type EncryptedTable = keyof typeof encryptedValues;

/** The same as a list. */
export const encryptedColumns = (Object.keys(encryptedValues) as EncryptedTable[]).flatMap((table) =>
  Object.entries(encryptedValues[table]).map(([column, purpose]) => ({ table, column, purpose })),
);

/** The fields of the API's documents about an account that pages show; documents.ts has those of reports. */

export type Periodicity = {
  every: "day" | "week" | "month" | "deploy";
  weekday?: string;
  monthday?: number;
  /** HH:MM, UTC. */
  at?: string;
};

export type Schedule = {
  starting_url: string;
  active: boolean;
  /** null: only its deploy hook starts it. */
  periodicity: Periodicity | null;
  history_limit: number;
  /** null for those who may only read, and if no secrets are stored. */
  deploy_hook_url: string | null;
  tags: string[];
  next_run_at: string | null;
  last_run_at: string | null;
  inserted_at: string;
};

export type Muting = {
  rule: string | null;
  selector: string | null;
  fingerprint: string | null;
  message: string | null;
  url_match: string | null;
  /** For everybody who may see the report. */
  comment: string | null;
  /** For the account alone. */
  reason: string | null;
  expires_at: string | null;
  guest_token?: string;
  inserted_at: string;
};

export type MutingPreview = { findings: number; issues: number; pages: number; reports: number };

export type GuestAccount = {
  /** null once it is accepted, and for those who may only read. */
  invitation_url: string | null;
  max_usage: number;
  current_usage: number;
  /** null before the invitation is accepted. */
  guest: { name: string; email: string } | null;
  inserted_at: string;
  accepted_at: string | null;
};

export type ApiToken = {
  name: string;
  scope: "read" | "write";
  /** Only in the response to the request that creates it. */
  token?: string;
  guest_token?: string;
  last_used_at: string | null;
  inserted_at: string;
};

export type BasicAuth = { host: string; username: string; guest_token?: string; updated_at: string };

type Credits = { limit: number | null; charged: number; reserved: number; left: number | null };
export type Usage = Credits & {
  /** YYYY-MM */
  month: string;
  /** Of the account: a guest sees neither this nor its guests. */
  storage?: { bytes: number; limit: number | null };
  guests?: (Credits & { guest_token: string })[];
};

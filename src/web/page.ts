import type { Guides } from "../domain/guides/guides.ts";
import type { Principal } from "../domain/principal.ts";
import type { Violation } from "../schema/violation.ts";
import type { Api } from "./api.ts";
import type { Html } from "./html.ts";

/** Who is signed in, and the secret that this person's forms carry. */
export type Reader = { principal: Principal; csrf: string };

/** What a page is made from. */
export type PageContext = {
  /** Acts for the reader, or for somebody who is not signed in. */
  api: Api;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  reader: Reader | null;
  /** Whether there is a first page, for those who are signed in: without it there are the guides alone. */
  home: boolean;
  /** The guides to rules, the same for everybody. Counts as a call. @throws RequestError 429 */
  guides: () => Promise<Guides>;
  /** The address of a path of this service: it may be served below a path of its proxy. */
  href: (path: string, query?: Readonly<Record<string, string | undefined>>) => string;
  /** The path as requested, without the proxy's part. */
  path: string;
  now: Date;
};

/** The parts of the navigation. */
export type Section = "sites" | "schedules" | "mutings" | "guests" | "tokens" | "credentials" | "usage";

/** A page to show. */
export type View = {
  title: string;
  content: Html;
  section?: Section | undefined;
  status?: number;
  /** Where the page's event stream is; the page is read again at each event. */
  live?: string | undefined;
  /** Nothing in it depends on who asks, but for the navigation of somebody who is signed in: it may be cached. */
  isForEverybody?: boolean;
};

/** A file or stream of the API. */
export type Forward = { path: string; query?: Readonly<Record<string, string | undefined>> };

/** What a request ends with. */
export type Outcome = View | { redirect: string } | { forward: Forward };

/** `account` asks to sign in; `shared` shows a shared report to everybody; `public` everything. */
export type Access = "account" | "shared" | "public";

export type PageRoute = {
  path: string;
  access: Access;
  read: (context: PageContext) => Promise<Outcome>;
};

/** What was typed into a form, by the names of its fields. */
export type Fields = URLSearchParams;

/** A form that was refused: shown again with what was typed, and what is wrong with it. */
export type Attempt = { fields: Fields; violations: readonly Violation[] };

export type FormRoute = {
  path: string;
  access: Access;
  submit: (context: PageContext, fields: Fields) => Promise<Outcome>;
};

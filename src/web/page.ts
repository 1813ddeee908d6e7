import type { SiteName } from "../database/reports/sites.ts";
import type { Principal } from "../domain/accounts/principal.ts";
import type { Right } from "../domain/accounts/roles.ts";
import type { Guides } from "../domain/guides/guides.ts";
import type { Violation } from "../schema/violation.ts";
import type { Api } from "./api.ts";
import type { Html } from "./html.ts";

/** The person who is signed in, and the secret in this person's forms. */
export type Reader = {
  principal: Principal;
  csrf: string;
  /** The same with what counts on the page: on one about a site, a role on another site gives nothing. */
  here: Principal;
};

/** What a page is rendered from. */
export type PageContext = {
  /** Acts for the reader, or for somebody who is not signed in. */
  api: Api;
  /** On a page for everybody: acts for the reader who has signed in. */
  own?: Api | undefined;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  reader: Reader | null;
  /** What people know the sign-in provider as; undefined without one. */
  provider?: string | undefined;
  /** Whether invitations can be sent by mail. */
  invitesByMail?: boolean | undefined;
  /** Whether there is a home page, for people who are signed in. Without it there are only the guides. */
  home: boolean;
  /** The guides to rules, the same for everybody. Counts as a call. @throws RequestError 429 */
  guides: () => Promise<Guides>;
  /** On pages of an account: its sites by their names, to choose from, a thousand at most. */
  siteNames?: () => Promise<SiteName[]>;
  /** The address of a path of this service, which a proxy may serve below a path of its own. */
  href: (path: string, query?: Readonly<Record<string, string | undefined>>) => string;
  /** The address of a picture where it is not its path's: undefined for one that is left out. */
  picture?: (path: string) => string | undefined;
  /** The path as requested, without the proxy's part. */
  path: string;
  now: Date;
  /** When the share link ends that opens what is shown, as a time of the API. */
  sharedUntil?: string;
};

/** The parts of the navigation. */
export type Section =
  | "sites"
  | "schedules"
  | "mutings"
  | "people"
  | "guests"
  | "tokens"
  | "receivers"
  | "credentials"
  | "usage"
  | "kept"
  | "audit";

/** A page to show. */
export type View = {
  title: string;
  content: Html;
  /** What the first heading shows, if not the title. */
  heading?: Html;
  /** It is a card in the middle, which has the first heading. */
  isNarrow?: boolean;
  /** Where the page is: the pages above it, the highest first. */
  crumbs?: readonly { text: string; to: string }[];
  /** Beside the first heading. */
  about?: Html;
  /** Beside what the last form did: what has become of it. */
  since?: Html;
  /** What can be done with all of the page, at its upper edge. */
  tools?: Html;
  section?: Section | undefined;
  status?: number;
  /** The address of the page's event stream; the page is read again at each event. */
  live?: string | undefined;
  /** After how many seconds the browser reads the page again, for what has no event stream. */
  refresh?: number | undefined;
  /** It may be cached: apart from the navigation of a signed-in reader, it is the same for everybody. */
  isForEverybody?: boolean;
};

/** A file or stream of the API. */
export type Forward = { path: string; query?: Readonly<Record<string, string | undefined>> };

/** A page that is saved and not shown, piece by piece. What its parts read is not counted against limits. */
type SavedFile = { filename: string; chunks: (api: Api) => AsyncIterable<string> };

/** The result of a request. */
export type Outcome = View | { redirect: string } | { forward: Forward } | { file: SavedFile };

/** `account` needs signing in; `shared` shows shared reports to everybody; `public` shows everything to everybody. */
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
  /** It may have a file, which may be larger than what is typed. */
  takesFile?: boolean;
  /** What sending it needs the right to do; to change something, unless given. */
  right?: Right;
  submit: (context: PageContext, fields: Fields) => Promise<Outcome>;
};

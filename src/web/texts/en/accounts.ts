import { MAX_PAGES_OF_BOUNDED_RUN, type TokenGrant } from "../../../domain/accounts/roles.ts";
import { counted, formatBytes, formatNumber } from "./numbers.ts";

const months = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });
const shortMonths = new Intl.DateTimeFormat("en", { month: "short", timeZone: "UTC" });

/** The first day of a month such as "2026-11". */
const dayIn = (month: string) => new Date(`${month}-01T00:00:00Z`);

const list = new Intl.ListFormat("en-GB");

const shortGrants: Readonly<Record<TokenGrant, string>> = {
  read: "read",
  run: `start runs, up to ${MAX_PAGES_OF_BOUNDED_RUN} pages`,
  write: "change",
  all: "everything but people",
};
const longGrants: Readonly<Record<TokenGrant, string>> = {
  read: "read",
  run: "start runs",
  write: "change schedules, mutings and receivers",
  all: "do everything but what is about people, roles and tokens",
};

/** Guests, tokens, stored credentials, and what an account uses. */
export const accountsTexts = {
  guests: {
    title: "Guests",
    hostOnly: "Only the host account may see and change guests, not one of its guests.",
    caption: "Guests and what they use this month",
    columns: { guest: "Guest", email: "Email", usage: "Credits this month", since: "Invited" },
    invited: "Invited, not accepted yet",
    none: "No guests yet",
    noneWhat: "A guest validates sites with your credits, up to a limit, and sees only its own data.",
    invite: "Invite a guest",
    maxUsage: "Maximum credits per month",
    maxUsageHelp: "One check of a page costs one credit.",
    create: "Create an invitation",
    invitation: "Invitation",
    invitationWhat:
      "Send this link to the person whom you invite. It works once: the person who accepts gets a token for your account.",
    invitationLink: "Link of the invitation",
    accepted: "Accepted",
    usage: "Usage",
    used: "Credits this month",
    save: "Save",
    reset: "Set this month's usage to 0",
    delete: "Delete",
    deleteWhat: "The guest's tokens stop working at once, and its schedules stop. You keep its reports.",
    deleteSure: "Delete this guest",
  },

  tokens: {
    title: "Tokens for programs",
    what: "A token that a person made can do no more than this person, and ends when the person is removed. People sign in; tokens are for programs.",
    caption: "Tokens for programs",
    columns: {
      name: "Name, made by",
      scope: "May",
      sites: "Sites",
      lastUsed: "Last used",
      ends: "Ends",
      change: "Change",
    },
    scopes: { read: "Read", write: "Read and write" },
    grants: {
      read: "Read reports, pages and exports",
      run: "Start runs",
      write: "Change schedules, mutings and receivers",
      all: "Everything but people, roles and tokens",
    } satisfies Record<TokenGrant, string>,
    runWhat: `of schedules that exist, or up to ${MAX_PAGES_OF_BOUNDED_RUN} pages`,
    /** What a token may, in a table. */
    mayShort: (may: readonly TokenGrant[]) =>
      may.includes("all") ? shortGrants.all : may.map((grant) => shortGrants[grant]).join(", "),
    itMay: (may: readonly TokenGrant[]) =>
      may.includes("all") ? `It may ${longGrants.all}` : `It may ${list.format(may.map((grant) => longGrants[grant]))}`,
    listed: (names: readonly string[]) => list.format(names),
    /** Before the names of sites. */
    of: "on",
    /** Of so many sites, of which no page names more than a thousand. */
    allSites: (sites: number) =>
      sites === 1 ? "the 1 site" : sites < 1_000 ? `all ${counted(sites, "site")}` : "all sites",
    guestsSites: "all of the guest",
    tagged: (tags: readonly string[]) => `sites with the tag ${tags.join(" or ")}`,
    onSites: "On these sites",
    sitesWithTags: "sites with these tags",
    theseSites: "these sites",
    chosenSites: "Sites",
    tags: "Tags",
    tagsHelp: "One or more, with commas. A site that gets one of them later counts, too.",
    show: "Show",
    kinds: { all: "all", soon: "end soon", not: "not used for 90 days" },
    none: "There are no such tokens.",
    ofAccount: "the account",
    neverUsed: "Never",
    from: (address: string) => `from ${address}`,
    times: (requests: number) => `${counted(requests, "time")} in 30 days`,
    noEnd: "no end",
    over: "over",
    inDays: (days: number) => (days === 0 ? "within a day" : `in ${counted(days, "day")}`),
    renew: "New secret, same rights",
    longer: "One year more",
    did: "What it did",
    elsewhere: "change it where it is configured",
    this: "You are signed in with this token.",
    create: "New token",
    name: "Name",
    nameHelp: "What will use it, for example “Deployments of the shop”.",
    scope: "It may",
    ends: "Ends on",
    endsHelp: "At most one year away. Empty for no end.",
    endsMail: "Its maker gets a mail 14 days before.",
    submit: "Make the token",
    createdTitle: "Token made",
    made: (name: string) => `“${name}” was made.`,
    renewed: (name: string) => `“${name}” has a new secret.`,
    renewedWhat: "The one before is not accepted any more.",
    may: { read: "It may read", write: "It may read and write" },
    until: "until",
    token: "Token, shown only now",
    back: "I have stored it",
    sent: "How it is sent",
    isRevoked: (name: string) => `“${name}” was revoked.`,
    isRevokedWhat: "Programs that use it get 401 from now on.",
    wasUsed: (requests: number) =>
      `It was used ${requests === 1 ? "once" : `${formatNumber(requests)} times`} in the last 30 days, last on`,
    wasNotUsed: "It was not used in the last 30 days.",
    inLog: "In the audit log",
    revoke: "Revoke now",
    revokeWhat: "Programs that use it stop working at once. This cannot be undone.",
    revokeOwn: "You are signed out at once, and need another token to sign in.",
    revokeSure: (name: string) => `Revoke ${name}`,
  },

  credentials: {
    title: "Credentials",
    what: "User names and passwords for sites that ask for them, or the steps to sign in. They are sent only to their host, or typed where the steps lead, and never shown again.",
    caption: "Stored credentials",
    columns: { host: "Host", username: "User name", changed: "Changed" },
    none: "No credentials are stored",
    noneWhat:
      "Store them for a site that asks for a user name and password, or behind a form to sign in, and choose them in the settings of a report or schedule.",
    add: "New credentials",
    editTitle: (host: string) => `Credentials for ${host}`,
    host: "Host",
    hostHelp: "The only host that receives them, such as example.com or example.com:8443.",
    username: "User name",
    password: "Password",
    passwordKeep: "Leave it empty to keep the password. For another host, enter it again.",
    signIn: "Steps to sign in",
    signInHelp:
      "For a site behind a form: sign in once while Chrome's Recorder (in its DevTools) runs, export that as JSON, and paste it here. What was typed is encrypted and never shown again.",
    signInKeep: "Leave it empty to keep the steps. For another host, paste them again.",
    steps: "How it signs in:",
    try: "Try them",
    tryWhat:
      "A report of one page signs in first. It shows the page after each step, which step failed if one did, and what was found behind the sign-in.",
    tryIt: "Try it",
    create: "Store",
    save: "Save",
    delete: "Delete",
    deleteWhat: "Reports and schedules that use them can no longer sign in to the site.",
    deleteSure: "Delete these credentials",
    inUse: "In use",
    inUseWhat: "A schedule or a running report uses these credentials. Without them it cannot sign in to the site.",
    force: "Delete them although they are in use",
  },

  usage: {
    limits: "Limits",
    limitColumns: { limit: "Limit", used: "Used" },
    months: "Credits by month",
    monthColumns: { month: "Month", charged: "Used" },
    monthName: (month: string) => months.format(dayIn(month)),
    shortMonth: (month: string) => shortMonths.format(dayIn(month)),
    monthlyLimit: (n: number) => `dotted: the limit of ${formatNumber(n)}`,
    creditsIn: (month: string) => `Credits in ${months.format(dayIn(month))} (UTC)`,
    leftOver: (n: number) => `${formatNumber(n)} left`,
    creditsWhat: "One check of a page costs one credit. Credits are reserved for checks that run now.",
    charged: (charged: number, reserved: number) => `${formatNumber(charged)} used, ${formatNumber(reserved)} reserved`,
    noLimit: "no limit",
    storage: "Storage",
    storageWhat: "The space that the results of all reports take. Deleting reports makes room.",
    guests: "Guests",
    guestsCaption: "Credits of each guest this month",
    guestColumns: { guest: "Guest", charged: "Used", reserved: "Reserved", left: "Left", limit: "Limit" },
    of: (used: string, limit: string) => `${used} of ${limit}`,
    unlimited: (used: string) => `${used}, no limit`,
    countCredits: (n: number) => counted(n, "credit"),
    number: formatNumber,
    bytes: formatBytes,
  },
};

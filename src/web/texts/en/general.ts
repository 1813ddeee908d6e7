import { counted, formatNumber } from "./numbers.ts";

/** What every page may say. */
export const generalTexts = {
  language: "en",
  product: "Site Validator",
  skip: "Skip to content",
  mainNavigation: "Main",
  breadcrumb: "Breadcrumb",
  account: "Account",
  sections: {
    sites: "Sites",
    schedules: "Schedules",
    mutings: "Mutings",
    guests: "Guests",
    tokens: "Tokens",
    receivers: "Notifications",
    credentials: "Credentials",
    usage: "Usage",
  },
  settingsTitle: "Settings",
  signOut: "Sign out",
  footer: { reference: "API reference", guides: "Guides to rules", times: "Times:" },
  readOnly: "You are signed in with a token that can only read: you cannot change anything here.",
  all: "all",
  copy: { copy: "Copy", copyLink: "Copy a link", copied: "Copied." },
  count: {
    pages: (n: number) => counted(n, "page"),
    errors: (n: number) => counted(n, "error"),
    warnings: (n: number) => counted(n, "warning"),
    findings: (n: number) => counted(n, "finding"),
    elements: (n: number) => counted(n, "element"),
    rules: (n: number) => counted(n, "rule"),
    outside: (n: number) => `${formatNumber(n)} outside the standard`,
    of: (part: number, whole: number) => `${formatNumber(part)} of ${formatNumber(whole)}`,
    others: (n: number) => `and ${formatNumber(n)} more`,
    ended: (n: number, muted: number) =>
      `${formatNumber(n)} when it ended${muted === 0 ? "" : `, ${formatNumber(muted)} of them muted now`}`,
  },
  pagination: {
    label: (list: string) => `Pages of the list: ${list}`,
    previous: "Previous",
    next: "Next",
    place: (from: number, to: number, total: number) =>
      `${formatNumber(from)} to ${formatNumber(to)} of ${formatNumber(total)}`,
  },
  form: {
    error: "Error",
    problems: "Nothing was changed. Please correct this:",
    optional: "optional",
    back: "Back",
    cancel: "Cancel",
  },
  done: {
    created: "Created.",
    saved: "Saved.",
    forgotten: "The numbers are forgotten.",
    viewsRead: "The file is read.",
    deleted: "Deleted.",
    shared: "The report is shared.",
    linkEnded: "The link does not work any more.",
    unshared: "The report is not shared any more.",
    cancelled: "The report is cancelled, and keeps its results so far.",
    queued: "The page will be checked again.",
    queuedAll: "The pages will be checked again.",
    deletedAll: "The pages are deleted from this report.",
    noneTicked: "Nothing was done: tick at least one page.",
    muted: "The findings are muted. The numbers will change in a moment.",
    resumed: "The schedule runs again.",
    paused: "The schedule is paused.",
    runQueued: "A run is active: the next one starts when it ends.",
    hookRenewed: "The deploy hook has a new address.",
    invited: "The invitation is created.",
    reset: "This month's usage is 0.",
    revoked: "The token is revoked.",
    switchedOff: "Nothing is sent there any more. What happens meanwhile is kept for 7 days.",
    switchedOn: "It is switched on, and a test is on its way.",
    sentAgain: "It is sent again.",
    givenUp: "It is not sent any more. It stays in this list, and can be sent again for 30 days.",
  } as Readonly<Record<string, string>>,
  /** @param minutes how long ago something was */
  ago: (minutes: number) =>
    minutes < 1
      ? "now"
      : minutes < 60
        ? `${minutes} min ago`
        : minutes < 24 * 60
          ? `${Math.floor(minutes / 60)} h ago`
          : `${formatNumber(Math.floor(minutes / 60 / 24))} d ago`,
  duration: {
    milliseconds: (n: number) => (n < 1_000 ? `${n} ms` : `${(n / 1_000).toFixed(1)} s`),
    seconds: (n: number) => counted(n, "second"),
    minutes: (n: number) => counted(n, "minute"),
    hours: (n: number) => counted(n, "hour"),
  },
};

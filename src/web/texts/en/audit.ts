import { type Actor, type Area, MAX_COUNTED, type Way } from "../../../domain/audit/entry.ts";
import { counted, formatNumber } from "./numbers.ts";

/** Who changed what. */
export const auditTexts = {
  audit: {
    title: "Who changed what",
    keptSince: (entries: number | null) =>
      entries === null
        ? `More than ${formatNumber(MAX_COUNTED)} entries since`
        : `${counted(entries, "entry", "entries")} since`,
    shownOf: (shown: number, of: number | undefined) =>
      of === undefined
        ? `${formatNumber(shown)} of more than ${formatNumber(MAX_COUNTED)} entries`
        : `${formatNumber(shown)} of ${counted(of, "entry", "entries")}`,
    export: "Export",
    exportAs: { csv: "CSV, as filtered", ndjson: "NDJSON, as filtered" },
    byApi: "By the API, continuously",
    filters: "Filters",
    find: "Find a name, a site or a field",
    what: "What",
    everything: "everything",
    on: "On",
    allSites: "all sites",
    from: "From",
    to: "to",
    apply: "Apply",
    who: "Who",
    whos: {
      person: "people",
      token: "tokens",
      guest: "guests",
      link: "links",
      service: "schedules, the service",
      cluster: "kubectl",
    } satisfies Record<Actor, string>,
    whoIs: {
      person: "person",
      token: "token",
      guest: "guest",
      link: "link",
      service: "the service",
      cluster: "kubectl",
    } satisfies Record<Actor, string>,
    areas: {
      runs: "runs",
      sites: "sites",
      schedules: "schedules",
      mutings: "mutings",
      people: "people and guests",
      tokens: "tokens",
      sharing: "share links",
      credentials: "credentials",
      receivers: "receivers",
      deleted: "deleted reports",
      kept: "what is kept",
      exports: "exports",
      "sign-ins": "sign-ins",
    } satisfies Record<Area, string>,
    ways: {
      api: "API",
      browser: "browser",
      tools: "tools of an editor or agent",
      hook: "deploy hook",
      itself: "by itself",
      declared: "declared",
    } satisfies Record<Way, string>,
    caption: "Changes, the newest first",
    columns: { when: "When", who: "Who", what: "What", on: "On what", where: "From where" },
    unknown: "not known whether it was done",
    unknownWhat: "It had begun when its process ended. Look at the thing itself: nobody knows what was changed.",
    atMost: (n: number) => `${formatNumber(n)}+`,
    earlierEntries: "Earlier entries",
    earlier: "Earlier",
    later: "Later",
    changed: "What changed",
    changes: "Fields before and after",
    fields: { field: "Field", before: "Before", after: "After" },
    hidden: "not shown",
    hiddenNow: "not shown, but changed",
    nothing: "nothing",
    noFields: "No field was changed.",
    onlyChanged: "Other fields stayed as they were. Secrets are neither kept nor shown here.",
    asItIs: (type: string | null) => `The ${type === null ? "thing" : type.replaceAll("_", " ")} as it is now`,
    allOfIt: (changes: number | undefined) =>
      changes === 1
        ? "The only entry about it"
        : `All ${changes === undefined ? "" : `${formatNumber(changes)} `}entries about it`,
    how: "How",
    by: "By",
    address: "From",
    agent: "Client",
    request: "Request",
    kept: "How long it is kept",
    keptFor: (days: number) => `For ${counted(days, "day")}, at least 90:`,
    oldestGoes: "The oldest entry goes on",
    keptWhat:
      "Nobody can change or delete a single entry. Addresses are cut after 90 days: 192.0.2.71 becomes 192.0.2.0. Reading is not recorded, except exports and what share links open.",
    none: "Nothing was changed yet",
    noneWhat: "Every change has an entry here, whoever makes it and in whatever way.",
    noMatch: "Nothing found: nobody did this in this time.",
    showAll: "Show all entries",
    byOthers: (n: number | undefined) =>
      n === undefined
        ? "Others did, whom this filter leaves out."
        : `${counted(n, "entry", "entries")} of others, whom this filter leaves out.`,
    showOthers: "Show them, too",
  },
};

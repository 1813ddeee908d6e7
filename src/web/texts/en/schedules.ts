import { counted } from "./numbers.ts";

const weekdays: Readonly<Record<string, string>> = {
  monday: "Monday",
  tuesday: "Tuesday",
  wednesday: "Wednesday",
  thursday: "Thursday",
  friday: "Friday",
  saturday: "Saturday",
  sunday: "Sunday",
};

/** Schedules and their runs. */
export const schedulesTexts = {
  weekdays,
  schedules: {
    title: "Schedules",
    add: "New schedule",
    caption: "Schedules and when they run",
    columns: { site: "Site", when: "When", active: "State", nextRun: "Next run", lastRun: "Last run" },
    active: "Active",
    paused: "Paused",
    never: "None yet",
    noNextRun: "None",
    none: "No schedules yet",
    noneWhat:
      "A schedule checks a site every day, week or month, or when you deploy, and compares each run with the one before.",
    noneMatch: "No schedules match",
    filter: "The address contains",
  },

  schedule: {
    when: "When",
    every: { day: "Every day", week: "Every week", month: "Every month", deploy: "When its deploy hook is called" },
    onWeekday: (weekday: string) => `Every ${weekdays[weekday] ?? weekday}`,
    onMonthday: (day: number) => `On day ${day} of every month`,
    at: (time: string) => `at ${time} UTC`,
    nextRun: "Next run",
    lastRun: "Last run",
    tags: "Tags",
    runs: "Runs",
    runsChart: (n: number) => `Errors of ${counted(n, "run")}, the oldest first`,
    runsLegend:
      "Each bar is the errors of a run with a result of the whole site, as counted when it ended, the newest on the right. A cross is a run without one. A line stands where settings changed.",
    otherSettings: (settings: string) => `Other settings than the run before: ${settings}`,
    runsColumns: { run: "Run", result: "Result", errors: "Errors", warnings: "Warnings" },
    noRuns: "No runs yet",
    noRunsWhat: "Its first run will appear here.",
    pause: "Pause",
    resume: "Resume",
    pausedWhat: "This schedule is paused: it does not run until it is resumed.",
    runNow: "Run now",
    edit: "Edit",
    hook: "Deploy hook",
    hookWhat:
      "A POST request to this address starts a run, for example at the end of a deployment. Everybody who has the address can do that: keep it secret.",
    hookAddress: "Address of the deploy hook",
    noHook: "This service stores no secrets, so there is no deploy hook. Its operator must set SECRET_KEY.",
    renew: "Renew the address",
    renewWhat: "The address stops working at once. Whatever calls it needs the new one.",
    renewSure: "Create a new address",
    delete: "Delete",
    deleteWhat: "The schedule ends. The reports of its runs are kept.",
    deleteSure: "Delete this schedule",
  },

  scheduleForm: {
    newTitle: "New schedule",
    editTitle: "Edit schedule",
    when: "When it runs",
    every: "How often",
    weekday: "Day of the week",
    monthday: "Day of the month",
    monthdayHelp: "From 1 to 28: every month has these days.",
    at: "Time of day, UTC",
    atHelp: "Without one, each schedule has its own time.",
    active: "Active: it runs",
    historyLimit: "Finished runs that are kept in the cluster",
    historyLimitHelp: "As resources; the reports are kept here in any case.",
    create: "Create",
    save: "Save",
  },
};

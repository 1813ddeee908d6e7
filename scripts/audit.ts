import { spawnSync } from "node:child_process";

/**
 * Asks the registry for known vulnerabilities of what is shipped. Ends with 1 when there is one of level high or
 * critical. Without an answer it says so and ends with 0: the build must not depend on that service.
 */
const { stdout, stderr } = spawnSync("npm", ["audit", "--json", "--omit", "dev"], {
  encoding: "utf8",
  timeout: 120_000,
  maxBuffer: 64 * 1024 * 1024,
});
type Report = {
  message?: string;
  error?: { summary?: string };
  metadata?: { vulnerabilities: Record<"info" | "low" | "moderate" | "high" | "critical" | "total", number> };
};
let report: Report = {};
try {
  report = JSON.parse(stdout) as Report;
} catch {
  // npm printed something else, or nothing in time.
}
const counts = report.metadata?.vulnerabilities;
if (!counts) {
  const reason = report.message ?? report.error?.summary ?? (stderr.trim().split("\n").at(-1) || "no answer in time");
  console.log(`NOT RUN: npm audit, since the registry did not answer it: ${withoutHost(reason)}`);
} else {
  const { total, high, critical } = counts;
  console.log(`npm audit: ${total} known vulnerabilities in what is shipped, ${high} high, ${critical} critical.`);
  if (high + critical > 0) {
    console.log('"npm audit --omit dev" lists them.');
    process.exitCode = 1;
  }
}

/** A log that is kept need not say which registry a machine uses. */
function withoutHost(text: string): string {
  return text.replace(/https?:\/\/[^/\s]+/g, "");
}

import {
  createPrestartedProcesses,
  type ExpectedJob,
  type PrestartedProcesses,
} from "../../cluster/local/prestarted.ts";
import type { Cluster } from "../../cluster/port.ts";
import type { Config } from "../../config.ts";
import type { HtmlEngineName } from "../../schema/html-engines.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { jobCommand, jobEnvironment } from "../lifecycle/job-process.ts";

/** Processes of this machine's Jobs that are started before them. */
export function openPrestarted(
  config: Pick<Config, "cacheDir" | "logLevel" | "urlListFile">,
  { environment, temp }: { environment: NodeJS.ProcessEnv; temp: string },
): PrestartedProcesses {
  return createPrestartedProcesses({
    command: jobCommand,
    // A process that waits has a log already.
    environment: { ...jobEnvironment({ environment, config, temp }), LOG_LEVEL: config.logLevel },
  });
}

/** The Jobs of a report that are worth it. Java and browsers are started when there is work for them. */
export function expectedJobs({ html, htmlEngine }: { html: boolean; htmlEngine: HtmlEngineName }): ExpectedJob[] {
  const checker: ExpectedJob = ["checker", "--engine", "html", "--html-engine", htmlEngine];
  return [["crawler"], ...(html && htmlEngine !== "nu" ? [checker] : [])];
}

/** The cluster; calls `expect` with each Report before it is created. */
export function onReport(cluster: Cluster, expect: (spec: ReportSpec) => void): Cluster {
  return {
    ...cluster,
    create(object) {
      if (object.kind === "Report") expect(object.spec as ReportSpec);
      return cluster.create(object);
    },
  };
}

import { Counter, Gauge, Histogram, type Registry } from "prom-client";

export type ControllerMetrics = {
  reconciles: Counter<"result">;
  scheduleReconciles: Counter<"result">;
  reconcileSeconds: Histogram;
  jobsCreated: Counter<"stage">;
  reportsEnded: Counter<"phase">;
  queueLength: Gauge;
  unfinishedReports: Gauge<"state">;
};

/** The controller's own metrics, in a program's registry. */
export function createControllerMetrics(registry: Registry): ControllerMetrics {
  const registers = [registry];
  return {
    reconciles: new Counter({
      name: "controller_reconciles_total",
      help: "Reconciles of Reports, by result.",
      labelNames: ["result"],
      registers,
    }),
    scheduleReconciles: new Counter({
      name: "controller_schedule_reconciles_total",
      help: "Reconciles of Schedules, by result.",
      labelNames: ["result"],
      registers,
    }),
    reconcileSeconds: new Histogram({
      name: "controller_reconcile_duration_seconds",
      help: "Time to observe, plan and apply once.",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    jobsCreated: new Counter({
      name: "controller_jobs_created_total",
      help: "Jobs created, by stage.",
      labelNames: ["stage"],
      registers,
    }),
    reportsEnded: new Counter({
      name: "controller_reports_ended_total",
      help: "Reports that ended, by phase.",
      labelNames: ["phase"],
      registers,
    }),
    queueLength: new Gauge({
      name: "controller_queue_length",
      help: "Reports that wait to be reconciled or are being reconciled.",
      registers,
    }),
    unfinishedReports: new Gauge({
      name: "controller_unfinished_reports",
      help: "Unfinished Reports, by state: waiting, running or comparing.",
      labelNames: ["state"],
      registers,
    }),
  };
}

import { checkKinds, needsCrawl } from "../../checks/kinds.ts";
import type { RunInside } from "../../cluster/local/pod.ts";
import type { ExpectedJob } from "../../cluster/local/prestarted.ts";
import type { ParentChannel } from "../../cluster/local/request-slots.ts";
import type { Config } from "../../config.ts";
import { exitCodes } from "../../domain/errors.ts";
import type { Ready } from "../checker.ts";
import { jobEnvironment } from "../lifecycle/job-process.ts";
import { explain } from "../lifecycle/program.ts";
import { limitYoungGeneration } from "../lifecycle/young-generation.ts";

/** Runs a report's Jobs in this process (docs/adr/0165). HTML engines have processes of their own all the same. */
export type JobsInside = {
  /** Loads what the Jobs need, and starts the process of an HTML engine. */
  getReady(): Promise<void>;
  run: RunInside;
  /** Lets processes go on with the Jobs, but for checks that begin after the crawl: then this process has nothing else to do. */
  moveOut(): void;
  /** Ends what no Job has taken. */
  close(): Promise<void>;
};

/** @param expected the Jobs of the report */
export function openJobsInside(
  config: Pick<Config, "cacheDir" | "logLevel" | "urlListFile">,
  { environment, temp, expected }: { environment: NodeJS.ProcessEnv; temp: string; expected: readonly ExpectedJob[] },
): JobsInside {
  const own = { ...jobEnvironment({ environment, config, temp }), LOG_LEVEL: config.logLevel };
  const [, ...engine] = expected.find(([program]) => program === "checker") ?? [];
  const channel = createLateChannel();
  const moving = new AbortController();
  limitYoungGeneration();
  let ready: Promise<Ready> | undefined;

  return {
    async getReady() {
      if (engine.length > 0) {
        ready = import("../checker.ts").then(({ getReady }) => getReady(engine, own, channel));
        ready.catch(() => {});
      }
      await import("../crawler.ts");
      await ready?.catch(() => {});
    },
    run([program = "", ...args], variables, cores, signal) {
      const stays = checkKinds.some((kind) => needsCrawl(kind) && args.includes(kind));
      if (moving.signal.aborted && !stays) return undefined;
      const environment = { ...own, ...variables };
      const stopping = stays ? signal : AbortSignal.any([signal, moving.signal]);
      const run = async (): Promise<number> => {
        if (program === "crawler") return (await import("../crawler.ts")).crawl(args, environment, stopping);
        const { check } = await import("../checker.ts");
        const isExpected = engine.length > 0 && engine.every((argument) => args.includes(argument));
        const taken = isExpected ? await ready : undefined;
        if (taken) {
          ready = undefined;
          channel.connect(cores);
        }
        return check(args, { environment, parent: cores, ready: taken }, stopping);
      };
      return run()
        .catch(explain)
        .then((code) => (code !== exitCodes.ok && stopping.aborted && !signal.aborted ? "moved" : code));
    },
    moveOut: () => moving.abort(new Error("processes go on")),
    async close() {
      const { htmlRunner } = (await ready?.catch(() => undefined)) ?? {};
      await (await htmlRunner?.catch(() => undefined))?.close();
    },
  };
}

/** A channel for what is started before its Job: what is sent waits until it is connected to the Job's. */
function createLateChannel(): ParentChannel & { connect(channel: ParentChannel): void } {
  const { promise, resolve } = Promise.withResolvers<ParentChannel>();
  return {
    send: (message, ...rest) => void promise.then((channel) => channel.send?.(message, ...rest)),
    on: (event, listener) => void promise.then((channel) => channel.on(event, listener)),
    once: () => {},
    connect: resolve,
  };
}

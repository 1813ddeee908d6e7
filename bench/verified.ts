import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { timed } from "./processor-time.ts";
import { serviceClient } from "./service-client.ts";
import { startService } from "./start-service.ts";
import { startStaticServer } from "./static-server.ts";

/**
 * How many errors of sites are gone in a repaired copy of their pages (docs/adr/0159), and by which rules the others are. What
 * trying the repairs costs is the difference to the same program without `tryRepairs` and `repaired: true`.
 *
 *     node bench/verified.ts pages folder…      (each with an index.html, or a page of it)
 */

type Cause = { how_many: number; verified: number; rules: string[] };

const [pages = "60", ...folders] = process.argv.slice(2);
const work = await mkdtemp(path.join(tmpdir(), "sv-bench-"));
await chmod(work, 0o755);
const service = await startService(path.join(work, "data"));
try {
  const client = serviceClient(service);
  for (const given of folders) {
    const [folder, start] = given.endsWith(".html")
      ? [path.dirname(given), path.basename(given)]
      : [given, "index.html"];
    const site = await startStaticServer(folder);
    try {
      const attributes = { perform_html_checks: true, perform_a11y_checks: true, rate_limit: 0 };
      const {
        path: address,
        report,
        processor,
      } = await timed(() =>
        client.finish({ ...attributes, starting_url: `${site.url}${start}`, max_pages: Number(pages) }),
      );
      const causes = (await client.all(`${address}/causes`)).map((cause) => cause.attributes as Cause);
      const sum = (of: (cause: Cause) => number) => causes.reduce((all, cause) => all + of(cause), 0);
      const [errors, verified] = [sum(({ how_many }) => how_many), sum(({ verified: one }) => one)];
      console.log(
        `${given}: ${report.num_pages} pages, ${errors} errors, ${verified} verified (${((verified / errors) * 100).toFixed(0)} %), ` +
          `${processor.toFixed(1)} s of processor time`,
      );
      const left = Map.groupBy(causes, ({ rules }) => rules.join(", "));
      const open = [...left].map(([rules, of]) => ({
        rules,
        errors: of.reduce((all, { how_many, verified: one }) => all + how_many - one, 0),
      }));
      for (const { rules, errors: more } of open.sort((a, b) => b.errors - a.errors).slice(0, 8))
        if (more > 0) console.log(`  ${String(more).padStart(6)} not verified: ${rules}`);
    } finally {
      await site.close();
    }
  }
} finally {
  service.child.kill("SIGTERM");
  await service.ended;
  await rm(work, { recursive: true, force: true });
}

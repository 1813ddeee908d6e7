import { CheerioCrawler, Configuration, log } from "@crawlee/cheerio";

/** Crawlee's fastest crawler on a whole site, storing nothing on disk: as its documentation has it. Prints the number of pages. */
log.setLevel(log.LEVELS.ERROR);
let pages = 0;
const crawler = new CheerioCrawler(
  {
    async requestHandler({ enqueueLinks }) {
      pages += 1;
      await enqueueLinks({ strategy: "same-hostname" });
    },
    // Pictures and archives that pages link to are not pages.
    failedRequestHandler() {},
    maxRequestRetries: 0,
  },
  new Configuration({ persistStorage: false, purgeOnStart: false }),
);
await crawler.run([process.argv[2] ?? ""]);
process.stdout.write(`${pages}\n`);

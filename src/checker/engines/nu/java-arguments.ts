/** Bytes of a document: 10 MB of text in any encoding, as UTF-8. */
export const MAX_DOCUMENT_BYTES = 40_000_000;

/** Enough for a document of 10 MB, while the others are of usual size. */
const HEAP_MB = 512;
/** With less, pages of usual size fail. */
const MIN_HEAP_MB = 192;
/** The checker itself, and what Java needs outside its heap: 200 MB each. */
const OUTSIDE_HEAP_MB = 400;

/** The heap of Java on a machine or in a container with so much memory. */
export function heapFor(memoryMb: number): number {
  return Math.max(MIN_HEAP_MB, Math.min(HEAP_MB, memoryMb - OUTSIDE_HEAP_MB));
}

type Settings = {
  heapMb: number;
  /** The process's own folder. */
  folder: string;
  logFile: string;
  /** The only path under which documents are taken. */
  path: string;
};

/**
 * The arguments of Java as the text of an argument file, with the heap as given and everything else bounded.
 *
 * @see JDK documentation, The java Command, "java Command-Line Argument Files"
 */
export function javaArguments(jar: string, { heapMb, folder, logFile, path }: Settings): string {
  const virtualMachine = [
    `-Xmx${heapMb}m`,
    // Nu's grammar is compiled by a deep recursion, and the main thread's usual stack is now and then too small.
    "-Xss4m",
    "-XX:MaxDirectMemorySize=64m",
    "-XX:+ExitOnOutOfMemoryError",
    // Half of the CPU time to start, for a tenth more on each page.
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    // No files outside of its folder, and no other process that attaches itself.
    "-XX:-UsePerfData",
    "-XX:+DisableAttachMechanism",
    "-XX:-CreateCoredumpOnCrash",
    "-XX:ErrorFile=/dev/null",
    "-XX:+IgnoreUnrecognizedVMOptions",
  ];
  const properties = {
    "java.io.tmpdir": folder,
    "user.home": folder,
    "java.awt.headless": "true",
    "nu.validator.datatype.warn": "true",
    "nu.validator.servlet.bind-address": "127.0.0.1",
    "nu.validator.servlet.max-file-size": String(MAX_DOCUMENT_BYTES),
    "nu.validator.servlet.path.generic": path,
    // Services that are not used, among them one that loads documents from other hosts.
    "nu.validator.servlet.path.html5": `${path}html5`,
    "nu.validator.servlet.path.parsetree": `${path}parsetree`,
    "nu.validator.servlet.read-local-log4j-properties": "1",
    "nu.validator.servlet.log4j-properties": logFile,
  };
  const all = [
    ...virtualMachine,
    ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
    // Port 0: the system chooses one that is free, and Java has it from then on.
    ...["-cp", jar, "nu.validator.servlet.Main", "0"],
  ];
  return `${all.map(quote).join("\n")}\n`;
}

function quote(argument: string): string {
  return `"${argument.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** Only the line that has the port. */
export const logSettings = `log4j.rootLogger=OFF
log4j.logger.org.eclipse.jetty.server.AbstractConnector=INFO, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%m%n
`;

import { dispatcherProgram } from "./process/dispatcher-program.ts";
import { logLine } from "./process/line-log.ts";

try {
  await dispatcherProgram(process.argv.slice(2), process.env);
  process.exit(0);
} catch (error) {
  logLine(`the process did not start: ${error instanceof Error ? error.stack : String(error)}`);
  process.exit(1);
}

import { rmSync } from "node:fs";
import { opentigerVersion } from "@opentiger/schema";
import { instanceSockets } from "../instance/processes.ts";
import { type Check, fail, ok, warn } from "./check.ts";

/** The server, the dispatcher and sandboxd. That none runs is no trouble: whoever needs one starts it. */
export const processesCheck: Check = {
  name: "processes",
  async look({ env }) {
    const { running, silent, stale } = await instanceSockets(env);
    const findings = running.map(({ name, pid, version }) =>
      version === opentigerVersion
        ? ok(`${name} runs as process ${pid}`)
        : warn(
            `${name} (process ${pid}) is openTiger ${version}, and this is ${opentigerVersion}`,
            "opentiger down; the next command starts one of this version",
          ),
    );
    findings.push(
      ...silent.map((path) =>
        fail(`a process has ${path} and does not answer`, `see which one (fuser ${path}) and end it`),
      ),
      ...stale.map((path) =>
        warn(`${path} was left by a process that was killed`, `rm ${path}`, async () => {
          rmSync(path, { force: true });
          return `removed ${path}`;
        }),
      ),
    );
    return findings.length > 0 ? findings : [ok("none runs: they are started when they are needed")];
  },
};

import { fstatSync, openSync, writeFileSync } from "node:fs";
import { connectDocker } from "../../packages/sandbox/src/backends/docker/docker-backend.ts";
import { HostBackend } from "../../packages/sandbox/src/backends/host/host-backend.ts";

/**
 * A client that somebody will kill: it follows an exec that counts, and writes what it reads to a file. Whether it
 * is the first one or comes after others, it goes on where the file ends.
 */
const [kind, name = "", id = "", file = "", last = ""] = process.argv.slice(2);
const counter = `i=0; while [ $i -lt ${last} ]; do i=$((i + 1)); echo $i; done`;

const backend = kind === "host" ? new HostBackend() : await connectDocker();
const sandbox = await backend.open(name);
const output = openSync(file, "a");
const have = fstatSync(output).size;
// Until a byte has come, the exec may not have been started; asking for it by its id never starts it twice.
const execution =
  have === 0
    ? await sandbox.exec(["sh", "-c", counter], { id, spoolBytes: 64 * 1024 })
    : await sandbox.attach(id, { stdout: have });
for await (const { data } of execution.output()) writeFileSync(output, data);
const { code } = await execution.exit;
await sandbox.close();
process.exitCode = code ?? 1;

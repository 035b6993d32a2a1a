import { HostBackend } from "../../packages/sandbox/src/backends/host/host-backend.ts";

/** A client that makes a clone on the host, in whatever environment it was started; somebody may kill it. */
const [workspace = "", repository = ""] = process.argv.slice(2);
const backend = new HostBackend();
process.stdout.write("begin\n");
const sandbox = await backend.create({
  name: "half-made",
  agent: "shell",
  workspaceKind: "clone",
  workspaces: [{ path: workspace, readOnly: false }],
  ...(repository ? { repository } : {}),
});
await sandbox.close();
process.stdout.write("end\n");

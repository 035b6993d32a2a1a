import { connectDocker } from "../../packages/sandbox/src/backends/docker/docker-backend.ts";

/** A client that somebody will kill: makes a sandbox, or parks some, and says when it begins. */
const [what, workspace = ""] = process.argv.slice(2);
const backend = await connectDocker();
process.stdout.write("begin\n");
if (what === "park") await backend.fillPool({ size: 3 });
else
  await backend.create({
    name: "half-made",
    agent: "shell",
    workspaces: [{ path: workspace, readOnly: false }],
  });
process.stdout.write("end\n");

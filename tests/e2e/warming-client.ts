import { connectDocker } from "../../packages/sandbox/src/backends/docker/docker-backend.ts";

/** A client that somebody will kill: parks sandboxes of an image, and says when it begins. */
const [image = "", workspace = "", repository = ""] = process.argv.slice(2);
const backend = await connectDocker();
process.stdout.write("begin\n");
await backend.warm({
  image,
  count: 3,
  workspaces: [{ path: workspace, readOnly: false }],
  repository,
  commit: "main",
});
process.stdout.write("end\n");

import { LoopRepository, openPlace } from "@opentiger/orchestrator";
import { ensurePrepared } from "../../../packages/orchestrator/src/project/prepared.ts";
import { readProject } from "../../../packages/orchestrator/src/project/read-project.ts";
import { makeSandbox } from "../../../packages/orchestrator/src/project/sandbox.ts";
import { baselineOf } from "../../../packages/orchestrator/src/verifying/baseline.ts";
import { loopOf } from "./verifying-loop.ts";

/** A client that prepares a project and finds out how its checks stand; somebody may kill it. */
const [id = "", path = "", repositoryId = "", commit = ""] = process.argv.slice(2);
const place = await openPlace(process.env, { program: "test client" });
const repository = await LoopRepository.open(place, { id: repositoryId, path });
const { signal } = new AbortController();
const project = await readProject(repository, commit, {});
const about = {
  loop: loopOf(id),
  repository,
  project,
  commit,
  environment: "sandbox",
  agent: "shell",
  signal,
  redact: (text: string) => text,
  say: (line: string) => void process.stdout.write(`${line}\n`),
} as const;
const prepared = await ensurePrepared(place, about);
const sandbox = await makeSandbox(place, { ...about, name: `loop-${id}-shell`, prepared, phase: "verify" });
await baselineOf(place, { ...about, sandbox, key: prepared.key });
await sandbox.close();
await place.close();
process.stdout.write("end\n");

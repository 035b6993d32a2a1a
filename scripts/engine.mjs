#!/usr/bin/env node
import { runningDaemon } from "./engine/daemon.mjs";
import { ensureEngine, startPrivateEngine, stopPrivateEngine } from "./engine/engine.mjs";
import { answersPing, foundEngine } from "./engine/found.mjs";
import { TEST_NEEDS } from "./engine/needs.mjs";
import { enginePaths } from "./engine/paths.mjs";
import { engineUsers } from "./engine/users.mjs";
import { Unavailable } from "./setup/unavailable.mjs";

const USAGE = `node scripts/engine.mjs up [--private] | down | status | env

  up      use the Docker engine that answers, or start the private one of this checkout and keep it running
          (--private: start the private one even where another answers)
  down    stop the private engine; its images stay for the next time
  status  say what there is
  env     print DOCKER_HOST=… for the engine that tests would use`;

const [command, ...flags] = process.argv.slice(2);
const commands = { up, down, status, env };

try {
  if (command === undefined || !Object.hasOwn(commands, command)) throw new Unavailable(USAGE);
  await commands[/** @type {keyof typeof commands} */ (command)]();
} catch (error) {
  console.error(error instanceof Unavailable ? error.message : error);
  process.exitCode = 1;
}

async function up() {
  const started = Date.now();
  const begin = flags.includes("--private") ? startPrivateEngine : ensureEngine;
  const engine = await begin({ onLine: (line) => console.error(line), beside: TEST_NEEDS });
  if (engine.private) engineUsers(enginePaths()).keep();
  console.error(`ready after ${((Date.now() - started) / 1000).toFixed(1)} s`);
  console.log(`DOCKER_HOST=${engine.dockerHost}`);
}

async function down() {
  await stopPrivateEngine();
  console.error("the private engine of this checkout is stopped");
}

async function status() {
  const found = await foundEngine();
  console.log(found ? `your engine: ${found.dockerHost} (${found.from})` : "your engine: none answers");
  const paths = enginePaths();
  const pid = runningDaemon(paths);
  const answers = pid !== undefined && (await answersPing(paths.dockerHost));
  console.log(
    `private engine: ${pid === undefined ? "stopped" : `pid ${pid}, ${answers ? "answers" : "does not answer"}`}`,
  );
  console.log(`  ${paths.dockerHost}, bridge ${paths.name}`);
}

async function env() {
  const found = await foundEngine();
  const paths = enginePaths();
  const dockerHost =
    found?.dockerHost ?? ((await answersPing(paths.dockerHost)) ? paths.dockerHost : undefined);
  if (!dockerHost) throw new Unavailable("no engine answers; start one with: node scripts/engine.mjs up");
  console.log(`DOCKER_HOST=${dockerHost}`);
}

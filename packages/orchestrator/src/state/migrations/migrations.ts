import { systemConfig } from "./0001-system-config.ts";
import { loops } from "./0002-loops.ts";
import { projects } from "./0003-projects.ts";
import { planning } from "./0004-planning.ts";
import { server } from "./0005-server.ts";
import { models } from "./0006-models.ts";
import { messages } from "./0007-messages.ts";
import { allLoops } from "./0008-all-loops.ts";
import { agents } from "./0009-agents.ts";
import { sessions } from "./0010-sessions.ts";
import { takeOvers } from "./0011-take-overs.ts";
import { preparedBases } from "./0012-prepared-bases.ts";
import { instance } from "./0013-instance.ts";
import { roles } from "./0014-roles.ts";
import { handedOn } from "./0015-handed-on.ts";
import type { Migration } from "./migration.ts";

/** All steps, oldest first. New ones are added at the end; those that were released stay as they are. */
export const migrations: readonly Migration[] = [
  systemConfig,
  loops,
  projects,
  planning,
  server,
  models,
  messages,
  allLoops,
  agents,
  sessions,
  takeOvers,
  preparedBases,
  instance,
  roles,
  handedOn,
];

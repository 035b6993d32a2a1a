import { ensureFolders, postgresPlace } from "../../packages/orchestrator/src/state/postgres/place.ts";
import { ensureSystemUser } from "../../packages/orchestrator/src/state/postgres/system-user.ts";

/** Prepares the start of one state folder's server over and over, until somebody kills it. */
const place = postgresPlace({ OPENTIGER_HOME: process.argv[2] });
const user = await ensureSystemUser(() => {});
ensureFolders(place, user);
process.send?.("begun");
for (;;) ensureFolders(place, user);

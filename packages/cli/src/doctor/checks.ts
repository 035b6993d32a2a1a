import type { Check } from "./check.ts";
import { databaseCheck } from "./database.ts";
import { diskCheck } from "./disk.ts";
import { engineCheck } from "./engine.ts";
import { gitCheck } from "./git.ts";
import { holesCheck } from "./holes.ts";
import { imageCheck } from "./image.ts";
import { leftoversCheck } from "./leftovers.ts";
import { loginsCheck } from "./logins.ts";
import { nodeCheck } from "./node.ts";
import { permissionsCheck } from "./permissions.ts";
import { pluginCheck } from "./plugin.ts";
import { portCheck } from "./port.ts";
import { processesCheck } from "./processes.ts";
import { settingsCheck } from "./settings.ts";

/** In the order in which they are shown: what others stand on comes first. */
export const checks: readonly Check[] = [
  // It has to look before anything opens the state folder, which closes that to others by itself.
  permissionsCheck,
  nodeCheck,
  gitCheck,
  diskCheck,
  databaseCheck,
  settingsCheck,
  engineCheck,
  holesCheck,
  imageCheck,
  loginsCheck,
  portCheck,
  processesCheck,
  pluginCheck,
  leftoversCheck,
];

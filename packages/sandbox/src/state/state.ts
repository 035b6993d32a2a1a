import { ensureStateFolder, stateFolder } from "./folder.ts";
import { instanceId } from "./instance.ts";
import { Records } from "./records.ts";

/** What one instance of openTiger remembers. Another folder is another instance, even on the same engine. */
export interface State {
  readonly folder: string;
  readonly instance: string;
  readonly records: Records;
}

export function openState(folder: string = stateFolder()): State {
  ensureStateFolder(folder);
  return { folder, instance: instanceId(folder), records: new Records(folder) };
}

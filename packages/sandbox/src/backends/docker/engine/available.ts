import { defaultHome } from "../../../workspace/rules.ts";
import { connectEngine } from "./engine.ts";

/** What an engine that is merely busy still manages; contract B12. */
const patienceMs = 3_000;

/** Whether the engine that would be used answers now. Never throws. */
export async function isDockerAvailable(env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  try {
    await connectEngine({ env, home: defaultHome(env) }).facts(AbortSignal.timeout(patienceMs));
    return true;
  } catch {
    return false;
  }
}

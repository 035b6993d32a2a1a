import { once } from "node:events";
import { ServerClient } from "@opentiger/server/control";
import { say, title } from "./words.ts";

/** Says where the same is to be seen in a browser. Who sits in front of it decides when the demo goes on. */
export async function showDashboard(env: NodeJS.ProcessEnv, stopped: AbortSignal): Promise<void> {
  title("The dashboard");
  const link = await new ServerClient(env).loginLink();
  if (!link) return say("the server does not run");
  say(`${link.url}\n(good once, while this demo runs)`);
  if (!process.stdin.isTTY) return;
  say("Enter goes on.");
  await once(process.stdin, "data", { signal: stopped }).catch(() => {});
  process.stdin.pause();
}

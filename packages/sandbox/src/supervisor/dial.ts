import { readdirSync, watch } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { dialSuffix } from "../protocol/paths.ts";

/** Where the kernel's notification is lost or not to be had, a socket is found by looking; rarely, it costs a wake-up. */
const lookAgainMs = 1_000;

/**
 * Dials every socket that appears in the carrier folder, once each. A host process that wants a session puts one
 * there under a name of its own and waits; when it is gone the dial fails and the name is forgotten with the file.
 */
export function dialCarriers(
  folder: string,
  serve: { session(stream: Socket): void; exec(stream: Socket): void },
): void {
  const seen = new Set<string>();
  // Watched before the first look: whoever is dialled by that puts the next socket there at once.
  try {
    watch(folder, (_event, name) => {
      // Names that are only on their way to be one of ours come and go with every socket.
      if (name === null || answerTo(name)) look();
    }).on("error", () => {});
  } catch {
    // No inotify: the timer below is enough.
  }
  look();
  setInterval(look, lookAgainMs);

  function look(): void {
    const names = list(folder);
    for (const name of seen) if (!names.includes(name)) seen.delete(name);
    for (const name of names) {
      if (seen.has(name)) continue;
      const answer = answerTo(name);
      if (!answer) continue;
      seen.add(name);
      const socket = connect(join(folder, name));
      socket.on("error", () => {});
      socket.once("connect", () => answer(socket));
    }
  }

  function answerTo(name: string): ((stream: Socket) => void) | undefined {
    if (name.endsWith(dialSuffix.session)) return serve.session;
    if (name.endsWith(dialSuffix.exec)) return serve.exec;
    return undefined;
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

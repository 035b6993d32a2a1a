import { cancelLoop, type LoopRow, type OpenPlace, usageOfLoop } from "@opentiger/orchestrator";
import { ServerClient } from "@opentiger/server/control";
import { exits } from "../program/exits.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { audited } from "./audited.ts";
import { exitOf, standsStill } from "./end.ts";
import { followLoop } from "./follow.ts";
import { Interrupted } from "./interrupted.ts";
import { keepUp } from "./keep-up.ts";
import { LoopTeller } from "./lines.ts";
import { type LoopOutput, loopOutput, plainly } from "./output.ts";
import { summaryOf } from "./summary.ts";

export interface WatchOptions {
  json?: true;
  /** What is done first, which may take a while. Returns where the loop can be seen in a browser. */
  begin?: () => Promise<string | undefined>;
  /** By whoever made the loop, so that no Ctrl-C since then is missed. */
  interrupted?: Interrupted;
}

/** What was killed is started again by whoever waits for what it does, or has told of its page. */
const keepMs = 5_000;

/** Whoever says `down` does not want us to start the database again. */
const downMs = 250;

/**
 * Tells what happens in a loop until it stands still. The first Ctrl-C leaves it, which goes on, and says how to come
 * back; a second one right after it cancels it. So does `opentiger down` leave it, until the next `up`.
 */
export async function watchLoop(
  place: OpenPlace,
  id: string,
  surroundings: Surroundings,
  options: WatchOptions,
): Promise<number> {
  const { interrupted = new Interrupted(), begin = async () => undefined } = options;
  let output = plainly(surroundings, options);
  interrupted.tell({
    first: () =>
      output.notice({ detaching: id }, "Ctrl-C once more cancels the loop; without it, it goes on"),
    second: async () => {
      output.notice({ cancelling: id }, "cancelling: what it runs is being ended");
      await audited(place.database, { action: "loop cancel", target: id }, () =>
        cancelLoop(place.database, id),
      );
    },
  });
  const server = new ServerClient(place.env);
  const begun = new Date();
  let page: string | undefined;
  const keeping = setInterval(() => {
    void keepUp(place.env, { begun, server: page !== undefined }).catch(() => {});
  }, keepMs);
  const leaving = setInterval(() => {
    if (server.downSince(begun)) interrupted.leave();
  }, downMs);
  try {
    page = await begin();
    output = loopOutput(place, id, surroundings, { ...options, page });
    const loop = await tellAll(place, id, output, interrupted.signal);
    await output.close();
    if (!loop || !standsStill(loop.state)) {
      const down = server.downSince(begun);
      const back = `opentiger ${down ? "up, then opentiger " : ""}loop events -f ${id}`;
      const why = down ? "openTiger was ended, and the loop goes on when it is started" : "the loop goes on";
      output.notice({ detached: id }, `${why}; back to it: ${back}`);
      return exits.detached;
    }
    const usage = await usageOfLoop(place.database, id);
    if (options.json) surroundings.stdout.write(`${JSON.stringify({ type: "end", loop, usage })}\n`);
    else surroundings.stdout.write(`\n${summaryOf(loop, usage)}`);
    return exitOf(loop);
  } finally {
    clearInterval(keeping);
    clearInterval(leaving);
    interrupted.close();
    await output.close();
  }
}

async function tellAll(
  { database }: OpenPlace,
  id: string,
  output: LoopOutput,
  signal: AbortSignal,
): Promise<LoopRow | undefined> {
  const teller = new LoopTeller(database);
  const events = followLoop(database, id, { until: standsStill, signal });
  for (;;) {
    const next = await events.next();
    if (next.done) return next.value;
    await output.event(next.value, teller);
  }
}

import { finish, runCommand, startModelSim } from "@opentiger/model-sim";

/**
 * A model in a process of its own: so many turns with a command each. Prints its URL, and then each request; ends with
 * its stdin.
 */
const turns = Number(process.argv[2]);
const commands = Array.from({ length: turns }, (_, turn) => runCommand(`echo turn ${turn}`));
const { url } = await startModelSim({
  scenario: { steps: [...commands, finish()] },
  onRequest: ({ session, side, at }) => {
    if (session !== undefined && !side) console.log(JSON.stringify({ session, at: Date.parse(at) }));
  },
});
console.log(JSON.stringify({ url }));
process.stdin.resume().once("end", () => process.exit());

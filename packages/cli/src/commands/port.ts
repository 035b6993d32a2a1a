import { listedPort, publishedPort, Sandboxd } from "@opentiger/sandboxd";
import type { Command } from "commander";
import { z } from "zod";
import { UsageError } from "../errors.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { examples, printJson, type VerbOptions, verb } from "../program/verb.ts";

interface PortOptions extends VerbOptions {
  publish?: number;
  remove?: true;
}

export function portCommand(surroundings: Surroundings): Command {
  return verb("port", surroundings)
    .description("reach a port inside a sandbox from this machine, on 127.0.0.1")
    .argument("<sandbox>", "name")
    .argument("[port]", "the port inside; without it, those published so far are shown", parsePort)
    .option("--publish <port>", "the port of 127.0.0.1 (default: any free one)", parsePort)
    .option("--remove", "take it back")
    .addHelpText("after", examples(surroundings, "port my-sandbox 3000 --publish 8080", "port my-sandbox"))
    .action(async (name: string, port: number | undefined, options: PortOptions) => {
      const sandboxd = new Sandboxd(surroundings.env);
      const path = `/sandboxes/${encodeURIComponent(name)}/ports`;
      const ports = await sandboxd.ask({ method: "GET", path }, z.array(listedPort));
      if (port === undefined) return show(ports, surroundings, options);
      if (options.remove) {
        const wanted = ports.filter(({ inside }) => inside === port);
        if (wanted.length === 0) throw new UsageError(`port ${port} of ${name} is not published`);
        for (const { published } of wanted) {
          await sandboxd.ask({ method: "DELETE", path: `${path}/${published}` }, z.unknown());
        }
        const gone = wanted.map(({ inside, published }) => ({ inside, published }));
        return show(gone, surroundings, options);
      }
      const body = { inside: port, ...(options.publish === undefined ? {} : { publish: options.publish }) };
      show([await sandboxd.ask({ method: "POST", path, body }, publishedPort)], surroundings, options);
    });
}

function show(
  ports: readonly (z.infer<typeof publishedPort> & { open?: boolean })[],
  surroundings: Surroundings,
  { json }: PortOptions,
): void {
  if (json) return printJson(surroundings, ports);
  for (const { inside, published, open } of ports) {
    const state = open === false ? " (not open)" : "";
    surroundings.stdout.write(`127.0.0.1:${published} -> ${inside}${state}\n`);
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port > 0 && port < 65_536) return port;
  throw new UsageError(`"${text}" is not a port`, "Ports are 1 to 65535.");
}

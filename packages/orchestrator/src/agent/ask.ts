import { randomUUID } from "node:crypto";
import {
  type AgentRun,
  type AgentTask,
  type Asked,
  askForAnswer,
  type ProjectInstructions,
} from "@opentiger/agents";
import type { z } from "zod";
import type { Place } from "../place.ts";
import { type AgentRequest, throughGateway } from "./agent.ts";

/** A question to an agent that only reads, and the form of its answer. */
export interface AskRequest<T> extends Omit<AgentRequest, "task" | "promptIfFresh"> {
  /** What holds whatever the prompt and the files show: it stands where the CLI has its own rules, or in front of all else. */
  systemPrompt: string;
  prompt: string;
  schema: z.ZodType<T>;
  instructions: readonly ProjectInstructions[];
  /** Whether settings and instructions that stand in the tree are obeyed. */
  projectSettings: AgentTask["projectSettings"];
  /** Where one run asks several things, each has a name of its own: a-z, 0-9 and -. One at a time. */
  name?: string;
  /** How many tries there are until the answer has its form. */
  tries?: number;
}

/**
 * Asks once, whoever dies meanwhile: after a crash the same call goes on with the conversation that is under way, or
 * gives the answer that it came to. Throws the signal's reason where the stage is another process's now.
 */
export async function askAgent<T>(place: Place, request: AskRequest<T>): Promise<Asked<T>> {
  const { choice, systemPrompt, prompt, schema, instructions, projectSettings, name, tries } = request;
  const task: AgentRequest["task"] = {
    systemPrompt,
    prompt,
    ...(choice.model === undefined ? {} : { model: choice.model }),
    instructions,
    projectSettings,
    permissions: { kind: "read" },
    tools: ["read"],
    session: { kind: "new", id: randomUUID() },
  };
  return throughGateway(place, { ...request, task }, async (parts, record) => {
    const following: Promise<void>[] = [];
    const follow = (agent: AgentRun): void => {
      following.push(record.follow(agent));
    };
    const asked = await askForAnswer(named(parts, name), schema, {
      ...(tries === undefined ? {} : { tries }),
      onRun: follow,
      heardOf: async (id) => {
        // Their numbers go on behind those of the try before.
        await Promise.all(following);
        return record.heardOf(id);
      },
    }).finally(() => Promise.allSettled(following));
    await Promise.all(following);
    return asked;
  });
}

function named<Parts extends { id: string; transcript: string }>(
  parts: Parts,
  name: string | undefined,
): Parts {
  if (name === undefined) return parts;
  return { ...parts, id: `${parts.id}-${name}`, transcript: `${parts.transcript}-${name}` };
}

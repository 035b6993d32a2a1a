import type { NewLoop } from "../../api/types.ts";

export type Mode = "prose" | "single" | "stories";

/** What stands in the form, as text. */
export interface Draft {
  requirement: string;
  mode: Mode;
  repository: string;
  agent: string;
  model: string;
  environment: string;
  network: string;
  projectNetwork: string;
  usd: string;
  tokens: string;
  approve: boolean;
}

export const emptyDraft: Draft = {
  requirement: "",
  mode: "prose",
  repository: "",
  agent: "",
  model: "",
  environment: "",
  network: "",
  projectNetwork: "",
  usd: "",
  tokens: "",
  approve: true,
};

/** Agents are chosen for all who work on it, the judge as well. */
const roles = ["planner", "worker", "tester", "docser", "judge"] as const;

type Settings = Exclude<NewLoop["settings"], undefined>;

/** As the server takes it. What is left empty is not said, so that the settings hold. */
export function loopOf(draft: Draft): NewLoop {
  const { requirement, mode, repository } = draft;
  return {
    repository: { path: repository.trim() },
    requirement: requirement.trim(),
    single: mode === "single",
    ...(mode === "stories" ? { stories: { text: requirement, file: null } } : {}),
    settings: settingsOf(draft),
  };
}

function settingsOf(draft: Draft): Settings {
  const { agent, model, environment, network, projectNetwork, usd, tokens, approve } = draft;
  const chosen = { ...(agent ? { agent } : {}), ...(model.trim() ? { model: model.trim() } : {}) };
  const agents =
    Object.keys(chosen).length === 0 ? {} : Object.fromEntries(roles.map((role) => [role, chosen]));
  const budget = { usd: usd ? Number(usd) : null, tokens: tokens ? Math.round(Number(tokens)) : null };
  return {
    approve,
    agents,
    ...(environment ? { environment } : {}),
    ...(network ? { network } : {}),
    ...(projectNetwork ? { projectNetwork } : {}),
    ...(budget.usd === null && budget.tokens === null ? {} : { budget }),
    // The choices of the form are the words that the server knows; it says so where one is not.
  } as Settings;
}

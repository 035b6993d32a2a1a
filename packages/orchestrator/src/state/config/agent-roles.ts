import {
  type AgentKind,
  type ConfigKeyName,
  type ConfigValue,
  type Role,
  roleKeys,
  roles,
} from "@opentiger/schema";

export interface RoleAgent {
  role: Role;
  agent: AgentKind;
  /** null: the agent's own choice. */
  model: string | null;
}

type Read = <Name extends ConfigKeyName>(name: Name) => Promise<ConfigValue<Name>>;

/** Which agent each role has, as it is configured. */
export async function agentRoles(read: Read): Promise<RoleAgent[]> {
  return Promise.all(
    roles.map(async (role) => {
      const [agentKey, modelKey] = roleKeys[role];
      return { role, agent: await read(agentKey), model: (await read(modelKey)) ?? null };
    }),
  );
}

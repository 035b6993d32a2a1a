/**
 * Every error code of the product, with the exit status a command ends with. One table, so that the command
 * line and the API never disagree. Codes are public interface: add, never rename.
 */
export const errorCodes = {
  usage: { exit: 64 },
  name_invalid: { exit: 64 },
  workspace_refused: { exit: 64 },
  image_name_invalid: { exit: 64 },
  unsupported: { exit: 64 },
  not_found: { exit: 66 },
  exec_not_found: { exit: 66 },
  workspace_missing: { exit: 66 },
  engine_unavailable: { exit: 69 },
  engine_permission: { exit: 77 },
  image_missing: { exit: 72 },
  cli_missing: { exit: 72 },
  image_build_failed: { exit: 72 },
  already_exists: { exit: 73 },
  plugin_taken: { exit: 73 },
  unfetched_commits: { exit: 75 },
  disk_full: { exit: 74 },
  copy_refused: { exit: 65 },
  git_failed: { exit: 65 },
  command_not_found: { exit: 127 },
  command_not_executable: { exit: 126 },
  timeout: { exit: 124 },
  cancelled: { exit: 130 },
  resource_limit: { exit: 125 },
  sandbox_broken: { exit: 125 },
  session_lost: { exit: 125 },
  internal: { exit: 125 },
} as const satisfies Record<string, { exit: number }>;

export type ErrorCode = keyof typeof errorCodes;

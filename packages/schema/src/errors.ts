/**
 * Every error code of the product, with the exit status a command ends with and the status of an answer over HTTP.
 * One table, so that the command line and the API never disagree. Codes are public interface: add, never rename.
 */
export const errorCodes = {
  usage: { exit: 64, http: 400 },
  name_invalid: { exit: 64, http: 400 },
  workspace_refused: { exit: 64, http: 400 },
  image_name_invalid: { exit: 64, http: 400 },
  unsupported: { exit: 64, http: 400 },
  not_found: { exit: 66, http: 404 },
  exec_not_found: { exit: 66, http: 404 },
  workspace_missing: { exit: 67, http: 404 },
  engine_unavailable: { exit: 69, http: 503 },
  sandboxd_unavailable: { exit: 69, http: 503 },
  engine_permission: { exit: 77, http: 503 },
  image_missing: { exit: 72, http: 503 },
  cli_missing: { exit: 72, http: 503 },
  image_build_failed: { exit: 72, http: 502 },
  already_exists: { exit: 73, http: 409 },
  plugin_taken: { exit: 68, http: 409 },
  unfetched_commits: { exit: 75, http: 409 },
  disk_full: { exit: 74, http: 507 },
  copy_refused: { exit: 65, http: 400 },
  git_failed: { exit: 65, http: 422 },
  command_not_found: { exit: 127, http: 422 },
  command_not_executable: { exit: 126, http: 422 },
  timeout: { exit: 124, http: 504 },
  cancelled: { exit: 130, http: 503 },
  resource_limit: { exit: 125, http: 422 },
  sandbox_broken: { exit: 125, http: 502 },
  session_lost: { exit: 125, http: 502 },
  internal: { exit: 125, http: 500 },
  secret_not_found: { exit: 80, http: 404 },
  secret_exists: { exit: 81, http: 409 },
  secret_refused: { exit: 82, http: 400 },
  lease_not_found: { exit: 83, http: 404 },
  lease_limit: { exit: 84, http: 409 },
  vault_key_missing: { exit: 85, http: 503 },
  vault_key_refused: { exit: 86, http: 503 },
  vault_unreadable: { exit: 87, http: 503 },
  vault_refused: { exit: 88, http: 503 },
  vault_busy: { exit: 89, http: 503 },
  database_unavailable: { exit: 69, http: 503 },
  database_refused: { exit: 78, http: 503 },
  database_newer: { exit: 76, http: 503 },
  database_other_version: { exit: 76, http: 503 },
  database_altered: { exit: 65, http: 503 },
  config_unknown: { exit: 66, http: 404 },
  config_invalid: { exit: 78, http: 400 },
  config_pinned: { exit: 77, http: 409 },
  config_secret: { exit: 64, http: 400 },
  plan_invalid: { exit: 65, http: 422 },
  project_invalid: { exit: 65, http: 422 },
  project_network: { exit: 77, http: 403 },
  setup_failed: { exit: 65, http: 422 },
  branch_moved: { exit: 65, http: 409 },
  not_allowed_now: { exit: 73, http: 409 },
  loop_budget_used_up: { exit: 73, http: 409 },
  commits_refused: { exit: 65, http: 422 },
  unauthorized: { exit: 77, http: 401 },
  forbidden: { exit: 77, http: 403 },
  too_large: { exit: 65, http: 413 },
  too_many: { exit: 75, http: 429 },
  port_taken: { exit: 73, http: 500 },
  key_required: { exit: 78, http: 500 },
  backup_invalid: { exit: 65, http: 400 },
  sandbox_unfinished: { exit: 75, http: 409 },
} as const satisfies Record<string, { exit: number; http: number }>;

export type ErrorCode = keyof typeof errorCodes;

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(errorCodes, code);
}

/** What every error of ours is: a stable code, a sentence, and the command that mends it. It never holds a secret. */
export class CodedError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string | undefined;

  constructor(code: ErrorCode, message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.remedy = options.remedy;
  }

  get exitCode(): number {
    return errorCodes[this.code].exit;
  }

  toJSON(): { code: ErrorCode; message: string; remedy?: string } {
    return { code: this.code, message: this.message, ...(this.remedy ? { remedy: this.remedy } : {}) };
  }
}

/** The code of an error of Node's or of PostgreSQL's. */
export function errno(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

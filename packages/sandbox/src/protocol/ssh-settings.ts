import { hostDoor } from "./doors.ts";
import { insidePaths } from "./paths.ts";

/** Read by ssh where the image's own settings include this folder, as Debian's and Alpine's do. */
export const sshSettingsFile = "/etc/ssh/ssh_config.d/opentiger.conf";

/**
 * ssh knows no proxy variables: it starts a command that goes out through the SOCKS door. For git as for everything else
 * that uses ssh. What the user or the repository sets wins; in a container that is not a sandbox it means nothing.
 */
export const sshSettings = `# made by opentiger
Match host "!localhost,!127.*,!::1,!${hostDoor.name},*" exec "test -r ${insidePaths.supervisor}"
  ProxyCommand node ${insidePaths.supervisor} connect %h %p
`;

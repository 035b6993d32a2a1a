import { pluginMetadata } from "./metadata.ts";

/** The second line of every plugin file of ours, by which we know it again. */
export const pluginMark = "# openTiger's docker-sandbox plugin.";

/**
 * The plugin as docker starts it: a few lines of sh. Docker asks every plugin for its metadata before each use, so
 * that is answered without starting Node; `exec` goes to a client that is no more than a pipe.
 *
 * Reading NODE_EXTRA_CA_CERTS costs Node as long as a whole exec takes. It is of use only where an engine is spoken
 * to by TLS; otherwise it is kept under another name, from which the program takes it back for its own children.
 */
export function pluginScript({ node, bundles }: { node: string; bundles: string }): string {
  return `#!/bin/sh
${pluginMark} Made by \`opentiger sandbox install-plugin\`; changes will be lost.
if [ "$1" = docker-cli-plugin-metadata ]; then
  printf '%s\\n' ${quoted(JSON.stringify(pluginMetadata))}
  exit 0
fi
node=${quoted(node)}
bundles=${quoted(bundles)}
[ -x "$node" ] || node=node
program=docker-sandbox.js
[ "$1/$2" = sandbox/exec ] && program=sandbox-exec.cjs
if [ ! -f "$bundles/$program" ]; then
  echo "docker sandbox: openTiger is no longer in $bundles" >&2
  echo "  → Install the plugin again: opentiger sandbox install-plugin" >&2
  exit 125
fi
case "\${DOCKER_HOST-}" in
tcp:* | https:*) ;;
*)
  if [ -n "\${NODE_EXTRA_CA_CERTS-}" ]; then
    export OPENTIGER_NODE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"
    unset NODE_EXTRA_CA_CERTS
  fi
  ;;
esac
exec "$node" "$bundles/$program" "$@"
`;
}

/** One word for sh, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

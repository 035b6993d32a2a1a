/** How the script below ends when there is nothing to send. */
export const sendStatus = { notFound: 44, notAFolder: 45 } as const;

/**
 * Writes an archive to its stdout. Runs inside as the agent's user, in any POSIX shell. Arguments: the path, the
 * folder that holds it, its name there, and "folder" when it must be one. A folder is sent as its content below
 * \`.\`, everything else as one entry, so that the first entry tells the kind.
 */
export const sendScript = `
set -eu
path=$1 parent=$2 name=$3 wanted=$4
case $path in /*) ;; *) path=./$path parent=./$parent ;; esac
if [ -d "$path" ]; then
  if [ ! -L "$path" ] || [ "$wanted" = folder ]; then exec tar -cf - -C "$path/" .; fi
elif [ "$wanted" = folder ] && [ -e "$path" ]; then
  exit ${sendStatus.notAFolder}
fi
if [ -e "$path" ] || [ -L "$path" ]; then exec tar -cf - -C "$parent" "./$name"; fi
exit ${sendStatus.notFound}
`;

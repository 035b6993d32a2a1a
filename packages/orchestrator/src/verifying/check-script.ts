/** In .git, where nothing of the repository is and what goes with the clone: where reports are kept until they are read. */
const folder = `kept=$(git rev-parse --git-path opentiger-reports)`;

/**
 * Runs a command, and keeps the report that it wrote: all in one exec, so that whoever attaches to it finds the report of
 * this run and no other. What lies at the report's path before is removed, since a report that the run did not write
 * says nothing about it. Arguments: the command, the report's path below the current folder, the name to keep it by, and
 * how many bytes of it. A path that leads out of the folder, by a link on the way, is left alone and no report is kept.
 */
export const checkScript = `
command=$1 path=$2 name=$3 most=$4
${folder}
here=$(pwd -P)
folder=$(dirname -- "$path")
within() {
  [ -d "$folder" ] || return 1
  real=$(cd -- "$folder" && pwd -P) || return 1
  [ "$real" = "$here" ] || [ "\${real#"$here"/}" != "$real" ]
}
rm -f -- "$kept/$name"
if within; then rm -rf -- "$path"; fi
sh -c "$command"
status=$?
if within && [ -f "$path" ] && [ ! -L "$path" ]; then
  umask 077
  mkdir -p -- "$kept"
  head -c "$most" -- "$path" > "$kept/$name"
fi
exit $status
`;

/** The report that was kept, on stdout; status 3: there is none. Argument: its name. */
export const reportScript = `
${folder}
[ -f "$kept/$1" ] && [ ! -L "$kept/$1" ] || exit 3
exec cat -- "$kept/$1"
`;

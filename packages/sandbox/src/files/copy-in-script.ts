/** How the script below ends when the destination is the reason. */
export const receiveStatus = { noFolder: 44, inTheWay: 45 } as const;

/**
 * Unpacks the archive on its stdin. Runs inside as the agent's user, in any POSIX shell, with the tar of GNU or
 * of busybox. Arguments: where to, kind of the source, its name, its mode, its time. What it made itself is
 * removed again when it fails.
 */
export const receiveScript = `
set -eu
to=$1 kind=$2 name=$3 mode=$4 time=$5
no_folder() { printf '%s\\n' "$1 is not a folder" >&2; exit ${receiveStatus.noFolder}; }
in_the_way() { printf '%s\\n' "$1" >&2; exit ${receiveStatus.inTheWay}; }
case $to in /*) ;; *) to=./$to ;; esac

if [ "$kind" = archive ]; then
  [ -d "$to" ] || no_folder "$to"
  exec tar -xopf - -C "$to"
fi

target=$to
if [ -d "$to" ]; then
  [ -z "$name" ] || target=\${to%/}/$name
elif [ -e "$to" ] && [ "$kind" = tree ]; then
  in_the_way "$to is a file, and a folder is copied"
elif [ "$kind" = file ]; then
  case $to in */) no_folder "$to" ;; esac
fi
case $target in */) target=\${target%/} ;; esac
parent=\${target%/*}
[ -d "\${parent:-/}" ] || no_folder "\${parent:-/}"

if [ "$kind" = tree ]; then
  if [ -d "\${target:-/}" ]; then exec tar -xopf - -C "\${target:-/}"; fi
  if [ -e "$target" ] || [ -L "$target" ]; then in_the_way "$target is a file, and a folder is copied"; fi
  mkdir -- "$target"
  trap 'rm -rf -- "$target"' EXIT
  tar -xopf - -C "$target"
  chmod "$mode" "$target"
  touch -d "$time" "$target"
  trap - EXIT
  exit 0
fi

if [ -d "$target" ]; then in_the_way "$target is a folder, and a file is copied"; fi
place=$(mktemp -d "$parent/.opentiger-copy-XXXXXX")
trap 'rm -rf -- "$place"' EXIT
tar -xopf - -C "$place"
mv -f -- "$place/entry" "$target"
`;

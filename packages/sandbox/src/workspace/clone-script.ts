/** How the script below ends when there is a repository already that it may not remove. */
export const cloneStatus = { occupied: 65 } as const;

/**
 * Makes a repository of the bundle on stdin. Runs inside as the agent's user, before any agent does: a repository that
 * is there already is the template's, of the sandbox that was saved, and makes room with all around it. Arguments:
 * the folder, the branch (empty: detached), the commit (empty: none yet), the object format, the address to name
 * `origin` (empty: none), then the commits at which a shallow history ends.
 *
 * The shell reads the few lines of the header and git the pack that follows, straight from stdin: nothing is kept
 * on the way, and no process is started that is not needed. On a branch without commits, `reset` makes the first
 * one. Content filters are off, so pointers to large files stay pointers.
 */
export const cloneScript = `
set -eu
path=$1 branch=$2 commit=$3 format=$4 origin=$5
shift 5
[ -d "$path" ] || mkdir -p -- "$path"
cd -- "$path"
empty() { rm -rf -- ./..?* ./.[!.]* ./* 2> /dev/null; }
if [ -e .git ] || [ -L .git ]; then
  empty || { chmod -R u+rwX . 2> /dev/null; empty; } || exit ${cloneStatus.occupied}
fi
git init -q --template= --object-format="$format" --initial-branch="\${branch:-main}" .
mkdir .git/info .git/hooks &
[ -z "$origin" ] || git remote add origin "$origin"
if [ -n "$commit" ]; then
  [ $# -eq 0 ] || printf '%s\\n' "$@" > .git/shallow
  while IFS= read -r line && [ -n "$line" ]; do :; done
  git index-pack --stdin > /dev/null
  [ -n "$branch" ] || git update-ref --no-deref HEAD "$commit"
  git -c core.hooksPath=/dev/null -c filter.lfs.smudge= -c filter.lfs.process= -c filter.lfs.required=false \\
    reset -q --hard "$commit"
fi
wait
`;

/** Sets the refs that stdin names. Argument: the folder. */
export const refsScript = `
cd -- "$1" && exec git update-ref --stdin
`;

/** Ties submodules that were put in to the repository around them. Arguments: its folder, then their paths. */
export const submodulesScript = `
set -eu
cd -- "$1"
shift
git submodule --quiet init -- "$@"
git submodule --quiet absorbgitdirs -- "$@"
`;

/**
 * How the script below ends when something is in its way that it may not remove, and when the objects that are there
 * are not what they were said to be.
 */
export const cloneStatus = { occupied: 65, useless: 66 } as const;

/** Folders that only root writes come first: whoever worked here before may have left a `git` in one of its own. */
const ownTools = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH";

/**
 * Makes a repository of the bundle on stdin, or brings the one that is there to another commit. Runs inside as the
 * agent's user. Arguments: the folder, the branch (empty: detached), the commit (empty: none yet), the object format,
 * the address to name `origin` (empty: none), what stays of a repository that is there already, whether a bundle
 * comes on stdin (empty: the objects are there), then the commits at which a shallow history ends.
 *
 * What stays is "nothing", its "objects" or "all" of it. All is for one that this script left and nobody has worked
 * in since. Of any other one, settings, hooks, refs and index are made anew, since they may have been made to lie;
 * with the objects stays what it is told to ignore, and its submodules. Files that are the commit's already are not
 * written again, what git ignores is left alone, and every other file goes.
 *
 * The shell reads the few lines of the header and git the pack that follows, straight from stdin: nothing is kept
 * on the way, and no process is started that is not needed. On a branch without commits, `reset` makes the first
 * one. Content filters are off, so pointers to large files stay pointers.
 */
export const cloneScript = `
set -eu
${ownTools}
path=$1 branch=$2 commit=$3 format=$4 origin=$5 stays=$6 bundle=$7
shift 7
[ -d "$path" ] || mkdir -p -- "$path"
cd -- "$path"
plain() {
  git -c core.hooksPath=/dev/null -c filter.lfs.clean= -c filter.lfs.smudge= -c filter.lfs.process= \\
    -c filter.lfs.required=false "$@"
}
remove() { rm -rf -- "$@" 2> /dev/null || { chmod -R u+rwX . 2> /dev/null; rm -rf -- "$@"; } || exit ${cloneStatus.occupied}; }
others() { plain clean -ffdq 2> /dev/null || { chmod -R u+rwX . 2> /dev/null; plain clean -ffdq; } || exit ${cloneStatus.occupied}; }
there=
if [ -e .git ] || [ -L .git ]; then there=yes; fi
for folder in .git .git/objects .git/objects/pack; do
  if [ "$stays" = objects ] && { [ -L $folder ] || [ ! -d $folder ]; }; then exit ${cloneStatus.useless}; fi
done
case $there$stays in
  yesobjects)
    [ -f .git/info/exclude ] && [ ! -L .git/info ] && [ ! -L .git/info/exclude ] || remove .git/info
    for entry in .git/* .git/.[!.]* .git/..?* .git/info/*; do
      case $entry in .git/objects | .git/modules | .git/info | .git/info/exclude) ;; *) remove "$entry" ;; esac
    done
    remove .git/objects/info .git/objects/pack/multi-pack-index* .git/objects/pack/*.bitmap .git/objects/pack/*.promisor
    ;;
  yesall) remove .git/refs .git/packed-refs .git/logs && mkdir -p .git/refs/heads .git/refs/tags ;;
  *) remove .git ;;
esac
if [ "$stays" != all ]; then
  git init -q --template= --object-format="$format" --initial-branch="\${branch:-main}" .
  mkdir -p .git/info .git/hooks &
  [ -z "$origin" ] || git remote add origin "$origin"
fi
if [ -n "$commit" ]; then
  [ $# -eq 0 ] || printf '%s\\n' "$@" > .git/shallow
  if [ -n "$bundle" ]; then
    while IFS= read -r line && [ -n "$line" ]; do :; done
    git index-pack --stdin --fix-thin > /dev/null
  fi
  if [ -n "$branch" ]; then echo "ref: refs/heads/$branch" > .git/HEAD; else echo "$commit" > .git/HEAD; fi
  if [ -n "$there" ] && [ "$stays" != all ]; then
    [ "$stays" = nothing ] || git rev-list --quiet --objects --no-walk "$commit" || exit ${cloneStatus.useless}
    plain read-tree "$commit"
    plain update-index -q --refresh > /dev/null || :
  fi
  plain reset -q --hard "$commit"
fi
if [ -n "$there" ]; then others; fi
if [ -d .git/modules ]; then
  git ls-files --stage | sed -n 's/^160000 [0-9a-f]* 0[[:space:]]//p' | while IFS= read -r inner; do
    [ -e "$inner/.git" ] || continue
    plain submodule --quiet init -- "$inner" &&
      plain submodule --quiet update --force --no-fetch -- "$inner" || { remove "$inner" && mkdir -- "$inner"; }
  done
fi
wait
`;

/** More than enough to find one that both sides have, also where somebody has committed a while inside. */
const mostNamed = 100;

/**
 * Says what a repository that is there already has: the object format, "shallow" and the commits at which its history
 * ends, "commit" and the newest ones of its history. Says nothing where there is none. Argument: the folder.
 */
export const heldScript = `
${ownTools}
cd -- "$1" 2> /dev/null && [ -d .git ] && [ ! -L .git ] || exit 0
git rev-parse --show-object-format 2> /dev/null || exit 0
[ ! -f .git/shallow ] || sed 's/^/shallow /' .git/shallow
git -c core.commitGraph=false rev-list --max-count=${mostNamed} --branches --tags HEAD -- 2> /dev/null | sed 's/^/commit /'
`;

/** Sets the refs that stdin names. Argument: the folder. */
export const refsScript = `
cd -- "$1" && exec git update-ref --stdin
`;

/**
 * Ties submodules that were put in to the repository around them, in place of those it had before. Arguments: its
 * folder, then their paths.
 */
export const submodulesScript = `
set -eu
cd -- "$1"
shift
rm -rf .git/modules
git submodule --quiet init -- "$@"
git submodule --quiet absorbgitdirs -- "$@"
`;

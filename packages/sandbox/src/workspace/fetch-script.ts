/** How the scripts below end where there is no repository at that very place. */
export const fetchStatus = { noRepository: 66 } as const;

/**
 * Both run inside as the agent's user, in a repository that the agent may have turned into anything: what they
 * print is read as such. Arguments: the folder, then the commits that the host has. Those that are not known
 * inside are left out.
 */
const known = `
cd -- "$1"
shift
if [ ! -e .git ]; then exit ${fetchStatus.noRepository}; fi
known=$(for oid; do printf '%s\\n' "$oid"; done | git cat-file --batch-check='%(objectname) %(objecttype)' |
  sed -n 's/^\\([0-9a-f]*\\) commit$/\\1/p')
head=$(git rev-parse --quiet --verify 'HEAD^{commit}') || head=
`;

/** Writes a bundle of the branches and HEAD to stdout, with all that the host does not have yet. */
export const sendCommitsScript = `
set -eu
${known}
format=$(git rev-parse --show-object-format)
refs=$(git for-each-ref --format='%(objectname) %(refname)' refs/heads)
if [ "$format" = sha1 ]; then echo '# v2 git bundle'; else printf '# v3 git bundle\\n@object-format=%s\\n' "$format"; fi
for oid in $known; do printf -- '-%s\\n' "$oid"; done
[ -z "$refs" ] || printf '%s\\n' "$refs"
[ -z "$head" ] || printf '%s HEAD\\n' "$head"
echo
{
  printf '%s\\n' "$refs" | sed -n 's/ .*//p'
  [ -z "$head" ] || printf '%s\\n' "$head"
  for oid in $known; do printf '^%s\\n' "$oid"; done
} | git pack-objects --revs --thin --stdout --quiet --delta-base-offset
`;

/** More than anyone reads; the first line of the answer is about the work tree, the others are commits. */
const mostNamed = 1000;

/** Prints "uncommitted" or "clean", then a line for each commit that the host does not have: id and subject. */
export const nameCommitsScript = `
set -eu
${known}
state=clean
[ -z "$(git status --porcelain | head -c 1)" ] || state=uncommitted
if git rev-parse --quiet --verify refs/stash > /dev/null; then state=uncommitted; fi
echo "$state"
{
  [ -z "$head" ] || printf '%s\\n' "$head"
  for oid in $known; do printf '^%s\\n' "$oid"; done
} | git rev-list --branches --stdin --max-count=${mostNamed} --format='%H %s'
`;

/**
 * For a shell in the top of a clone: says, as `MODE OID` tab `PATH`, which files git takes for changed since the commit
 * `$1` although they still have its very bytes. Git converts line ends by attributes, and these may be younger than a
 * file. A name that git has to quote is not looked at.
 */
export const untouchedFiles = `untouched_files() (
  export LC_ALL=C
  list=$(git rev-parse --git-dir)/opentiger-changed
  git -c core.fsmonitor=false -c core.quotePath=false diff-index --no-renames --diff-filter=M "$1" |
    sed -n 's/^:100[0-9]* \\(100[0-9]*\\) \\([0-9a-f]*\\) [0-9a-f]* M\\t\\([^"].*\\)$/\\1 \\2\\t\\3/p' > "$list"
  cut -f2 < "$list" | git hash-object --no-filters --stdin-paths | paste - "$list" |
    sed -n 's/^\\([0-9a-f]*\\)\\t\\(100[0-9]* \\1\\t.*\\)$/\\2/p'
  rm -f -- "$list"
)`;

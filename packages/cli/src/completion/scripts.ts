import { completeWord } from "./protocol.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** A few lines that ask the program itself what may come next: they never need to be made again. */
export function completionScript(shell: Shell): string {
  return scripts[shell];
}

const scripts: Record<Shell, string> = {
  bash: `# opentiger: source <(opentiger completion bash)
_opentiger() {
  local line files=
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
    :0) files=yes ;;
    :*) ;;
    *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(opentiger ${completeWord} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ -n "$files" ]; then compopt -o default 2>/dev/null; fi
}
complete -F _opentiger opentiger
`,
  zsh: `#compdef opentiger
# opentiger: source <(opentiger completion zsh)
_opentiger() {
  local line files
  local -a found
  while IFS= read -r line; do
    case "$line" in
    :0) files=yes ;;
    :*) ;;
    *) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done < <(opentiger ${completeWord} "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe opentiger found
  [[ -n "$files" ]] && _files
}
compdef _opentiger opentiger
`,
  fish: `# opentiger: opentiger completion fish | source
function __opentiger_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l lines (opentiger ${completeWord} $words[2..-1] 2>/dev/null)
  if contains -- :0 $lines
    __fish_complete_path (commandline -ct)
  end
  string match -v -r '^:' -- $lines
end
complete -c opentiger -f -a '(__opentiger_complete)'
`,
};

/*
 * Each script hands the words up to the cursor to `hive complete`, which answers with a line for each suggestion: the
 * value, a tab, a description. The words are passed as arguments and never evaluated. `:files` asks for paths.
 */

/** Needs nothing but bash itself, so it also works without the bash-completion package. */
const BASH = `# bash completion for hive: source <(hive completion bash)
_hive_complete() {
  local words value text path
  read -ra words <<<"\${COMP_LINE:0:COMP_POINT}"
  if [[ \${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]]; then words+=(""); fi
  COMPREPLY=()
  while IFS=$'\\t' read -r value text; do
    if [[ $value == :files ]]; then
      while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
    else
      COMPREPLY+=("$value")
    fi
  done < <(hive complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _hive_complete hive
`;

const ZSH = `#compdef hive
# zsh completion for hive: source <(hive completion zsh), or save it as _hive on your fpath
_hive() {
  local value text
  local -a found
  while IFS=$'\\t' read -r value text; do
    if [[ $value == :files ]]; then
      _files
      return
    fi
    found+=("\${value//:/\\\\:}:$text")
  done < <(hive complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe hive found
}
if [[ "\${funcstack[1]}" == _hive ]]; then _hive "$@"; else compdef _hive hive; fi
`;

const FISH = `# fish completion for hive: hive completion fish | source
function __hive_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (hive complete -- $words[2..] 2>/dev/null)
        if test (string split -f1 \\t -- $line) = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c hive -f -a '(__hive_complete)'
`;

/** The completion script of each shell that `hive completion` knows. */
export const SHELL_SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;

export type Shell = keyof typeof SHELL_SCRIPTS;

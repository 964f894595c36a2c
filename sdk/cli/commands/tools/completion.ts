import { USAGE } from '../../frame/exit-codes.ts'
import { CommandFailure } from '../../frame/failure.ts'
import type { Invocation } from '../../frame/invocation.ts'

/** Each script asks `playhouse complete`, so that an update of the package needs no new script. */
const scripts: Readonly<Record<string, string>> = {
	bash: `_playhouse() {
	local IFS=$'\\n'
	COMPREPLY=($(playhouse complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _playhouse playhouse
`,
	zsh: `#compdef playhouse
_playhouse() {
	local -a found
	found=("\${(@f)$(playhouse complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
if [[ "$funcstack[1]" = _playhouse ]]; then _playhouse; else compdef _playhouse playhouse; fi
`,
	fish: `complete -c playhouse -a '(playhouse complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
	powershell: `Register-ArgumentCompleter -Native -CommandName playhouse -ScriptBlock {
	param($word, $ast, $position)
	$words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
	if ($word -eq '') { $words += '""' }
	playhouse complete '--' @words 2>$null | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`,
}

export function run({ args: [shell], terminal }: Invocation<object, [string]>): void {
	const script = scripts[shell]
	if (!script)
		throw new CommandFailure(`${shell} has no completion; use ${Object.keys(scripts).join(', ')}`, USAGE)
	terminal.write(script)
}

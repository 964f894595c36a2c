#!/usr/bin/env node
import packageJson from '../package.json' with { type: 'json' }

const args = process.argv.slice(2)

// Printing the version loads nothing else, because scripts ask for it before each run.
if (args.length === 1 && /^(-V|--version)$/.test(args[0] ?? ''))
	process.stdout.write(`${packageJson.version}\n`)
else {
	const [{ Terminal }, { runProgram }] = await Promise.all([
		import('./frame/terminal.ts'),
		import('./run-program.ts'),
	])
	process.exitCode = await runProgram(args, new Terminal(process))
}

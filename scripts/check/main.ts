import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { readFlags } from '../lib/command-options.ts'
import { root } from '../lib/root.ts'

const bin = (name: string) => join(root, 'node_modules', '.bin', name)
const script = (name: string) => join(root, 'scripts', name)

const checks: { name: string; command: string[] }[] = [
	{ name: 'types', command: [bin('tsc'), '-b'] },
	{ name: 'lint and format', command: [bin('biome'), 'ci', '--colors=off', '.'] },
	{ name: 'walls, test titles and width of SQL', command: [process.execPath, script('check/walls.ts')] },
	{ name: 'banned words', command: [process.execPath, script('check/words.ts')] },
	{ name: 'regular expressions', command: [process.execPath, script('check/expressions.ts')] },
	{ name: 'unused code', command: [bin('knip'), '--no-progress'] },
	{ name: 'openapi.json', command: [process.execPath, script('generate/openapi.ts'), '--check'] },
	{ name: 'generated SDK', command: [process.execPath, script('generate/sdk.ts'), '--check'] },
	{ name: 'lint of openapi.json', command: [process.execPath, script('check/openapi-lint.ts')] },
	{ name: '.env.example', command: [process.execPath, script('generate/env-example.ts'), '--check'] },
	{ name: 'third-party notices', command: [process.execPath, script('generate/notices.ts'), '--check'] },
	{ name: 'links in Markdown', command: [process.execPath, script('check/links.ts')] },
	{ name: 'migrations', command: [process.execPath, script('check/migrations.ts')] },
]

readFlags(`Usage: npm run check

Runs every check of the tree at once:
${checks.map(({ name }) => `  ${name}`).join('\n')}`)

/** All run concurrently, so the slowest one sets the duration. */
const results = await Promise.all(
	checks.map(async ({ name, command: [program = '', ...args] }) => {
		const startedAt = performance.now()
		const child = spawn(program, args, {
			cwd: root,
			stdio: ['ignore', 'pipe', 'pipe'],
			env: { ...process.env, NO_COLOR: '1' },
		})
		const [stdout, stderr, [code]] = await Promise.all([
			text(child.stdout),
			text(child.stderr),
			once(child, 'close'),
		])
		const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
		console.log(`${code === 0 ? 'ok    ' : 'failed'}  ${name} (${seconds} s)`)
		return { name, ok: code === 0, output: `${stdout}${stderr}`.trim() }
	}),
)

for (const { name, ok, output } of results) {
	if (ok) continue
	console.log(`\n--- ${name} ---\n${output}`)
	process.exitCode = 1
}

// The only script that runs on any Node from 18 on. Installs the packages of package-lock.json and starts the
// requested TypeScript command on the pinned Node.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { explainSilence } from './lib/silence.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const programs = join(root, 'node_modules', '.bin')
/** Families of commands: their first argument is a name. Without a program of its own, it goes to `main.ts`. */
const families = ['prove', 'bench', 'operate', 'check']
const [first, ...rest] = process.argv.slice(2)
const named = families.includes(first) && /^[a-z-]+$/.test(rest[0] ?? '') && findScript(`${first}/${rest[0]}`)
const [command, script, args] = named
	? [`${first}/${rest[0]}`, named, rest.slice(1)]
	: [first, findScript(first), rest]

if (!/^[a-z-]+(\/[a-z-]+)?$/.test(command ?? '') || !script)
	fail(
		`${command ? `Unknown command ${command}` : 'No command given'}; list commands with "npm run", then add -- --help`,
	)
process.env.PATH = `${programs}${delimiter}${process.env.PATH ?? ''}`
// Node keeps the compiled code of packages here, so that later commands start about a quarter sooner.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'compile')
// Keeps the memory of a server small (docs/decisions/0044-memory-of-one-machine.md).
const leanOptions = ['--max-semi-space-size=1', '--expose-gc']
const leanMemory = {
	MALLOC_ARENA_MAX: '1',
	MALLOC_MMAP_THRESHOLD_: '131072',
	MALLOC_TRIM_THRESHOLD_: '131072',
}
if (!isInstalled()) await install()
runCommand()

function findScript(name) {
	return [`${name}.ts`, join(`${name}`, 'main.ts')]
		.map((path) => join(root, 'scripts', path))
		.find((path) => existsSync(path))
}

/** npm lists node_modules in this file when an installation is complete; compare it with the lock file. */
function isInstalled() {
	const wanted = packagesIn(join(root, 'package-lock.json'))
	const present = packagesIn(join(root, 'node_modules', '.package-lock.json'))
	if (!wanted || !present || !existsSync(join(programs, 'node'))) return false
	return Object.entries(wanted).every(([path, { version, optional, devOptional }]) => {
		// Packages for other systems are never installed, and an optional package may fail to build.
		if (path === '' || ((optional || devOptional) && !present[path])) return true
		return present[path]?.version === version
	})
}

function packagesIn(file) {
	try {
		return JSON.parse(readFileSync(file, 'utf8')).packages
	} catch {
		return undefined
	}
}

async function install() {
	console.error('Installing packages (npm ci) …')
	// `npm start` sets this to the running npm, which need not be on PATH.
	const npm = process.env.npm_execpath
	const [program, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
	const silence = explainSilence(
		'packages come from the npm registry: check the network, and behind a proxy set HTTPS_PROXY. npm keeps trying; Ctrl-C stops it',
	)
	// npm reports each download with this level only. They are not printed.
	const child = spawn(
		program,
		[...first, 'ci', '--include=dev', '--include=optional', '--no-fund', '--no-audit', '--loglevel=http'],
		{ cwd: root, stdio: ['ignore', 2, 'pipe'] },
	)
	// npm ends on a signal only after its requests. Nothing counts as installed until it has finished.
	const stop = () => {
		child.kill('SIGKILL')
		process.exit(1)
	}
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
	createInterface({ input: child.stderr }).on('line', (line) => {
		const [, attempt] = /^npm http (?:fetch|cache) (.*)$/.exec(line) ?? []
		if (attempt === undefined) console.error(line)
		else if (/ failed with /.test(attempt)) silence.failed(attempt)
		else silence.arrived()
	})
	const code = await new Promise((resolve) => {
		child.on('close', resolve)
		child.on('error', (error) =>
			fail(`npm could not start: ${error.message}; install npm, then run this command again`),
		)
	})
	silence.end()
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, stop)
	if (code !== 0) fail('npm ci failed; see the lines above')
}

function runCommand() {
	const isServer = command === 'start' || command === 'dev'
	if (command === 'start') Object.assign(process.env, leanMemory)
	const node = join(programs, 'node')
	const nodeOptions = ['--disable-warning=ExperimentalWarning', ...(command === 'start' ? leanOptions : [])]
	const isOnTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
	// A service has no Ctrl-C, so nothing has to wait here: this process becomes the server, which saves 25 MB. Linux ends
	// workerd and the transcoder with the server (scripts/lib/die-with-parent.ts).
	if (command === 'start' && !isOnTerminal && process.platform === 'linux' && process.execve)
		process.execve(node, ['node', ...nodeOptions, script, ...args], process.env)
	// Ctrl-C in a terminal signals every process of the group. `start` and `dev` must keep the Worker running until the
	// transcoder has returned its tasks, so they get their own group. The IPC channel lets them notice when this
	// process ends.
	const child = spawn(node, [...nodeOptions, script, ...args], {
		detached: isServer,
		stdio: ['inherit', 'inherit', 'inherit', ...(isServer ? ['ipc'] : [])],
	})
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
	child.on('error', (error) => fail(`the pinned Node could not start: ${error.message}`))
	child.on('exit', (code) => process.exit(code ?? 1))
}

function fail(line) {
	console.error(line)
	process.exit(1)
}

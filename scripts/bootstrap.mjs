// The only script that runs on whatever Node a machine has (18 or newer): it installs what package-lock.json
// names and hands over to the TypeScript beside it, on the Node that is pinned there.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const programs = join(root, 'node_modules', '.bin')
const [command, ...args] = process.argv.slice(2)
const script = join(root, 'scripts', `${command}.ts`)

if (!/^[a-z-]+$/.test(command ?? '') || !existsSync(script)) {
	fail(
		`usage: node scripts/bootstrap.mjs start | test | check | deploy | migrate [options]; not: ${command ?? 'nothing'}`,
	)
}
process.env.PATH = `${programs}${delimiter}${process.env.PATH ?? ''}`
if (!isInstalled()) install()
handOver()

/** npm writes its own list of what lies in node_modules when it has finished; ours to see if that is what the lock asks for. */
function isInstalled() {
	const wanted = packagesIn(join(root, 'package-lock.json'))
	const present = packagesIn(join(root, 'node_modules', '.package-lock.json'))
	if (!wanted || !present || !existsSync(join(programs, 'node'))) return false
	return Object.entries(wanted).every(([path, { version, optional, devOptional }]) => {
		// Those for other systems are never there, and one that could not be built is done without.
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

function install() {
	console.error('Installing packages (npm ci) …')
	// Under `npm start` this is the npm that runs already, which need not be on PATH.
	const npm = process.env.npm_execpath
	const [program, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
	const result = spawnSync(
		program,
		[...first, 'ci', '--include=dev', '--include=optional', '--no-fund', '--no-audit', '--loglevel=error'],
		{
			cwd: root,
			stdio: ['ignore', 2, 2],
		},
	)
	if (result.error) fail(`npm could not be run: ${result.error.message}`)
	if (result.status !== 0) fail('npm ci failed; the lines above say why')
}

function handOver() {
	// Ctrl-C in a terminal reaches every program of the group at once. `start` needs its Worker to live until the
	// transcoder has handed its work back, so it gets a group of its own; the channel tells it when we are gone.
	const isServer = command === 'start'
	const child = spawn(join(programs, 'node'), ['--disable-warning=ExperimentalWarning', script, ...args], {
		detached: isServer,
		stdio: ['inherit', 'inherit', 'inherit', ...(isServer ? ['ipc'] : [])],
	})
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
	child.on('error', (error) => fail(`the pinned Node could not be run: ${error.message}`))
	child.on('exit', (code) => process.exit(code ?? 1))
}

function fail(line) {
	console.error(line)
	process.exit(1)
}

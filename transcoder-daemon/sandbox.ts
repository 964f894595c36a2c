import { existsSync, realpathSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import type { Environment } from './config.ts'
import { quietEnv } from './ffmpeg/trial.ts'
import type { Hardware } from './machine.ts'
import { seccompFilter } from './seccomp.ts'
import type { Access } from './tasks/task.ts'

const TRIAL_MS = 15_000
const GIB = 1024 ** 3
/** No file that a program of ours writes is larger than the largest source. */
const FILE_BYTES = 16 * GIB
/** Drivers of graphics cards open a hundred or two. */
const OPEN_FILES = 1_024
/** Each thread of a program reserves address space that it does not use. */
const ADDRESS_BYTES_PER_CORE = GIB

export type Limits = { cpuSeconds: number; addressBytes: number | null; fileBytes: number }

/** What this system has to hold a program in. */
export type Tools = {
	setpriv: string | null
	prlimit: string | null
	bwrap: string | null
	/** File with the filter of system calls that bubblewrap puts around a program. */
	seccomp: string | null
	/** Of hardware; only where it is used. */
	devices: readonly string[]
	/** All that a program sees of the daemon's environment, which holds secrets. */
	env: Readonly<Record<string, string>>
}

export type Sandbox = {
	tools: Tools
	confine(command: readonly string[], access: Access, limits: Limits): readonly string[]
	/** Whether a program that a hostile file took over is kept from the daemon's secrets and from the network. */
	isConfining: boolean
	/** In words, why not all of it works here. */
	gaps: string[]
}

type Making = {
	program: string
	usesHardware: boolean
	/** Kept as long as the sandbox is used. */
	dir: string
	env: Environment
}

/** Tries what there is with a real program, once, at the start. */
export async function buildSandbox(
	{ program, usesHardware, dir, env }: Making,
	signal: AbortSignal,
): Promise<Sandbox> {
	const path = env.PATH ?? '/usr/bin:/bin'
	const find = (name: string) =>
		path
			.split(':')
			.filter(Boolean)
			.map((dir) => join(dir, name))
			.find(existsSync) ?? null
	const bare: Tools = {
		setpriv: null,
		prlimit: null,
		bwrap: null,
		seccomp: null,
		devices: usesHardware ? await findDevices() : [],
		env: programEnv(env, path),
	}
	const works = (tools: Tools) => tryTools(program, tools, signal)
	const gaps: string[] = []
	const tools = { ...bare }
	for (const [name, loss] of [
		['setpriv', 'programs may outlive a daemon that is killed'],
		['prlimit', 'programs may take all memory and disk'],
		['bwrap', 'programs can read what the daemon can, and reach the network; install bubblewrap'],
	] as const) {
		const found = find(name)
		const problem = found ? await works({ ...tools, [name]: found }) : 'it is not installed'
		if (problem === null) tools[name] = found
		else gaps.push(`${name}: ${problem}: ${loss}`)
	}
	if (tools.bwrap) {
		const filter = await writeFilter(dir)
		const problem = filter ? await works({ ...tools, seccomp: filter }) : `not made for ${process.arch} yet`
		if (problem === null) tools.seccomp = filter
		else gaps.push(`seccomp: ${problem}: programs may use all of the kernel`)
	}
	return {
		tools,
		gaps,
		isConfining: tools.bwrap !== null,
		confine: (command, access, limits) => wrapCommand(command, access, limits, tools),
	}
}

async function writeFilter(dir: string): Promise<string | null> {
	const filter = seccompFilter()
	if (!filter) return null
	const path = join(dir, 'seccomp.bpf')
	await writeFile(path, filter, { mode: 0o600 })
	return path
}

export function limitsFor(
	{ cores, memoryBytes }: Hardware,
	deadlineSec: number,
	usesHardware: boolean,
): Limits {
	return {
		cpuSeconds: deadlineSec * cores,
		// Drivers of graphics cards map far more address space than there is memory.
		addressBytes: usesHardware ? null : memoryBytes + cores * ADDRESS_BYTES_PER_CORE,
		fileBytes: FILE_BYTES,
	}
}

/**
 * The command line around a command line. Each of these programs becomes the next one (`exec`), so that descriptors
 * from 3 on arrive, and a signal meets the right process.
 */
export function wrapCommand(
	command: readonly string[],
	{ workDir, readable }: Access,
	limits: Limits,
	{ setpriv, prlimit, bwrap, seccomp, devices, env }: Tools,
): string[] {
	const libraries = env.LD_LIBRARY_PATH?.split(':').filter(existsSync) ?? []
	const seen = [...libraries, ...readable]
	const variables = Object.entries({ ...env, HOME: workDir, TMPDIR: workDir })
	return [
		...(setpriv ? [setpriv, '--pdeathsig', 'KILL', ...(bwrap ? [] : powerless()), '--'] : []),
		...(prlimit ? [prlimit, ...limitOptions(limits), '--'] : []),
		...['/usr/bin/env', '-i', ...variables.map(([name, value]) => `${name}=${value}`)],
		...(bwrap ? filtered([bwrap, ...roomOptions(command[0] ?? '', workDir, seen, devices)], seccomp) : []),
		...command,
	]
}

/** The filter comes in at descriptor 0, the only one that no task reads or writes, and the program gets nothing there. */
const filtered = (room: readonly string[], seccomp: string | null): string[] =>
	seccomp === null
		? [...room, '--']
		: [
				...['/bin/sh', '-c', 'exec "$@" <"$0"', seccomp, ...room, '--seccomp', '0', '--'],
				...['/bin/sh', '-c', 'exec "$@" </dev/null', 'sh'],
			]

/**
 * For `setpriv`. Of root, the powers are taken too, as bubblewrap takes them: SVT-AV1 runs its threads at real-time
 * priority where it may, and nothing else on the machine then gets its turn, heartbeats neither.
 */
export const powerless = (isRoot = process.getuid?.() === 0): string[] => [
	'--no-new-privs',
	...(isRoot ? ['--inh-caps=-all', '--bounding-set=-all'] : []),
]

const limitOptions = ({ cpuSeconds, addressBytes, fileBytes }: Limits) => [
	`--cpu=${Math.ceil(cpuSeconds)}`,
	...(addressBytes === null ? [] : [`--as=${Math.floor(addressBytes)}`]),
	`--fsize=${fileBytes}`,
	...['--core=0', `--nofile=${OPEN_FILES}`, '--rtprio=0', '--msgqueue=0'],
]

/** Programs and their libraries can be read; of all that is ours, the source only; written into, one folder. */
function roomOptions(
	program: string,
	workDir: string,
	readable: readonly string[],
	devices: readonly string[],
): string[] {
	const system = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store', '/opt']
	const settings = [
		'alternatives',
		'ld.so.cache',
		'ld.so.conf',
		'ld.so.conf.d',
		'fonts',
		'OpenCL',
		'vulkan',
		'glvnd',
	]
	const seen = devices.length > 0 ? ['/sys'] : []
	const own = program.startsWith('/usr/') ? [] : [program, realPath(program)]
	return [
		...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
		...['--ro-bind', '/usr', '/usr', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
		...system.flatMap((path) => ['--ro-bind-try', path, path]),
		...settings.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
		...seen.flatMap((path) => ['--ro-bind-try', path, path]),
		...devices.flatMap((path) => ['--dev-bind-try', path, path]),
		...[...own, ...readable].flatMap((path) => ['--ro-bind', path, path]),
		...['--bind', workDir, workDir, '--chdir', workDir],
	]
}

function realPath(path: string): string {
	try {
		return realpathSync(path)
	} catch {
		return path
	}
}

/** Which graphics card, which driver, where libraries are. Nothing else goes in. */
const passed = /^(LD_LIBRARY_PATH|LIBVA_\w+|CUDA_\w+|NVIDIA_\w+|MFX_\w+|ONEVPL_\w+|LANG|LC_ALL|TZ)$/

const programEnv = (env: Environment, path: string) =>
	Object.fromEntries([
		['PATH', path],
		...Object.entries(quietEnv),
		...Object.entries(env).filter(
			(entry): entry is [string, string] => passed.test(entry[0]) && entry[1] !== undefined,
		),
	]) as Record<string, string>

async function findDevices(): Promise<string[]> {
	const names = await readdir('/dev').catch(() => [])
	return [...names.filter((name) => name.startsWith('nvidia')), 'dri', 'kfd']
		.map((name) => join('/dev', name))
		.filter(existsSync)
}

/** null if a program runs so and its fourth pipe arrives; else why not. */
async function tryTools(program: string, tools: Tools, signal: AbortSignal): Promise<string | null> {
	const workDir = await mkdtemp('/tmp/playhouse-trial-')
	try {
		const limits = { cpuSeconds: 60, addressBytes: 4 * GIB, fileBytes: GIB }
		const access = { workDir, readable: [] }
		const piped = await start(wrapCommand(['/bin/sh', '-c', 'echo here >&3'], access, limits, tools))
		if (piped.problem) return piped.problem
		if (piped.heard !== 'here') return 'pipes do not arrive'
		return (await start(wrapCommand([program, '-version'], access, limits, tools))).problem
	} finally {
		await rm(workDir, { recursive: true, force: true })
	}

	async function start([file = '', ...args]: string[]) {
		const run = await execa(file, args, {
			stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
			reject: false,
			timeout: TRIAL_MS,
			killSignal: 'SIGKILL',
			cancelSignal: signal,
			extendEnv: false,
		})
		signal.throwIfAborted()
		const said = String(run.stderr).split('\n')[0]?.slice(0, 200)
		return { heard: run.stdio[3], problem: run.failed ? said || 'it does not work here' : null }
	}
}

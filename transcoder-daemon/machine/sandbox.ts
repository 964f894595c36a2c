import { existsSync, realpathSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import type { MachineKind } from '#schema/contract/video/fleet.ts'
import type { Environment } from '../config.ts'
import type { Access } from '../tasks/task.ts'
import { type Hardware, readHardware } from './machine.ts'
import { buildSeccompFilter } from './seccomp.ts'

/** Without this variable, SVT-AV1 prints its settings at length. */
export const quietEnv = { SVT_LOG: '1' } as const

const TRIAL_MS = 15_000
const GIB = 1024 ** 3
/** Limit of written files: the size of the largest source. */
const FILE_BYTES = 16 * GIB
/** Graphics drivers open a hundred or two. */
const OPEN_FILES = 1_024
/** Each thread reserves address space that it does not use. */
const ADDRESS_BYTES_PER_CORE = GIB

export type Limits = { cpuSeconds: number; addressBytes: number | null; fileBytes: number }

/** Sandbox tools of this system; null for those that are missing or don't work. */
export type Tools = {
	setpriv: string | null
	prlimit: string | null
	bwrap: string | null
	/** Path of the system-call filter that bubblewrap loads. */
	seccomp: string | null
	/** Device files of graphics cards. */
	devices: readonly string[]
	/** The whole environment of programs, because the daemon's own contains secrets. */
	env: Readonly<Record<string, string>>
}

export type Sandbox = {
	tools: Tools
	confine(command: readonly string[], access: Access, deadlineSec: number): readonly string[]
	/** Whether the sandbox protects the daemon's secrets and the network from a compromised program. */
	isConfining: boolean
	/** Missing protections, for display. */
	gaps: readonly string[]
}

type SandboxOptions = {
	program: string
	/** Device files of graphics cards to expose; lifts the memory limit. */
	devices: readonly string[]
	/** Must exist as long as the sandbox is used. */
	dir: string
	env: Environment
}

/** Tries the available tools once, with a real program. */
export async function buildSandbox(
	{ program, devices, dir, env }: SandboxOptions,
	signal: AbortSignal,
): Promise<Sandbox> {
	const path = env.PATH ?? '/usr/bin:/bin'
	const find = (name: string) =>
		path
			.split(':')
			.filter(Boolean)
			.map((dir) => join(dir, name))
			.find(existsSync) ?? null
	const base: Tools = {
		setpriv: null,
		prlimit: null,
		bwrap: null,
		seccomp: null,
		devices,
		env: programEnv(env, path),
	}
	const tryWith = (tools: Tools) => tryTools(program, tools, signal)
	const gaps: string[] = []
	const tools = { ...base }
	for (const [name, consequence] of [
		['setpriv', 'programs may outlive a daemon that is killed'],
		['prlimit', 'programs may use all memory and disk space'],
		['bwrap', 'programs can read what the daemon can, and reach the network; install bubblewrap'],
	] as const) {
		const found = find(name)
		let problem = found ? await tryWith({ ...tools, [name]: found }) : 'it is not installed'
		if (name === 'bwrap' && found && problem !== null && tools.devices.length > 0) {
			const problemWithDevices = problem
			problem = await tryWith({ ...tools, bwrap: found, devices: [] })
			if (problem === null) {
				tools.devices = []
				gaps.push(`devices: ${problemWithDevices}: programs can use no graphics card`)
			}
		}
		if (problem === null) tools[name] = found
		else gaps.push(`${name}: ${problem}: ${consequence}`)
	}
	if (tools.bwrap) {
		const filter = await writeFilter(dir)
		const problem = filter ? await tryWith({ ...tools, seccomp: filter }) : `no filter for ${process.arch}`
		if (problem === null) tools.seccomp = filter
		else gaps.push(`seccomp: ${problem}: programs can use every system call`)
	}
	return sandboxOf(tools, gaps)
}

/** Returns the sandbox of tasks: graphics cards are visible only where ffmpeg encodes with one. */
export const chooseSandbox = (hardwareSandbox: Sandbox, kind: MachineKind): Sandbox =>
	kind === 'cpu' ? removeHardware(hardwareSandbox) : hardwareSandbox

/** Returns the same sandbox without graphics cards, and with limited memory. */
export const removeHardware = ({ tools, gaps }: Sandbox): Sandbox =>
	sandboxOf({ ...tools, devices: [] }, gaps)

const sandboxOf = (tools: Tools, gaps: readonly string[]): Sandbox => ({
	tools,
	gaps,
	isConfining: tools.bwrap !== null,
	confine: (command, access, deadlineSec) =>
		wrapCommand(command, access, limitsFor(readHardware(), deadlineSec, tools.devices.length > 0), tools),
})

async function writeFilter(dir: string): Promise<string | null> {
	const filter = buildSeccompFilter()
	if (!filter) return null
	const path = join(dir, 'seccomp.bpf')
	await writeFile(path, filter, { mode: 0o600 })
	return path
}

function limitsFor({ cores, memoryBytes }: Hardware, deadlineSec: number, usesHardware: boolean): Limits {
	return {
		cpuSeconds: deadlineSec * cores,
		// Graphics drivers map far more address space than the machine has memory.
		addressBytes: usesHardware ? null : memoryBytes + cores * ADDRESS_BYTES_PER_CORE,
		fileBytes: FILE_BYTES,
	}
}

/**
 * Wraps a command line in the sandbox. Each wrapper replaces itself with the next program (`exec`), so that descriptors
 * from 3 on are inherited and signals reach the right process.
 */
export function wrapCommand(
	command: readonly string[],
	{ workDir, readable }: Access,
	limits: Limits,
	{ setpriv, prlimit, bwrap, seccomp, devices, env }: Tools,
): string[] {
	const libraries = env.LD_LIBRARY_PATH?.split(':').filter(existsSync) ?? []
	const readablePaths = [...libraries, ...readable]
	const variables = Object.entries({ ...env, HOME: workDir, TMPDIR: workDir })
	return [
		...(setpriv ? endWithDaemon(setpriv, bwrap ? [] : chooseUnprivilegedOptions()) : []),
		...(prlimit ? [prlimit, ...limitOptions(limits), '--'] : []),
		...['/usr/bin/env', '-i', ...variables.map(([name, value]) => `${name}=${value}`)],
		...(bwrap
			? withSeccomp([bwrap, ...bwrapOptions(command[0] ?? '', workDir, readablePaths, devices)], seccomp)
			: []),
		...command,
	]
}

/**
 * The kernel kills the program with the daemon. If the daemon died first, the program has another parent and does not
 * start.
 */
const endWithDaemon = (setpriv: string, options: readonly string[]): string[] => [
	...[setpriv, '--pdeathsig', 'KILL', ...options, '--'],
	...['/bin/sh', '-c', '[ "$PPID" = "$0" ] && exec "$@"', String(process.pid)],
]

/** Passes the filter at descriptor 0: tasks use all others. The program then reads /dev/null as its standard input. */
const withSeccomp = (bwrapCommand: readonly string[], seccomp: string | null): string[] =>
	seccomp === null
		? [...bwrapCommand, '--']
		: [
				...['/bin/sh', '-c', 'exec "$@" <"$0"', seccomp, ...bwrapCommand, '--seccomp', '0', '--'],
				...['/bin/sh', '-c', 'exec "$@" </dev/null', 'sh'],
			]

/**
 * Options of `setpriv`. Root also loses its capabilities, as under bubblewrap: with them SVT-AV1 runs its threads at
 * real-time priority, which starves the machine, heartbeats included.
 */
export const chooseUnprivilegedOptions = (isRoot = process.getuid?.() === 0): string[] => [
	'--no-new-privs',
	...(isRoot ? ['--inh-caps=-all', '--bounding-set=-all'] : []),
]

const limitOptions = ({ cpuSeconds, addressBytes, fileBytes }: Limits) => [
	`--cpu=${Math.ceil(cpuSeconds)}`,
	...(addressBytes === null ? [] : [`--as=${Math.floor(addressBytes)}`]),
	`--fsize=${fileBytes}`,
	...['--core=0', `--nofile=${OPEN_FILES}`, '--rtprio=0', '--msgqueue=0'],
]

/** Makes programs, libraries and the source readable, and one folder writable. */
function bwrapOptions(
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
	const readablePaths = devices.length > 0 ? ['/sys'] : []
	const programPaths = program.startsWith('/usr/') ? [] : [program, realPath(program)]
	return [
		...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
		...['--ro-bind', '/usr', '/usr', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
		...system.flatMap((path) => ['--ro-bind-try', path, path]),
		...settings.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
		...readablePaths.flatMap((path) => ['--ro-bind-try', path, path]),
		...devices.flatMap((path) => ['--dev-bind-try', path, path]),
		...[...programPaths, ...readable].flatMap((path) => ['--ro-bind', path, path]),
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

/** Variables for graphics cards, drivers, libraries and locale; no others are passed. */
const allowedVariables = /^(LD_LIBRARY_PATH|LIBVA_\w+|CUDA_\w+|NVIDIA_\w+|MFX_\w+|ONEVPL_\w+|LANG|LC_ALL|TZ)$/

const programEnv = (env: Environment, path: string) =>
	Object.fromEntries([
		['PATH', path],
		...Object.entries(quietEnv),
		...Object.entries(env).filter(
			(entry): entry is [string, string] => allowedVariables.test(entry[0]) && entry[1] !== undefined,
		),
	]) as Record<string, string>

/** Returns null if a program runs under these tools with its fourth pipe intact, otherwise the reason. */
async function tryTools(program: string, tools: Tools, signal: AbortSignal): Promise<string | null> {
	const workDir = await mkdtemp('/tmp/playhouse-trial-')
	try {
		const limits = { cpuSeconds: 60, addressBytes: 4 * GIB, fileBytes: GIB }
		const access = { workDir, readable: [] }
		const piped = await start(wrapCommand(['/bin/sh', '-c', 'echo here >&3'], access, limits, tools))
		if (piped.problem) return piped.problem
		if (piped.pipeText !== 'here') return 'pipes are not inherited'
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
		const firstLine = String(run.stderr).split('\n')[0]?.slice(0, 200)
		return { pipeText: run.stdio[3], problem: run.failed ? firstLine || 'it does not work here' : null }
	}
}

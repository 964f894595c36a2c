/** @module-tag ffmpeg */

import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { isForThisMachineOnly } from '../../../scripts/lib/installation/settings.ts'
import { findPrograms } from '../../../transcoder-daemon/ffmpeg/binary.ts'
import { softwareEncoders } from '../../../transcoder-daemon/ffmpeg/encoder-args.ts'
import { findDevices } from '../../../transcoder-daemon/machine/devices.ts'
import {
	buildSandbox,
	chooseSandbox,
	type Tools,
	wrapCommand,
} from '../../../transcoder-daemon/machine/sandbox.ts'
import { buildSeccompFilter, listDeniedCalls } from '../../../transcoder-daemon/machine/seccomp.ts'
import { needs } from '../../support/shared/needs.ts'
import { spawnDaemon } from '../daemon-process.ts'
import { fakeFfmpeg } from '../fake-ffmpeg.ts'
import { temporaryFolder } from '../ffmpeg/programs.ts'

const run = promisify(execFile)
const limits = { cpuSeconds: 60, addressBytes: null, fileBytes: 100_000_000 }
const folder = await temporaryFolder()
afterAll(() => folder[Symbol.asyncDispose]())
const programs = (await findPrograms()) ?? { ffmpeg: '', ffprobe: '' }
const { signal } = new AbortController()
const { tools, isConfining } = await buildSandbox(
	{ program: programs.ffmpeg, devices: [], dir: folder.path, env: process.env },
	signal,
)

/** Runs a command in the sandbox as a task would; returns its output. */
async function confined(command: readonly string[], withTools: Tools = tools): Promise<string> {
	const access = { workDir: folder.path, readable: [] }
	const [file = '', ...args] = wrapCommand(command, access, limits, withTools)
	return (await run(file, args)).stdout
}

test.each<(keyof Tools)[][]>([
	[['setpriv']],
	[['setpriv', 'prlimit']],
	[['setpriv', 'prlimit', 'bwrap']],
	[['setpriv', 'prlimit', 'bwrap', 'seccomp']],
])('the sandbox gives programs no capabilities, whether run by root or not, with %j', async (names) => {
	const some: Tools = { ...tools, setpriv: null, prlimit: null, bwrap: null, seccomp: null }
	for (const name of names) Object.assign(some, { [name]: tools[name] })
	const status = await confined(['/bin/sh', '-c', 'cat /proc/self/status'], some)
	expect(status).toMatch(/^CapEff:\s+0+$/m)
	expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
})

test('a program whose daemon has died is not started', needs({ setpriv: tools.setpriv }), async () => {
	const access = { workDir: folder.path, readable: [] }
	const wrapped = wrapCommand(['/bin/echo', 'started'], access, limits, tools)
	expect(await confined(['/bin/echo', 'started'])).toBe('started\n')
	// The shell stands for the process that adopts the programs of a dead one.
	const adopted = run('/bin/sh', ['-c', '"$@"; exit 0', 'sh', ...wrapped])
	expect((await adopted).stdout).toBe('')
})

test('the sandbox denies programs real-time priority and unlimited files', async () => {
	const text = await confined(['/bin/cat', '/proc/self/limits'])
	expect(text).toMatch(/^Max realtime priority\s+0\s+0/m)
	expect(text).toMatch(/^Max open files\s+1024\s+1024/m)
	expect(text).toMatch(/^Max file size\s+100000000\s+100000000/m)
	expect(text).toMatch(/^Max core file size\s+0\s+0/m)
})

const perl = await stat('/usr/bin/perl').catch(() => null)

describe('the filter of system calls', needs({ bubblewrap: isConfining, perl }), () => {
	/** Prints a line per call: its name and error number. */
	const tryCalls = (calls: readonly (readonly [name: string, number: number, ...args: number[]])[]) =>
		[
			'/usr/bin/perl',
			'-e',
			calls
				.map(
					([name, ...numbers]) => `$! = 0; syscall(${numbers.join(', ')}); print "${name} ", $! + 0, "\\n";`,
				)
				.join(' '),
		] as const
	const errorsOf = async (calls: Parameters<typeof tryCalls>[0], withTools = tools) =>
		Object.fromEntries(
			(await confined(tryCalls(calls), withTools))
				.trim()
				.split('\n')
				.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]),
		)
	const [EPERM, EBADF, ENOSYS, EAFNOSUPPORT] = [1, 9, 38, 97]
	const isX64 = process.arch === 'x64'
	const special = {
		clone: isX64 ? 56 : 220,
		clone3: 435,
		socket: isX64 ? 41 : 198,
		ioctl: isX64 ? 16 : 29,
		listen: isX64 ? 50 : 201,
		getpid: isX64 ? 39 : 172,
	}
	const NEW_USER = 0x10000000

	test('the filter of system calls denies every listed call', async () => {
		const calls = Object.entries(listDeniedCalls(process.arch)).map(
			([name, number]) => [name, number, -1, 0, 0, 0, 0, 0] as const,
		)
		expect(calls.length).toBeGreaterThan(50)
		const errors = await errorsOf(calls)
		expect(new Set(Object.values(errors))).toEqual(new Set([EPERM]))
		// Programs may listen (see below), but nobody gets a connection.
		expect(errors).toMatchObject({ accept: EPERM, accept4: EPERM })
		expect(Object.keys(errors)).toHaveLength(calls.length)
	})

	test('the filter denies only new namespaces, network sockets and terminal injection besides the list', async () => {
		const calls = [
			['clone-user', special.clone, NEW_USER, 0, 0, 0, 0],
			['clone3', special.clone3, 0, 0],
			['inet', special.socket, 2, 1, 0],
			['inet6', special.socket, 10, 1, 0],
			['netlink', special.socket, 16, 3, 0],
			['packet', special.socket, 17, 3, 0],
			['unix', special.socket, 1, 1, 0],
			// CUDA does not start where it can't listen.
			['listen', special.listen, -1, 0],
			['tiocsti', special.ioctl, 0, 0x5412, 0],
			['getpid', special.getpid],
		] as const
		expect(await errorsOf(calls)).toEqual({
			'clone-user': EPERM,
			clone3: ENOSYS,
			inet: EAFNOSUPPORT,
			inet6: EAFNOSUPPORT,
			netlink: EAFNOSUPPORT,
			packet: EAFNOSUPPORT,
			unix: 0,
			listen: EBADF,
			tiocsti: EPERM,
			getpid: 0,
		})
	})

	test('the filter is necessary: some denied calls work in the same sandbox without it', async () => {
		const { ptrace = 0 } = listDeniedCalls(process.arch)
		const calls = [
			['inet', special.socket, 2, 1, 0],
			['ptrace', ptrace, 0, 0, 0, 0],
		] as const
		expect(await errorsOf(calls, { ...tools, seccomp: null })).toEqual({ inet: 0, ptrace: 0 })
		expect(await errorsOf(calls)).toEqual({ inet: EAFNOSUPPORT, ptrace: EPERM })
	})

	test('the filter of system calls lets ffmpeg encode with each encoder and decode the result', async () => {
		for (const encoder of Object.values(softwareEncoders)) {
			const file = join(folder.path, `${encoder}.mp4`)
			const source = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=0.4']
			const quiet = ['-hide_banner', '-nostdin', '-loglevel', 'error', '-y']
			await confined([programs.ffmpeg, ...quiet, ...source, '-c:v', encoder, `file:${file}`])
			const counted = ['-count_frames', '-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0', file]
			expect(await confined([programs.ffprobe, '-loglevel', 'error', ...counted]), encoder).toBe('10\n')
		}
	})

	test('the sandbox hides the filter from the program and leaves descriptor 0 empty', async () => {
		expect(await confined(['/bin/sh', '-c', 'cat; readlink /proc/self/fd/0'])).toBe('/dev/null\n')
		expect(await confined(['/bin/sh', '-c', 'cat /proc/self/status'])).toMatch(/^Seccomp:\s+2$/m)
	})
})

describe('bubblewrap', needs({ bubblewrap: isConfining }), () => {
	test("bubblewrap hides other files and the daemon's environment from a program", async () => {
		await using elsewhere = await temporaryFolder()
		await writeFile(join(elsewhere.path, 'secret'), 'secret')
		const script = `cat ${elsewhere.path}/secret /etc/passwd /root/.bashrc 2>/dev/null; env`
		expect(await confined(['/bin/sh', '-c', `${script}; true`])).not.toMatch(/secret|root:|TOKEN/)
	})

	test('a daemon in bubblewrap uses no encoder whose driver works only outside', async () => {
		await using dir = await temporaryFolder()
		const driver = join(dir.path, 'driver')
		await writeFile(driver, '')
		const script = `case "$*" in *nvenc*) [ -e ${driver} ] || exit 1;; esac; echo frame=12; echo progress=end`
		await using daemon = spawnDaemon({
			PATH: process.env.PATH ?? '',
			FFMPEG_PATH: await fakeFfmpeg(dir.path, ['h264_nvenc', 'libx264'], script),
			PLAYHOUSE_EDGE_URL: 'http://127.0.0.1:9',
			PLAYHOUSE_FLEET_TOKEN: 'a-token-of-enough-characters',
			PLAYHOUSE_DATA_DIR: join(dir.path, 'data'),
		})
		await daemon.waitForLog("can't reach the edge to register")
		const tried = daemon.lines.filter(({ message }) => message === 'encoder tried')
		expect(tried).toMatchObject([
			{ encoder: 'h264_nvenc', proved: false },
			{ encoder: 'libx264', proved: true },
		])
	})
})

describe('graphics cards', () => {
	const card = '/dev/dri/renderD128'
	const access = { workDir: folder.path, readable: [] }
	const build = (path: string) =>
		buildSandbox({ program: '/bin/true', devices: [card], dir: folder.path, env: { PATH: path } }, signal)

	/** Writes a stand-in for bubblewrap that fails if its options contain a text, and otherwise just runs the program. */
	async function fakeBubblewrap(rejected: string): Promise<string> {
		const dir = join(folder.path, `bwrap-${rejected}`)
		await mkdir(dir)
		const path = join(dir, 'bwrap')
		const run = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'
		await writeFile(
			path,
			`#!/bin/sh\ncase "$*" in *${rejected}*) echo "no ${rejected}" >&2; exit 1;; esac\n${run}`,
		)
		await chmod(path, 0o755)
		return `${dir}:/usr/bin:/bin`
	}

	test('graphics cards are visible to tasks only where ffmpeg uses one, and memory is unlimited only there', async () => {
		const sandbox = await build(await fakeBubblewrap('nothing'))
		const withCard = sandbox.confine(['/bin/true'], access, 60).join(' ')
		expect(withCard).toContain(`--dev-bind-try ${card} ${card}`)
		expect(withCard).not.toContain('--as=')
		expect(chooseSandbox(sandbox, 'nvidia')).toBe(sandbox)
		const without = chooseSandbox(sandbox, 'cpu').confine(['/bin/true'], access, 60).join(' ')
		expect(without).not.toContain(card)
		expect(without).toContain('--as=')
	})

	test('graphics cards are given up where the sandbox works only without them', async () => {
		const { tools, gaps, isConfining } = await build(await fakeBubblewrap('renderD128'))
		expect(isConfining).toBe(true)
		expect(tools.devices).toEqual([])
		expect(gaps).toContain('devices: no renderD128: programs can use no graphics card')
	})

	test('graphics cards get their device files from the helper of NVIDIA', async () => {
		await using dir = await temporaryFolder()
		const called = join(dir.path, 'called')
		const cards = join(dir.path, 'gpus')
		const helper = join(dir.path, 'nvidia-modprobe')
		const find = async (load: string) => {
			await writeFile(helper, `#!/bin/sh\n${load}\necho "$*$SECRET" >> ${called}; exit 1`)
			await chmod(helper, 0o755)
			await writeFile(called, '')
			await findDevices({ PATH: `${dir.path}:/bin`, SECRET: 'secret' }, signal, cards)
			return readFile(called, 'utf8')
		}
		expect(await find('')).toBe('-c 255\n-c 0\n-c 0 -u\n')
		// Loading the driver shows its cards.
		expect(await find(`mkdir -p ${cards}/0 ${cards}/1`)).toBe('-c 255\n-c 0 -c 1\n-c 0 -u\n')
	})
})

test('a filter is built for supported processors, and none for others', async () => {
	for (const architecture of ['x64', 'arm64']) {
		const bytes = buildSeccompFilter(architecture)
		expect((bytes?.length ?? 0) % 8).toBe(0)
		// The kernel accepts 4,096 instructions, and jump distances are single bytes.
		expect(bytes?.length).toBeLessThan(4_096 * 8)
	}
	expect(buildSeccompFilter('riscv64')).toBeNull()
})

describe('a machine without a sandbox', () => {
	/** Starts a daemon whose PATH has no sandbox tools; its fake ffmpeg runs anywhere. */
	async function startWithoutSandbox(dir: string, more: Record<string, string> = {}, args: string[] = []) {
		await symlink('/bin/cat', join(dir, 'cat'))
		const env = {
			PATH: dir,
			FFMPEG_PATH: await fakeFfmpeg(dir, ['libx264'], 'echo frame=12; echo progress=end'),
			PLAYHOUSE_EDGE_URL: 'http://127.0.0.1:9',
			PLAYHOUSE_FLEET_TOKEN: 'a-token-of-enough-characters',
			PLAYHOUSE_DATA_DIR: join(dir, 'data'),
		}
		return spawnDaemon({ ...env, ...more }, args)
	}

	test.each([{ PLAYHOUSE_ALLOW_UNSANDBOXED: '' }, { PLAYHOUSE_ALLOW_UNSANDBOXED: 'false' }])(
		'a machine without a sandbox takes no tasks and explains what to do, with %j',
		async (more) => {
			await using dir = await temporaryFolder()
			await using daemon = await startWithoutSandbox(dir.path, more)
			const { message, level } = await daemon.waitForLog('no sandbox works here')
			expect(level).toBe('error')
			expect(message).toContain('install bubblewrap')
			expect(message).toContain('PLAYHOUSE_ALLOW_UNSANDBOXED=true')
			expect((await daemon.ended).code).toBe(78)
			expect(daemon.lines.some(({ message }) => message.includes('register'))).toBe(false)
		},
	)

	test('a machine without a sandbox reports so with --status, after its capabilities', async () => {
		await using dir = await temporaryFolder()
		await using daemon = await startWithoutSandbox(dir.path, { PLAYHOUSE_ALLOW_UNSANDBOXED: '' }, [
			'--status',
		])
		await daemon.waitForLog('works  libx264')
		await daemon.waitForLog('no sandbox works here')
		expect((await daemon.ended).code).toBe(78)
	})

	test('a machine without a sandbox works with a warning if the operator allows it', async () => {
		await using dir = await temporaryFolder()
		await using daemon = await startWithoutSandbox(dir.path, { PLAYHOUSE_ALLOW_UNSANDBOXED: 'true' })
		expect((await daemon.waitForLog('sandbox without bwrap')).level).toBe('warn')
		await daemon.waitForLog("can't reach the edge to register")
	})
})

test.each([
	[{}, true],
	[{ host: '::1' }, true],
	[{ host: '0.0.0.0' }, false],
	[{ host: '127.example.org' }, false],
	[{ trustsProxy: true }, false],
	[{ variables: { PUBLIC_URL: 'https://video.example.org' } }, false],
])('npm start works without a sandbox only if no other machine can reach it: %j, %s', (given, isAllowed) => {
	const settings = { host: '127.0.0.1', trustsProxy: false, variables: {}, ...given }
	expect(isForThisMachineOnly(settings)).toBe(isAllowed)
})

import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
	type FfmpegLaunch,
	ProgramError,
	ProgramTimeoutError,
	readAll,
	runFfmpeg,
	runFfprobe,
} from '../../../transcoder-daemon/ffmpeg/run.ts'
import { programs, temporaryFolder } from './programs.ts'

const launch = (args: readonly string[], more: Partial<FfmpegLaunch> = {}): FfmpegLaunch => ({
	programs,
	args,
	access: { workDir: tmpdir(), readable: [] },
	signal: new AbortController().signal,
	timeoutMs: 60_000,
	...more,
})

/** Runs a shell script in place of ffmpeg, with ffmpeg's arguments. */
const shell = (script: string) => ({
	...programs,
	confine: (command: readonly string[]) => ['/bin/sh', '-c', script, ...command],
})

const countBytes = async (stream: Readable | undefined) => {
	let bytes = 0
	for await (const chunk of stream ?? []) bytes += chunk.length
	return bytes
}

const picture = (seconds: number) => [
	'-f',
	'lavfi',
	'-i',
	`testsrc2=size=320x180:rate=25:duration=${seconds}`,
]
const raw = (fd: number) => ['-c:v', 'rawvideo', '-pix_fmt', 'gray', '-f', 'rawvideo', `pipe:${fd}`]
const countSlowly = async (stream: Readable | undefined) => {
	let bytes = 0
	for await (const chunk of stream ?? []) {
		await setTimeout(20)
		bytes += chunk.length
	}
	return bytes
}

/** Returns whether a process has ended and Node has noticed it. The id is 0 while it is unknown. */
const hasEnded = (pid: number) => {
	if (pid === 0) return false
	try {
		process.kill(pid, 0)
		return false
	} catch {
		return true
	}
}

/** Ignores zombies. */
const isAlive = (pid: number) => {
	const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
	return stdout.trim() !== '' && !stdout.startsWith('Z')
}

test('running ffmpeg reads several outputs at once and reports progress up to the last frame', {
	tags: 'ffmpeg',
}, async () => {
	const reported: number[] = []
	const { value, progress } = await runFfmpeg(
		launch([...picture(2), ...raw(3), ...raw(4)], {
			pipes: 2,
			onProgress: ({ frames }) => reported.push(frames),
		}),
		(pipes) => Promise.all(pipes.map(countBytes)),
	)
	expect(value).toEqual([320 * 180 * 50, 320 * 180 * 50])
	expect(progress.frames).toBe(50)
	expect(reported.at(-1)).toBe(50)
})

test('running ffmpeg reports why the program failed', async () => {
	const run = runFfmpeg(launch(['-i', 'file:/nowhere', ...raw(3)], { pipes: 1 }), ([pipe]) =>
		countBytes(pipe),
	)
	await expect(run).rejects.toThrow(ProgramError)
	await expect(run).rejects.toMatchObject({ stderr: expect.stringContaining('No such file') })
})

test('running ffmpeg reports a missing program', async () => {
	const confine = () => ['/nowhere/ffmpeg']
	const run = runFfmpeg(launch([], { programs: { ...programs, confine } }), async () => {})
	await expect(run).rejects.toThrow(/could not be started.*ENOENT/)
})

test('running ffmpeg rejects status 0 without its end of progress', async () => {
	const run = runFfmpeg(
		launch([], { programs: shell('echo frame=3; echo progress=continue') }),
		async () => {},
	)
	await expect(run).rejects.toThrow('ffmpeg stopped before it was finished')
})

test('an abort of ffmpeg is reported after the whole process group is killed', {
	tags: 'ffmpeg',
}, async () => {
	const stop = new AbortController()
	// Both processes ignore milder signals and hold the pipe open.
	const script = 'trap "" TERM INT; (trap "" TERM; while :; do sleep 1; done) & echo $$ $! >&3; wait'
	let pids: number[] = []
	const run = runFfmpeg(
		launch([], { programs: shell(script), pipes: 1, signal: stop.signal }),
		async ([pipe]) => {
			for await (const chunk of pipe ?? []) {
				pids = String(chunk).trim().split(' ').map(Number)
				stop.abort(new Error('the lease is lost'))
			}
		},
	)
	await expect(run).rejects.toThrow('the lease is lost')
	expect(pids).toHaveLength(2)
	expect(pids.filter(isAlive)).toEqual([])
})

test('a hanging ffmpeg is killed after its timeout', async () => {
	const run = runFfmpeg(launch([], { programs: shell('sleep 1000'), timeoutMs: 200 }), async () => {})
	await expect(run).rejects.toThrow(ProgramTimeoutError)
})

test('a failing reader kills ffmpeg, and its error is reported', async () => {
	const run = runFfmpeg(launch([...picture(1_000), ...raw(3)], { pipes: 1 }), async () => {
		throw new Error('storage is full')
	})
	await expect(run).rejects.toThrow('storage is full')
})

test('running ffmpeg loses no output if it ends before the output is read', async () => {
	await using folder = await temporaryFolder()
	const pidFile = join(folder.path, 'pid')
	const script = `echo $$ >'${pidFile}'; head -c 30000 /dev/zero >&3; head -c 40000 /dev/zero >&4; echo progress=end`
	const { value } = await runFfmpeg(launch([], { programs: shell(script), pipes: 2 }), async (pipes) => {
		await expect
			.poll(async () => hasEnded(Number(await readFile(pidFile, 'utf8').catch(() => ''))))
			.toBe(true)
		return Promise.all(pipes.map(countBytes))
	})
	expect(value).toEqual([30_000, 40_000])
})

test('running ffmpeg ends although nobody reads its short output', async () => {
	const script = 'head -c 30000 /dev/zero >&3; echo progress=end'
	const { value } = await runFfmpeg(launch([], { programs: shell(script), pipes: 1 }), async () => 'unread')
	expect(value).toBe('unread')
})

test('a failing reader of ffmpeg takes no output from another reader', async () => {
	const script = 'exec 3>&-; head -c 200000 /dev/zero >&4'
	let slowReading: Promise<number> | undefined
	const run = runFfmpeg(launch([], { programs: shell(script), pipes: 2 }), async ([closed, slow]) => {
		slowReading = countSlowly(slow)
		await countBytes(closed)
		throw new Error('cut off')
	})
	await expect(run).rejects.toThrow('cut off')
	expect(await slowReading?.catch(() => 'an error')).toBe(200_000)
})

test('the error of ffmpeg is reported when a reader fails because of it', async () => {
	const script = 'echo half >&3; echo "out of memory" >&2; exec 3>&-; exit 9'
	const run = runFfmpeg(launch([], { programs: shell(script), pipes: 1 }), async ([pipe]) => {
		await countBytes(pipe)
		throw new Error('cut off')
	})
	await expect(run).rejects.toMatchObject({ message: 'ffmpeg ended with status 9', stderr: 'out of memory' })
})

test('endless errors of ffmpeg are truncated to their end', async () => {
	const script = 'i=0; while [ $i -lt 5000 ]; do echo "complaint number $i" >&2; i=$((i+1)); done; exit 1'
	const run = runFfmpeg(launch([], { programs: shell(script) }), async () => {})
	const error = await run.catch((error: ProgramError) => error)
	const { stderr } = error as ProgramError
	expect(stderr.length).toBeLessThan(20_000)
	expect(stderr).toMatch(/complaint number 4999$/)
})

test('the output of ffprobe is limited', { tags: 'ffmpeg' }, async () => {
	const args = ['-f', 'lavfi', '-i', 'testsrc2=duration=2', '-show_frames']
	const readLimited = (stdout: Readable) => readAll(stdout, 10_000)
	const oneFrame = await runFfprobe(launch([...args, '-read_intervals', '%+#1']), readLimited)
	expect(oneFrame.value.toString()).toContain('[FRAME]')
	await expect(runFfprobe(launch(args), readLimited)).rejects.toThrow('exceeds 10000 bytes')
})

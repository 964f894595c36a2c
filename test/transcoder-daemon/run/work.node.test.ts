import { randomBytes, randomInt } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LeasedTask } from '#schema/contract/video/leases.ts'
import type { VideoInfo } from '#schema/contract/video/media-info.ts'
import { estimateMemory } from '../../../transcoder-daemon/run/task-memory.ts'
import { corpus } from '../../support/shared/corpus.ts'
import { rung, videoSpec } from '../corpus/encoded.ts'
import { spawnDaemon } from '../daemon-process.ts'
import { type FakeEdge, openFakeEdge } from '../fake-edge.ts'
import { fakeFfmpeg } from '../fake-ffmpeg.ts'

const program = join(import.meta.dirname, '..', 'practice-daemon.ts')
const secret = 'a-token-of-enough-characters'
/** Short, as tests wait for its end, and long enough for a heartbeat on a busy machine. */
const LEASE_SEC = 4

let edge: FakeEdge
let dir: string
let env: Record<string, string>
/** A duration in seconds for which no other process on this machine sleeps. */
let sleepSeconds: number

beforeEach(async () => {
	edge = await openFakeEdge()
	dir = await mkdtemp(join(tmpdir(), 'playhouse-'))
	sleepSeconds = randomInt(100_000, 900_000)
	const ffmpeg = await fakeFfmpeg(
		dir,
		['libx264'],
		`case "$1 $2" in
"-t 1") exit 0;;
"-t 2") exit 3;;
"-t "*) exec /bin/sleep $2;;
esac
echo frame=12; echo progress=end`,
	)
	env = {
		PLAYHOUSE_EDGE_URL: edge.url,
		PLAYHOUSE_FLEET_TOKEN: secret,
		PLAYHOUSE_DATA_DIR: join(dir, 'data'),
		PLAYHOUSE_SLOTS: '1',
		FFMPEG_PATH: ffmpeg,
	}
})
afterEach(async () => {
	await edge[Symbol.asyncDispose]()
	await rm(dir, { recursive: true, force: true })
	expect(edge.problems).toEqual([])
})

const start = (more: Record<string, string> = {}) => spawnDaemon({ ...env, ...more }, [], program)

let made = 0
function inspect(mode: number, source: LeasedTask['source'] = null, leaseSeconds = 60): LeasedTask {
	const id = `tsk_${String(++made).padStart(26, '0')}`
	const spec = { kind: 'inspect', maxDurationSec: mode } as const
	return { id, epoch: 1, spec, source, leaseSeconds, deadlineSec: 600 }
}

/** Whether a sleeping process of this test exists, in a sandbox or outside. */
async function isSleeping(): Promise<boolean> {
	for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
		const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')
		if (line.split('\0').includes(String(sleepSeconds)) && line.startsWith('/bin/sleep')) return true
	}
	return false
}

test('the daemon sends and logs the trace of a task with everything about it', async () => {
	const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
	const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
	const [traced, other] = [{ ...inspect(2), traceparent }, inspect(2)]
	edge.offer(traced, other)
	await using daemon = start()
	await edge.until(() => edge.callsTo('failTask').length === 2)
	const about = (id: string) => edge.calls.filter(({ taskId }) => taskId === id)
	expect(about(traced.id).map((call) => call.traceparent)).toEqual(about(traced.id).map(() => traceparent))
	expect(about(other.id).map((call) => call.traceparent)).toEqual(about(other.id).map(() => undefined))
	// Either task may fail first.
	for (const _ of [traced, other]) await daemon.waitForLog('task failed')
	const logged = daemon.lines.filter(({ message }) => /^task (claimed|failed)/.test(message))
	const tracesOf = (id: string) => logged.filter(({ task }) => task === id).map((line) => line.traceId)
	expect(tracesOf(traced.id)).toEqual([traceId, traceId])
	expect(tracesOf(other.id)).toEqual([undefined, undefined])
})

test('the daemon logs a full disk and pauses before it claims more', async () => {
	const source = { ...edge.addSource('src1', randomBytes(1_000)), sizeBytes: 10 ** 15 }
	edge.offer(inspect(1, source), inspect(1, source))
	await using daemon = start()
	await daemon.waitForLog('the disk is full; claiming no tasks for now')
	await edge.until(() => edge.callsTo('failTask').length === 2)
	for (const { body } of edge.callsTo('failTask'))
		expect(body).toMatchObject({
			reason: 'transient',
			message: 'a machine had no disk space for the video; another one will try',
		})
})

test('the daemon claims a task, loads its source once, completes it, and claims the next', async () => {
	const source = edge.addSource('src1', randomBytes(3_000_000))
	edge.offer(inspect(1, source), inspect(1, source))
	await using daemon = start()
	await edge.until(() => edge.callsTo('completeTask').length === 2)
	await daemon.waitForLog('task done')
	expect(edge.gets).toHaveLength(1)
	const claims = edge.callsTo('claimTask').map(({ body }) => body)
	expect(claims[0]).toMatchObject({ kinds: ['inspect', 'video'], sources: [] })
	await edge.until(() => edge.callsTo('claimTask').length > 2)
	expect(edge.callsTo('claimTask').at(-1)?.body).toMatchObject({ sources: ['src1'] })
	expect(daemon.lines.find(({ message }) => message === 'task done')).toMatchObject({
		kind: 'inspect',
		speed: 2,
	})
	expect(await readdir(join(dir, 'data', 'work'))).toEqual([])
	expect(JSON.stringify(daemon.lines)).not.toContain(secret)
})

const pal = corpus.find(({ name }) => name === 'pal-25')?.video as VideoInfo

test('a small task runs beside a video chunk, and the next chunk starts when that one is nearly done', async () => {
	const chunk = (percent: number): LeasedTask => ({
		...inspect(0, null, 5),
		spec: videoSpec(pal, { frames: percent }),
	})
	edge.offer(chunk(90), chunk(50), chunk(50), inspect(sleepSeconds, null, 5))
	await using daemon = start()
	const claimed = () =>
		daemon.lines.filter(({ message }) => message === 'task claimed').map(({ kind }) => kind)
	// The progress may arrive before or after the claim of the small task.
	await expect.poll(() => claimed().toSorted()).toEqual(['inspect', 'video', 'video'])
	const claims = edge.callsTo('claimTask').length
	const earlierHeartbeats = edge.callsTo('heartbeatTask').length
	// With tasks available, a machine with a free slot claims again at once. A full one only renews its leases.
	await edge.until(() => {
		const renewals = Map.groupBy(
			edge.callsTo('heartbeatTask').slice(earlierHeartbeats),
			({ taskId }) => taskId,
		)
		return renewals.size === 3 && [...renewals.values()].every((calls) => calls.length >= 2)
	})
	expect(edge.callsTo('claimTask')).toHaveLength(claims)
	daemon.kill('SIGKILL')
	await daemon.ended
})

/** A task that needs about half a gigabyte of memory. */
const hd = (percent: number): LeasedTask => ({
	...inspect(0, null, 5),
	spec: videoSpec(pal, { frames: percent, rungs: [rung(1_920, 1_080)] }),
})
/** A task that needs more memory than any machine has. */
const huge = (): LeasedTask => ({
	...inspect(0),
	spec: videoSpec(pal, { rungs: Array.from({ length: 24 }, () => rung(8_192, 4_320)) }),
})
const claimedBy = (daemon: ReturnType<typeof start>) =>
	daemon.lines.filter(({ message }) => message === 'task claimed').length

test('a task is returned while others use the memory, and claimed when one has ended', async () => {
	const [first, second, third] = [hd(50), hd(50), hd(50)]
	edge.offer(first, second, third)
	await using daemon = start({ PLAYHOUSE_SLOTS: '2', PLAYHOUSE_MEMORY_GB: '1' })
	await daemon.waitForLog('task returned')
	expect(edge.callsTo('releaseTask').map(({ taskId }) => taskId)).toEqual([second.id])
	expect(edge.callsTo('failTask')).toEqual([])
	const claims = edge.callsTo('claimTask').length
	expect([claims, claimedBy(daemon)]).toEqual([2, 1])
	edge.withdraw(first.id, 'gone')
	await daemon.waitForLog('task lost')
	await daemon.waitForLog('task claimed')
	expect(edge.callsTo('claimTask')[claims - 1]?.at).toBeLessThan(
		edge.callsTo('heartbeatTask').at(-1)?.at ?? 0,
	)
	daemon.kill('SIGKILL')
	await daemon.ended
})

test('two tasks run at once if there is memory for both', async () => {
	edge.offer(hd(50), hd(50))
	await using daemon = start({ PLAYHOUSE_SLOTS: '2', PLAYHOUSE_MEMORY_GB: '4' })
	await daemon.waitForLog('task claimed')
	await daemon.waitForLog('task claimed')
	expect(edge.callsTo('releaseTask')).toEqual([])
	daemon.kill('SIGKILL')
	await daemon.ended
})

test('a task that needs more than the share of tasks runs alone', async () => {
	const [first, second, third] = [hd(50), hd(50), hd(50)]
	edge.offer(first, second, third)
	// With this many slots, a task gets one thread on every test machine, so the memory that it needs is known.
	const bytes = estimateMemory(first.spec, { threads: 1, cores: 1 })
	await using daemon = start({
		PLAYHOUSE_SLOTS: '64',
		PLAYHOUSE_MEMORY_GB: (bytes / 0.9 / 1e9).toFixed(3),
	})
	await daemon.waitForLog('task claimed')
	await daemon.waitForLog('task returned')
	expect(claimedBy(daemon)).toBe(1)
	edge.withdraw(first.id, 'gone')
	await daemon.waitForLog('task lost')
	await daemon.waitForLog('task claimed')
	expect(claimedBy(daemon)).toBe(2)
	expect(edge.callsTo('releaseTask').map(({ taskId }) => taskId)).toEqual([second.id])
	expect(edge.callsTo('failTask')).toEqual([])
	daemon.kill('SIGKILL')
	await daemon.ended
})

test('a task that needs more memory than the machine has is returned with the amount', async () => {
	edge.offer(huge(), inspect(1))
	await using daemon = start()
	const { body } = await edge.until(() => edge.callsTo('failTask')[0])
	expect(body).toMatchObject({
		reason: 'transient',
		message: expect.stringMatching(
			/^this video needs a machine with about \d{3}\.\d GB of memory; one with \d+\.\d GB returned it$/,
		),
	})
	await daemon.waitForLog('task done')
	expect(edge.callsTo('claimTask')[1]?.body).toMatchObject({ kinds: ['inspect'] })
})

test('a completion is repeated unchanged after its response was lost', async () => {
	edge.injectFaults((op, count) => (op === 'completeTask' && count === 1 ? 'lost' : null))
	edge.offer(inspect(1))
	await using daemon = start()
	await daemon.waitForLog('task done')
	const [first, second] = edge.callsTo('completeTask')
	expect(second?.body).toEqual(first?.body)
	expect(edge.callsTo('failTask')).toEqual([])
})

test('a completion is retried while the edge fails', async () => {
	edge.injectFaults((op, count) => (op === 'completeTask' && count < 4 ? { status: 503 } : null))
	edge.offer(inspect(1))
	await using daemon = start()
	await daemon.waitForLog('task done')
	expect(edge.callsTo('completeTask')).toHaveLength(4)
})

test('a failure of a task is reported as transient, with the reason for the operator', async () => {
	edge.offer(inspect(2))
	await using daemon = start()
	await daemon.waitForLog('task failed')
	const { body } = await edge.until(() => edge.callsTo('failTask')[0])
	expect(body).toMatchObject({
		epoch: 1,
		reason: 'transient',
		message: 'the video could not be processed',
		detail: 'the program ended with 3',
	})
})

test.each(['conflict', 'gone'] as const)(
	'a task stops after a heartbeat response of %s, and the daemon claims the next',
	async (reason) => {
		const task = inspect(sleepSeconds, null, 3)
		edge.offer(task)
		await using daemon = start()
		await daemon.waitForLog('program started')
		await expect.poll(isSleeping).toBe(true)
		edge.withdraw(task.id, reason)
		await daemon.waitForLog('task lost')
		await expect.poll(isSleeping).toBe(false)
		edge.offer(inspect(1))
		await daemon.waitForLog('task done')
		expect(edge.callsTo('completeTask').map(({ taskId }) => taskId)).not.toContain(task.id)
		expect(edge.callsTo('failTask')).toEqual([])
	},
)

test('the work on a task ends when heartbeats fail for the length of the lease', async () => {
	edge.injectFaults((op) => (op === 'heartbeatTask' ? 'hang' : null))
	edge.offer(inspect(sleepSeconds, null, LEASE_SEC))
	await using daemon = start()
	await daemon.waitForLog('program started')
	await daemon.waitForLog('task lost')
	await expect.poll(isSleeping).toBe(false)
	expect(edge.callsTo('failTask')).toEqual([])
})

test('a process that was suspended beyond its lease reports nothing for the task', async () => {
	const task = inspect(sleepSeconds, null, LEASE_SEC)
	edge.offer(task)
	await using daemon = start()
	await daemon.waitForLog('program started')
	await edge.until(() => edge.callsTo('heartbeatTask').length > 0)
	daemon.kill('SIGSTOP')
	const stoppedAt = performance.now()
	// A suspended process shows nothing to wait for. Calls that it sent before may still be in transit.
	await expect.poll(() => performance.now() - stoppedAt).toBeGreaterThan(1_000 * LEASE_SEC + 500)
	const callCount = edge.calls.filter(({ taskId }) => taskId === task.id).length
	daemon.kill('SIGCONT')
	await daemon.waitForLog('task lost')
	expect(edge.calls.filter(({ taskId }) => taskId === task.id)).toHaveLength(callCount)
	await expect.poll(isSleeping).toBe(false)
})

test('the daemon finishes a short task after SIGTERM and then signs off', async () => {
	edge.offer(inspect(3))
	await using daemon = start()
	await daemon.waitForLog('program started')
	daemon.kill('SIGTERM')
	await daemon.waitForLog('task done')
	await daemon.waitForLog('signed off')
	expect(await daemon.ended).toEqual({ code: 0, signal: null })
	const draining = edge.callsTo('heartbeatMachine').find(({ body }) => body.state === 'draining')
	expect(draining?.body).toMatchObject({ running: 1 })
})

test('the daemon returns a task that outlasts the grace period after SIGTERM', async () => {
	const task = inspect(sleepSeconds)
	edge.offer(task)
	await using daemon = start({ PLAYHOUSE_DRAIN_SECONDS: '1' })
	await daemon.waitForLog('program started')
	daemon.kill('SIGTERM')
	await daemon.waitForLog('task returned')
	expect(await daemon.ended).toEqual({ code: 0, signal: null })
	expect(edge.callsTo('releaseTask').map(({ taskId }) => taskId)).toEqual([task.id])
	expect(edge.callsTo('leaveMachine')).toHaveLength(1)
	await expect.poll(isSleeping).toBe(false)
})

test('the daemon stops at once with its programs on a second SIGTERM', async () => {
	edge.offer(inspect(sleepSeconds))
	await using daemon = start()
	await daemon.waitForLog('program started')
	await expect.poll(isSleeping).toBe(true)
	daemon.kill('SIGTERM')
	await daemon.waitForLog('draining')
	daemon.kill('SIGTERM')
	expect(await daemon.ended).toEqual({ code: 143, signal: null })
	await expect.poll(isSleeping).toBe(false)
})

/** A PATH with only these programs. */
async function pathWith(names: readonly string[]): Promise<string> {
	const bin = join(dir, 'bin')
	await mkdir(bin)
	for (const name of ['sh', 'sleep', 'cat', 'env', ...names]) {
		const [found] = (process.env.PATH ?? '')
			.split(':')
			.filter((folder) => folder.startsWith('/usr') || folder === '/bin')
		await symlink(join(found ? '/usr/bin' : '/bin', name), join(bin, name))
	}
	return bin
}

test.each([[['setpriv', 'prlimit', 'bwrap']], [['setpriv', 'prlimit']], [['setpriv']]])(
	'a killed daemon leaves no program running, with %j',
	async (names) => {
		edge.offer(inspect(sleepSeconds))
		await using daemon = start({ PATH: await pathWith(names) })
		await daemon.waitForLog('program started')
		await expect.poll(isSleeping).toBe(true)
		daemon.kill('SIGKILL')
		await daemon.ended
		await expect.poll(isSleeping).toBe(false)
		// Its files remain until the next start.
		expect(await readdir(join(dir, 'data', 'work'))).toHaveLength(1)
		await using next = start()
		await next.waitForLog('registered')
		await edge.until(() => edge.callsTo('claimTask').length > 1)
		expect(await readdir(join(dir, 'data', 'work'))).toEqual([])
	},
)

test('the daemon resumes the download of a source after it was killed', async () => {
	const source = edge.addSource('src1', randomBytes(80 * 1024 ** 2))
	edge.injectStorageFaults((_method, _path, count) => (count > 4 ? 'hang' : null))
	edge.offer(inspect(1, source))
	{
		await using daemon = start()
		await edge.until(() => edge.callsTo('claimTask').length === 1)
		const sources = join(dir, 'data', 'sources')
		const progressFile = async () =>
			(await readdir(sources).catch(() => [])).find((name) => name.endsWith('.json'))
		await expect.poll(progressFile).toBeTruthy()
		const chunks = async () =>
			JSON.parse(await readFile(join(sources, (await progressFile()) ?? ''), 'utf8')).chunks.length
		await expect.poll(chunks).toBe(4)
		daemon.kill('SIGKILL')
		await daemon.ended
	}
	edge.injectStorageFaults(() => null)
	const before = edge.gets.length
	edge.offer(inspect(1, source))
	await using daemon = start()
	await daemon.waitForLog('task done')
	expect(edge.gets.slice(before).map(({ range }) => range)).toEqual([
		`bytes=${64 * 1024 ** 2}-${80 * 1024 ** 2 - 1}`,
	])
})

test('--status shows the current tasks of a running daemon', async () => {
	edge.offer(inspect(sleepSeconds))
	await using daemon = start()
	await daemon.waitForLog('program started')
	const text = async () => {
		await using status = spawnDaemon(env, ['--status'])
		await status.ended
		return status.lines.map(({ message }) => message).join('\n')
	}
	await expect.poll(text).toMatch(/^ +tsk_\d+ inspect 0 % after \d+ s$/m)
	daemon.kill('SIGKILL')
	await daemon.ended
	expect(await text()).toContain('no daemon uses this data directory')
})

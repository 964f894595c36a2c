/** @module-tag ffmpeg */

import { appendFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, describe as group, test } from 'vitest'
import { readNextRelease } from '../../../scripts/lib/runtime/next-release.ts'
import { encodeOnce } from '../../support/shared/media-cache.ts'
import { secretVars } from '../../support/shared/miniflare-worker.ts'
import type { WorkerPoint } from '../../support/shared/worker-points.ts'
import { type SendToEdge, startEdge } from './edge-process.ts'
import { FaultSchedule } from './fault-schedule.ts'
import { describe, drawRuns, type PlannedFault, shortRuns } from './faults.ts'
import { type FaultyMachine, startFaultyMachine } from './faulty-machine.ts'
import { FirstClaims } from './first-claims.ts'
import { signUp, until } from './installation.ts'
import {
	countMachines,
	historyProblems,
	playbackProblems,
	recordHistory,
	storageProblems,
} from './run-checks.ts'

/** Set by npm run prove -- chaos for the long version. */
const { CHAOS_RUNS, CHAOS_SEED = '1', CHAOS_ONLY = '', CHAOS_LANE = '0/1', CHAOS_LEASE } = process.env
const isLong = CHAOS_RUNS !== undefined
/** Duration of the video: long enough for several chunks, so that two machines can share it. */
const SECONDS = isLong ? 40 : 16
const RATE = 10
const TICK_MS = 2_000
/** Longer than FORGOTTEN_AFTER_MS in edge/video/transcoding/jobs/reaper.ts. */
const STALLED_MS = 60_000
/** Long, as test machines may be slow and shared. */
const TIMEOUT_MS = 1_800_000
/** Long enough for heartbeats on a busy machine, and short, as runs with a frozen machine wait for the end of a lease. */
const LEASE_SECONDS = Number(CHAOS_LEASE ?? 10)
const FROZEN_MS = 1_500 * LEASE_SECONDS

/** While an upgrade is proved, the Worker of the next release answers requests, and it reports no points. */
const hasWorkerPoints = (await readNextRelease())?.part !== 'requests'

let folder: string
const vars = { LEASE_SECONDS: `${LEASE_SECONDS}`, ...secretVars }

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'playhouse-chaos-'))
	await Promise.all([makeVideo('standard.mp4', 2), makeVideo('other.mp4', 10)])
}, TIMEOUT_MS)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A video with a key frame every 2 s can be copied, one with a key frame every 10 s can't. */
async function makeVideo(name: string, keySeconds: number): Promise<void> {
	const { FFMPEG_PATH: ffmpeg = 'ffmpeg' } = process.env
	const picture = `testsrc2=size=288x272:rate=${RATE}:duration=${SECONDS},noise=alls=8:allf=t`
	const gop = `${keySeconds * RATE}`
	const args = [
		...['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=duration=${SECONDS}`],
		...['-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '160k', '-maxrate', '200k', '-bufsize', '200k'],
		...['-pix_fmt', 'yuv420p', '-g', gop, '-keyint_min', gop, '-sc_threshold', '0', '-flags', '+cgop'],
		...['-c:a', 'aac', '-movflags', '+faststart'],
	]
	await encodeOnce(ffmpeg, args, join(folder, name))
}

group('two machines process a video with the faults of run', () => {
	const [lane = 0, lanes = 1] = CHAOS_LANE.split('/').map(Number)
	const runs = (isLong ? drawRuns(Number(CHAOS_RUNS), Number(CHAOS_SEED)) : shortRuns)
		.map((plannedFaults) => plannedFaults.filter(({ at }) => hasWorkerPoints || at.source !== 'worker'))
		.map((plannedFaults, index) => {
			return [`${index + 1}: ${plannedFaults.map(describe).join(', and ')}`, plannedFaults, index] as const
		})
		.filter(([name, , index]) => index % lanes === lane && name.includes(CHAOS_ONLY))
	// The long version runs lanes in parallel processes. The short version mostly waits for leases to end.
	const testRun = isLong ? test : test.concurrent
	testRun.for(runs)('%s', { timeout: TIMEOUT_MS }, async ([name, plannedFaults, index]) => {
		const startedAt = performance.now()
		const outcome: RunOutcome = { ended: 'not ended', problems: [], complaints: [] }
		try {
			await runWithFaults(plannedFaults, index, outcome)
		} catch (error) {
			outcome.problems.push(`the run failed: ${error}`)
		}
		const seconds = Math.round((performance.now() - startedAt) / 1_000)
		await report({ name, what: plannedFaults.map(({ what }) => what), seconds, ...outcome })
		expect(outcome.problems).toEqual([])
	})
})

/** How the video of a run ended, all problems that were found, and the warnings that machines logged. */
type RunOutcome = { ended: string; problems: string[]; complaints: string[] }

async function runWithFaults(
	plannedFaults: readonly PlannedFault[],
	index: number,
	outcome: RunOutcome,
): Promise<void> {
	const { problems, complaints } = outcome
	const runFolder = join(folder, `run-${index}`)
	await mkdir(runFolder)
	const schedule = new FaultSchedule(plannedFaults)
	const names = ['a', 'b']
	const claims = new FirstClaims(names)
	const machines: FaultyMachine[] = []
	const installation = await openInstallation(join(runFolder, 'edge'), schedule, machines)
	const { send, owner } = installation
	try {
		for (const [number, name] of names.entries()) {
			const machine = await startFaultyMachine({
				...{ name, number, folder: runFolder, edgeUrl: installation.url(), fleetToken: vars.FLEET_TOKEN },
				...{ claims, schedule, frozenMs: FROZEN_MS, killWorker: installation.kill },
				endLeases: (machine) => endLeases(send, machine),
			})
			machines.push(machine)
		}
		const id = await owner.process(join(folder, index % 2 === 0 ? 'standard.mp4' : 'other.mp4'), 'Film')
		// A machine that registers too late would get no task of the video.
		await Promise.all(machines.map((machine) => machine.waitForRegistration()))
		claims.open()
		const { status, errorMessage = '', playbackId } = await whileTicking(send, () => owner.settled(id))
		await whileTicking(send, () => waitForTasks(send, id))
		outcome.ended = errorMessage ? `${status}: ${errorMessage}` : status
		const expectedError = plannedFaults.find(({ expectedError }) => expectedError)?.expectedError
		if (status === 'ready' && expectedError) problems.push('it is ready, though an error is expected')
		if (status === 'error' && !expectedError?.test(errorMessage))
			problems.push(`it has this error: ${errorMessage}`)
		if (status === 'ready') problems.push(...(await playbackProblems(owner, playbackId, SECONDS * RATE)))
		const history = machines.flatMap(({ proxy }) => proxy.history)
		problems.push(...(await historyProblems(send, history)))
		if (status === 'ready' && (await countMachines(send, id)) !== 2)
			problems.push('one machine processed all of it')

		for (const machine of machines) await machine.end()
		problems.push(...machines.flatMap(({ orphans }) => orphans.map((orphan) => `still running: ${orphan}`)))
		problems.push(...schedule.missed.map((plannedFault) => `did not occur: ${describe(plannedFault)}`))
		problems.push(...(await remainingObjectProblems(send)))
		await owner.delete(id)
		problems.push(...(await remainingObjectProblems(send)))
	} finally {
		claims.end()
		for (const machine of machines) await machine.end()
		complaints.push(...machines.flatMap((machine) => machine.complaints()))
		await installation.stop()
	}
}

/** The Worker of one run, which the faults may kill or freeze. */
async function openInstallation(
	persistTo: string,
	schedule: FaultSchedule,
	machines: readonly FaultyMachine[],
) {
	const onPoint = async (point: string): Promise<void> => {
		const [when = '', where] = point.split(' ')
		const plannedFault = schedule.inWorker(when, where as WorkerPoint)
		if (plannedFault?.what === 'kill-worker') await kill()
		if (plannedFault?.what === 'freeze-worker') await edge.freeze(FROZEN_MS)
	}
	/** Like a power failure: what was not yet written is lost. It starts again at another URL. */
	const kill = async (): Promise<void> => {
		await edge.kill()
		edge = await startEdge(persistTo, vars, onPoint)
		for (const { proxy } of machines) proxy.target = edge.url
	}
	const url = () => edge.url
	let edge = await startEdge(persistTo, vars, onPoint)
	const send: SendToEdge = (question) => edge.send(question)
	await recordHistory(send)
	return { send, url, kill, owner: await signUp(url), stop: () => edge.stop() }
}

/** Runs the cron job that runs each minute in production. */
const tick = (send: SendToEdge) => send({ type: 'cron', expression: '* * * * *' }).catch(() => {})

/** The short version does not wait for retries and for the cron job that resumes jobs whose Worker stopped. */
async function skipRetryDelays(send: SendToEdge): Promise<void> {
	for (const sql of [
		"update tasks set due_at = 0 where state = 'queued'",
		`update jobs set advance_at = min(advance_at, ${Date.now() - STALLED_MS})`,
	])
		await send({ type: 'sql', sql }).catch(() => {})
}

/** The long version waits until leases end. */
async function endLeases(send: SendToEdge, machine: string): Promise<void> {
	if (isLong) return
	const sql = `update tasks set due_at = 0 where state = 'running' and machine_id in (select id from machines where name = ?)`
	await send({ type: 'sql', sql, values: [machine] }).catch(() => {})
}

async function whileTicking<T>(send: SendToEdge, work: () => Promise<T>): Promise<T> {
	const stopping = new AbortController()
	const ticking = (async () => {
		while (!stopping.signal.aborted) {
			if (!isLong) await skipRetryDelays(send)
			await tick(send)
			await new Promise((done) => setTimeout(done, TICK_MS))
		}
	})()
	try {
		return await work()
	} finally {
		stopping.abort()
		await ticking
	}
}

/** Also waits for the downloads, which are made after the asset is ready. */
const waitForTasks = (send: SendToEdge, id: string) =>
	until(async () => {
		const sql = `select count(*) as open from tasks where state in ('queued', 'running') and asset_id = ?`
		const rows = await send<{ open: number }[]>({ type: 'sql', sql, values: [id] }).catch(() => [])
		return rows[0]?.open === 0 || null
	})

/** As a day later, when no more writes can arrive and all scheduled deletions are done. */
async function remainingObjectProblems(send: SendToEdge): Promise<string[]> {
	await send({ type: 'sql', sql: 'update storage_purges set due_at = 0, last_due_at = 0' })
	await until(async () => {
		await tick(send)
		const [row] = await send<{ open: number }[]>({
			type: 'sql',
			sql: 'select count(*) as open from storage_purges',
		})
		return row?.open === 0 || null
	})
	return storageProblems(send)
}

async function report(outcome: object): Promise<void> {
	const { CHAOS_REPORT } = process.env
	if (CHAOS_REPORT) await appendFile(CHAOS_REPORT, `${JSON.stringify(outcome)}\n`)
}

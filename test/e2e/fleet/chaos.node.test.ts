/** @module-tag ffmpeg */

import { appendFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, describe as group, test } from 'vitest'
import { encodeOnce } from '../../support/shared/media-cache.ts'
import { secretVars } from '../../support/shared/miniflare-worker.ts'
import type { WorkerPoint } from '../../support/shared/worker-points.ts'
import {
	historyProblems,
	machinesOf,
	playbackProblems,
	storageProblems,
	watchCompletions,
} from './aftermath.ts'
import { type AskEdge, startEdge } from './edge-process.ts'
import { FaultSchedule } from './fault-schedule.ts'
import { describe, drawRuns, type PlannedFault, shortRuns } from './faults.ts'
import { type FaultyMachine, startFaultyMachine } from './faulty-machine.ts'
import { signUp, until } from './installation.ts'

/** Set by scripts/prove/chaos.ts for the long form. */
const { CHAOS_RUNS, CHAOS_SEED = '1', CHAOS_ONLY = '', CHAOS_LANE = '0/1', CHAOS_LEASE = '15' } = process.env
const isLong = CHAOS_RUNS !== undefined
/** Of the video: enough for chunks that two machines share. */
const SECONDS = isLong ? 40 : 24
const RATE = 10
const TICK_MS = 2_000
/** Longer than FORGOTTEN_AFTER_MS of edge/transcoding/jobs/reaper.ts. */
const FORGOTTEN_MS = 60_000
/** Machines are slow and shared. */
const PATIENCE_MS = 1_800_000
/** Long enough for heartbeats on a busy machine, short enough to wait for its end where a machine is frozen. */
const LEASE_SECONDS = Number(CHAOS_LEASE)
const FROZEN_MS = 1_500 * LEASE_SECONDS

let folder: string
const vars = { LEASE_SECONDS: `${LEASE_SECONDS}`, ...secretVars }

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'playhouse-chaos-'))
	await Promise.all([makeVideo('standard.mp4', 2), makeVideo('other.mp4', 10)])
}, PATIENCE_MS)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A key frame each 2 s can be copied, one each 10 s can't. */
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

group('two machines share a video, and all ends well in spite of', () => {
	const [lane = 0, lanes = 1] = CHAOS_LANE.split('/').map(Number)
	const runs = (isLong ? drawRuns(Number(CHAOS_RUNS), Number(CHAOS_SEED)) : shortRuns)
		.map((plannedFaults, index) => {
			return [`${index + 1}: ${plannedFaults.map(describe).join(', and ')}`, plannedFaults, index] as const
		})
		.filter(([name, , index]) => index % lanes === lane && name.includes(CHAOS_ONLY))
	// The long form runs lanes in parallel processes. The short form mostly waits for leases to end.
	const each = isLong ? test : test.concurrent
	each.for(runs)('%s', { timeout: PATIENCE_MS }, async ([name, plannedFaults, index]) => {
		const begun = performance.now()
		const seen: Seen = { ended: 'it did not', problems: [], complaints: [] }
		try {
			await survive(plannedFaults, index, seen)
		} catch (error) {
			seen.problems.push(`it did not come to its end: ${error}`)
		}
		const seconds = Math.round((performance.now() - begun) / 1_000)
		await report({ name, what: plannedFaults.map(({ what }) => what), seconds, ...seen })
		expect(seen.problems).toEqual([])
	})
})

/** How a run went: how its video ended, all that was wrong, and what machines said of it. */
type Seen = { ended: string; problems: string[]; complaints: string[] }

async function survive(plannedFaults: readonly PlannedFault[], index: number, seen: Seen): Promise<void> {
	const { problems, complaints } = seen
	const runFolder = join(folder, `run-${index}`)
	await mkdir(runFolder)
	const schedule = new FaultSchedule(plannedFaults)
	const gate = Promise.withResolvers<void>()
	const machines: FaultyMachine[] = []
	const installation = await openInstallation(join(runFolder, 'edge'), schedule, machines)
	const { ask, owner } = installation
	try {
		for (const [number, name] of ['a', 'b'].entries()) {
			const machine = await startFaultyMachine({
				...{ name, number, folder: runFolder, edgeUrl: installation.url(), fleetToken: vars.FLEET_TOKEN },
				...{ gate: gate.promise, schedule, frozenMs: FROZEN_MS, killWorker: installation.kill },
				endLeases: (machine) => endLeases(ask, machine),
			})
			machines.push(machine)
		}
		const id = await owner.process(join(folder, index % 2 === 0 ? 'standard.mp4' : 'other.mp4'), 'Film')
		// One that comes when all is done has no share in it.
		await Promise.all(machines.map((machine) => machine.arrived()))
		gate.resolve()
		const { status, errorMessage = '', playbackId } = await whileTicking(ask, () => owner.settled(id))
		await whileTicking(ask, () => jobOver(ask, id))
		seen.ended = errorMessage ? `${status}: ${errorMessage}` : status
		const end = plannedFaults.find(({ ends }) => ends)?.ends
		if (status === 'ready' && end) problems.push('it ended well, though it could not')
		if (status === 'error' && !end?.test(errorMessage)) problems.push(`it ended in error: ${errorMessage}`)
		if (status === 'ready') problems.push(...(await playbackProblems(owner, playbackId, SECONDS * RATE)))
		const history = machines.flatMap(({ proxy }) => proxy.history)
		problems.push(...(await historyProblems(ask, history)))
		if (status === 'ready' && (await machinesOf(ask, id)) !== 2)
			problems.push('it was not shared by two machines')

		for (const machine of machines) await machine.end()
		problems.push(...machines.flatMap(({ orphans }) => orphans.map((orphan) => `went on: ${orphan}`)))
		problems.push(...schedule.missed.map((plannedFault) => `did not occur: ${describe(plannedFault)}`))
		problems.push(...(await leftovers(ask)))
		await owner.delete(id)
		problems.push(...(await leftovers(ask)))
	} finally {
		gate.resolve()
		for (const machine of machines) await machine.end()
		complaints.push(...machines.flatMap((machine) => machine.complaints()))
		await installation.stop()
	}
}

/** A Worker of this run alone, which its faults may kill or stop. */
async function openInstallation(
	persistTo: string,
	schedule: FaultSchedule,
	machines: readonly FaultyMachine[],
) {
	const reach = async (point: string): Promise<void> => {
		const [when = '', where] = point.split(' ')
		const plannedFault = schedule.inWorker(when, where as WorkerPoint)
		if (plannedFault?.what === 'kill-worker') await kill()
		if (plannedFault?.what === 'freeze-worker') await edge.freeze(FROZEN_MS)
	}
	/** As if the power went: what it had not written is gone. It comes back at another address. */
	const kill = async (): Promise<void> => {
		await edge.kill()
		edge = await startEdge(persistTo, vars, reach)
		for (const { proxy } of machines) proxy.target = edge.url
	}
	const url = () => edge.url
	let edge = await startEdge(persistTo, vars, reach)
	const ask: AskEdge = (question) => edge.ask(question)
	await watchCompletions(ask)
	return { ask, url, kill, owner: await signUp(url), stop: () => edge.stop() }
}

/** The schedule is run as it runs each minute elsewhere. */
const tick = (ask: AskEdge) => ask({ ask: 'cron', expression: '* * * * *' }).catch(() => {})

/** The short form does not wait for retries and for the sweep of jobs whose Worker died. */
async function skipRetryDelays(ask: AskEdge): Promise<void> {
	for (const sql of [
		"update tasks set due_at = 0 where state = 'queued'",
		`update jobs set advance_at = min(advance_at, ${Date.now() - FORGOTTEN_MS})`,
	])
		await ask({ ask: 'sql', sql }).catch(() => {})
}

/** The long form waits for their end. */
async function endLeases(ask: AskEdge, machine: string): Promise<void> {
	if (isLong) return
	const sql = `update tasks set due_at = 0 where state = 'running' and machine_id in (select id from machines where name = ?)`
	await ask({ ask: 'sql', sql, values: [machine] }).catch(() => {})
}

async function whileTicking<T>(ask: AskEdge, work: () => Promise<T>): Promise<T> {
	const over = new AbortController()
	const ticking = (async () => {
		while (!over.signal.aborted) {
			if (!isLong) await skipRetryDelays(ask)
			await tick(ask)
			await new Promise((done) => setTimeout(done, TICK_MS))
		}
	})()
	try {
		return await work()
	} finally {
		over.abort()
		await ticking
	}
}

/** Also the files to download, which follow when an asset is ready. */
const jobOver = (ask: AskEdge, id: string) =>
	until(async () => {
		const sql = `select count(*) as open from tasks where state in ('queued', 'running') and asset_id = ?`
		const rows = await ask<{ open: number }[]>({ ask: 'sql', sql, values: [id] }).catch(() => [])
		return rows[0]?.open === 0 || null
	})

/** A day later, when nobody can still be writing and what was noted to be deleted is deleted for the last time. */
async function leftovers(ask: AskEdge): Promise<string[]> {
	await ask({ ask: 'sql', sql: 'update storage_purges set due_at = 0, last_due_at = 0' })
	await until(async () => {
		await tick(ask)
		const [row] = await ask<{ open: number }[]>({
			ask: 'sql',
			sql: 'select count(*) as open from storage_purges',
		})
		return row?.open === 0 || null
	})
	return storageProblems(ask)
}

async function report(outcome: object): Promise<void> {
	const { CHAOS_REPORT } = process.env
	if (CHAOS_REPORT) await appendFile(CHAOS_REPORT, `${JSON.stringify(outcome)}\n`)
}

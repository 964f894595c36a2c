import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, describe as group, test } from 'vitest'
import { getPlayback } from '#schema/contract/playback.ts'
import { type MachineProcess, programsIn, startMachine } from '../../../../scripts/fleet/machine-process.ts'
import { validatePresentation } from '../../../../scripts/hls/validate.ts'
import { secretVars } from '../../../shared/miniflare-worker.ts'
import { type EdgeProcess, startEdge } from './edge-process.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { chooserOf, describe, type Mishap, mishaps } from './faults.ts'
import { type Owner, signUp, until } from './installation.ts'

const run = promisify(execFile)

/** Long enough for a heartbeat or two on a busy machine, short enough to wait for its end. */
const LEASE_SECONDS = 8
const SECONDS = 80
const RATE = 25
/** scripts/prove/chaos.ts asks for more. */
const RUNS = Number(process.env.CHAOS_RUNS ?? 4)
const FIRST = Number(process.env.CHAOS_FIRST ?? 0)

let folder: string
let edge: EdgeProcess
let owner: Owner
const vars = { LEASE_SECONDS: `${LEASE_SECONDS}`, ...secretVars }

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'playhouse-chaos-'))
	await Promise.all([makeVideo('standard.mp4', 50), makeVideo('other.mp4', 250)])
	edge = await startEdge(join(folder, 'edge'), vars)
	owner = await signUp(() => edge.url)
})
afterAll(async () => {
	await edge?.stop()
	await rm(folder, { recursive: true, force: true })
})

/** A key frame each 2 s can be copied, one each 10 s can't. */
async function makeVideo(name: string, gop: number): Promise<void> {
	const picture = `testsrc2=size=256x144:rate=${RATE}:duration=${SECONDS}`
	await run('ffmpeg', [
		...['-v', 'error', '-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=duration=${SECONDS}`],
		...[
			'-c:v',
			'libx264',
			'-preset',
			'ultrafast',
			'-pix_fmt',
			'yuv420p',
			'-g',
			`${gop}`,
			'-keyint_min',
			`${gop}`,
		],
		...[
			'-sc_threshold',
			'0',
			'-flags',
			'+cgop',
			'-c:a',
			'aac',
			'-movflags',
			'+faststart',
			join(folder, name),
		],
	])
}

/** Spread over the list, so that the short form has some of every kind. */
const chosen = Array.from({ length: RUNS }, (_, index) => {
	const step = RUNS >= mishaps.length ? 1 : Math.floor(mishaps.length / RUNS)
	return mishaps[(FIRST + index * step) % mishaps.length] as Mishap
})

group('two machines share two videos, and all ends well though', () => {
	test.each(chosen.map((mishap, index) => [`${index + 1}: ${describe(mishap)}`, mishap] as const))(
		'%s',
		{ timeout: 900_000 },
		async (_, mishap) => {
			const machines = await Promise.all([machineWith('a', mishap), machineWith('b', undefined)])
			const proxies = machines.map(({ proxy }) => proxy)
			try {
				const ids = [
					await owner.process(join(folder, 'standard.mp4'), 'Standard'),
					await owner.process(join(folder, 'other.mp4'), 'Other'),
				]
				const assets = await Promise.all(ids.map((id) => owner.settled(id)))
				for (const asset of assets) expect([asset.status, asset.errorMessage]).toEqual(['ready', undefined])
				await jobsOver(ids)

				for (const { playbackId } of assets) await playsWhole(playbackId)
				expect(problemsIn(proxies)).toEqual([])
				for (const machine of machines) await machine.end()
				expect(await programsIn(folder).then((found) => found.filter(isFfmpeg))).toEqual([])
				for (const asset of assets) await keepsNothingElse(asset.id, asset.playbackId)
				for (const asset of assets) await leavesNothing(asset.id, asset.playbackId)
			} finally {
				for (const machine of machines) await machine.end()
				for (const proxy of proxies) await proxy.close()
			}
		},
	)
})

const isFfmpeg = ({ command }: { command: string }) => /\bff(mpeg|probe)\b/.test(command)

/** The real daemon behind a proxy of its own, started again when it was killed. */
async function machineWith(name: string, mishap: Mishap | undefined) {
	const dataDir = await mkdtemp(join(folder, `machine-${name}-`))
	let ending = false
	let machine: MachineProcess
	const proxy: FaultProxy = await startFaultProxy(
		edge.url,
		chooserOf(mishap, {
			async killMachine() {
				machine.signal('SIGKILL')
				await machine.ended
				start()
			},
			async freezeMachine() {
				const frozen = machine
				frozen.signal('SIGSTOP')
				await new Promise((done) => setTimeout(done, 1_500 * LEASE_SECONDS))
				frozen.signal('SIGCONT')
			},
			killEdge,
		}),
	)
	proxies.add(proxy)
	const start = () => {
		if (ending) return
		machine = startMachine({
			edgeUrl: proxy.url,
			fleetToken: vars.FLEET_TOKEN,
			dataDir,
			name,
			env: { PLAYHOUSE_SLOTS: '2' },
		})
	}
	start()
	return {
		proxy,
		async end() {
			if (ending) return
			ending = true
			proxies.delete(proxy)
			machine.signal('SIGTERM')
			await machine.ended
		},
	}
}

const proxies = new Set<FaultProxy>()

/** As if the power went: what it had not written is gone. It comes back at another address. */
async function killEdge(): Promise<void> {
	await edge.kill()
	edge = await startEdge(join(folder, 'edge'), vars)
	for (const proxy of proxies) proxy.target = edge.url
}

/** The schedule is run all the while, as it runs each minute elsewhere. */
async function tick(): Promise<void> {
	await edge.ask({ ask: 'cron', expression: '* * * * *' }).catch(() => {})
}

const marks = (ids: readonly string[]) => ids.map(() => '?').join(', ')

/** Also the files to download, which follow when an asset is ready. */
async function jobsOver(ids: readonly string[]): Promise<void> {
	await until(async () => {
		await tick()
		const sql = `select count(*) as open from tasks where state in ('queued', 'running') and asset_id in (${marks(ids)})`
		const rows = await edge.ask<{ open: number }[]>({ ask: 'sql', sql, values: [...ids] }).catch(() => [])
		return rows[0]?.open === 0 || null
	})
}

/** Every frame on every rung, and nothing that a strict validator would find. */
async function playsWhole(playbackId: string): Promise<void> {
	const answer = await owner.client().call(getPlayback, { params: { playbackId }, query: {} })
	const { manifestUrl } = answer.data
	const report = await validatePresentation(manifestUrl)
	expect(report.findings.filter(({ level }) => level === 'MUST')).toEqual([])
	const { stdout } = await run('ffprobe', [
		...['-v', 'error', '-count_packets', '-select_streams', 'v'],
		...['-show_entries', 'stream=nb_read_packets', '-of', 'csv=p=0', manifestUrl],
	])
	const counts = [...new Set(stdout.split('\n').map(Number).filter(Boolean))]
	expect(counts).toEqual([SECONDS * RATE])
}

/** From what the machines said and were told: whether two of them were both believed. */
function problemsIn(proxies: readonly FaultProxy[]): string[] {
	const problems: string[] = []
	const epochs = new Map<string, number[]>()
	const accepted = new Map<string, Set<number>>()
	for (const { point, path, status, request, reply } of proxies.flatMap(({ history }) => history)) {
		if (status !== 200) continue
		if (point === 'claim') {
			const task = (reply as { data?: { task?: { id: string; epoch: number } } } | null)?.data?.task
			if (task) epochs.set(task.id, [...(epochs.get(task.id) ?? []), task.epoch])
		}
		if (point === 'complete') {
			const id = /tasks\/([^/]+)\//.exec(path)?.[1] ?? ''
			accepted.set(id, (accepted.get(id) ?? new Set()).add((request as { epoch: number }).epoch))
		}
	}
	for (const [id, seen] of epochs)
		if (new Set(seen).size !== seen.length) problems.push(`${id}: an epoch was given out twice: ${seen}`)
	for (const [id, seen] of accepted) if (seen.size > 1) problems.push(`${id}: accepted of ${[...seen]}`)
	return problems
}

/** Folders of lost leases are gone, or noted to be deleted. */
async function keepsNothingElse(assetId: string, playbackId: string): Promise<void> {
	const sql = `select id, epoch from tasks where state = 'done' and asset_id = ?`
	const done = await edge.ask<{ id: string; epoch: number }[]>({ ask: 'sql', sql, values: [assetId] })
	const folders = new Set(done.map(({ id, epoch }) => `${id}-${epoch}`))
	const stray = async () => {
		await tick()
		const keys = await edge.ask<string[]>({ ask: 'list', bucket: 'MEDIA', prefix: `media/${playbackId}/` })
		const strays = keys.filter((key) => key.split('/').length > 4 && !folders.has(key.split('/')[3] ?? ''))
		return strays.length === 0 || null
	}
	expect(await until(stray)).toBe(true)
}

async function leavesNothing(assetId: string, playbackId: string): Promise<void> {
	await owner.delete(assetId)
	const rest = async () => {
		await tick()
		const media = await edge.ask<string[]>({ ask: 'list', bucket: 'MEDIA', prefix: `media/${playbackId}/` })
		const vault = await edge.ask<string[]>({ ask: 'list', bucket: 'VAULT', prefix: `sources/${assetId}/` })
		return media.length + vault.length === 0 || null
	}
	expect(await until(rest)).toBe(true)
}

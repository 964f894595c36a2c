import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { TaskKind, TaskResult, TaskSpec } from '#schema/contract/video/tasks.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { findOutputLocation } from '../../../edge/video/transcoding/machine-api/output-location.ts'
import { listStoredObjects } from '../../../edge/video/transcoding/plan/result-problem.ts'
import { validatePresentation } from '../../../scripts/operate/hls-validator/validate.ts'
import type { SendToEdge } from './edge-process.ts'
import { type Exchange, taskIn } from './fault-proxy.ts'
import type { Owner } from './installation.ts'

const run = promisify(execFile)

/** Errors of the validator, wrong numbers of frames in variants, and a missing second variant. */
export async function playbackProblems(owner: Owner, playbackId: string, frames: number): Promise<string[]> {
	const { manifestUrl } = (await owner.client().call(getPlayback, { params: { playbackId }, query: {} })).data
	const { findings } = await validatePresentation(manifestUrl)
	const broken = findings
		.filter(({ level }) => level === 'MUST')
		.map(({ where, message }) => `${where}: ${message}`)
	const variants = await variantUrls(manifestUrl)
	const short = await Promise.all(
		variants.map(async (url) => {
			const counted = await countFrames(url)
			return counted === frames ? [] : [`${url}: ${counted} of ${frames} frames`]
		}),
	)
	return [...broken, ...short.flat(), ...(variants.length < 2 ? ['fewer than two rungs'] : [])]
}

async function variantUrls(manifestUrl: string): Promise<string[]> {
	const lines = (await (await fetch(manifestUrl)).text()).split('\n')
	return lines
		.filter((line) => line !== '' && !line.startsWith('#'))
		.map((uri) => new URL(uri, manifestUrl).href)
}

async function countFrames(url: string): Promise<number> {
	const { FFPROBE_PATH: ffprobe = 'ffprobe' } = process.env
	const { stdout } = await run(ffprobe, [
		...['-v', 'error', '-count_packets', '-select_streams', 'v:0'],
		...['-show_entries', 'stream=nb_read_packets', '-of', 'csv=p=0', url],
	])
	return Number.parseInt(stdout, 10)
}

/** Triggers of the database record completions and claims, independently of the Worker's code. */
export async function recordHistory(send: SendToEdge): Promise<void> {
	for (const sql of [
		'create table if not exists recorded_completions (task_id text, epoch integer)',
		'create table if not exists recorded_claims (task_id text, epoch integer, machine_id text)',
		`create trigger if not exists record_completion after update of state on tasks when new.state = 'done' and old.state <> 'done'
			begin insert into recorded_completions values (new.id, new.epoch); end`,
		`create trigger if not exists record_claim after update of epoch on tasks when new.epoch <> old.epoch
			begin insert into recorded_claims values (new.id, new.epoch, new.machine_id); end`,
	])
		await send({ type: 'sql', sql })
}

/** Tasks that were completed twice and epochs that were claimed twice, as recorded by the database and the proxies. */
export async function historyProblems(send: SendToEdge, history: readonly Exchange[]): Promise<string[]> {
	const completedTwice = await send<{ id: string; times: number }[]>({
		type: 'sql',
		sql: `select task_id as id, count(*) as times from recorded_completions group by task_id having count(*) > 1`,
	})
	const claimedTwice = await send<{ id: string; epoch: number }[]>({
		type: 'sql',
		sql: `select task_id as id, epoch from recorded_claims group by task_id, epoch having count(*) > 1`,
	})
	return [
		...completedTwice.map(({ id, times }) => `${id} was accepted ${times} times`),
		...claimedTwice.map(({ id, epoch }) => `${id}: epoch ${epoch} was claimed twice`),
		...contradictionsIn(history),
	]
}

function contradictionsIn(history: readonly Exchange[]): string[] {
	const claimed = new Set<string>()
	const accepted = new Map<string, Set<number>>()
	const problems: string[] = []
	for (const { point, path, status, request, reply } of history) {
		if (status !== 200) continue
		const task = point === 'claim' ? taskIn(reply) : undefined
		const name = task && `${task.id} ${task.epoch}`
		if (name && claimed.has(name)) problems.push(`${name} was claimed twice`)
		if (name) claimed.add(name)
		if (point !== 'complete') continue
		const id = /tasks\/([^/]+)\//.exec(path)?.[1] ?? ''
		accepted.set(id, (accepted.get(id) ?? new Set()).add((request as { epoch: number }).epoch))
	}
	for (const [id, epochs] of accepted)
		if (epochs.size > 1) problems.push(`${id}: completions accepted for epochs ${[...epochs].join(' and ')}`)
	return problems
}

export async function countMachines(send: SendToEdge, assetId: string): Promise<number> {
	const sql = `select count(distinct recorded_claims.machine_id) as machines from recorded_claims join tasks on tasks.id = task_id where asset_id = ?`
	const [row] = await send<{ machines: number }[]>({ type: 'sql', sql, values: [assetId] })
	return row?.machines ?? 0
}

type Row = {
	id: string
	epoch: number
	jobId: string
	assetId: string
	kind: TaskKind
	playbackId: string
	spec: string
	result: string
}

/** Differences between the stored objects of both buckets and those that rows, results and playlists refer to. */
export async function storageProblems(send: SendToEdge): Promise<string[]> {
	const problems: string[] = []
	const referenced = await referencedObjects(send)
	for (const bucket of ['VAULT', 'MEDIA'] as const) {
		const stored = new Set(await send<string[]>({ type: 'list', bucket, prefix: '' }))
		for (const key of stored)
			if (!referenced[bucket].has(key) && !/^(audit-heads|backups|rewind)\//.test(key))
				problems.push(`unreferenced: ${bucket} ${key}`)
		for (const key of referenced[bucket]) if (!stored.has(key)) problems.push(`missing: ${bucket} ${key}`)
	}
	return problems
}

async function referencedObjects(send: SendToEdge): Promise<{ VAULT: Set<string>; MEDIA: Set<string> }> {
	const referenced = { VAULT: new Set<string>(), MEDIA: new Set<string>() }
	const columns = 'source_key, audio_key, ai_audio_key, download_key, frame_key, manifest_key'
	const assets = await send<Record<string, string | null>[]>({
		type: 'sql',
		sql: `select ${columns} from assets`,
	})
	const downloads = await send<Record<string, string | null>[]>({
		type: 'sql',
		sql: 'select download_key from renditions',
	})
	for (const row of [...assets, ...downloads])
		for (const [column, key] of Object.entries(row))
			if (key !== null) referenced[/^(frame|manifest)_/.test(column) ? 'MEDIA' : 'VAULT'].add(key)
	const sql = `select tasks.id, epoch, job_id as jobId, tasks.asset_id as assetId, kind, playback_id as playbackId, spec, result
		from tasks join jobs on jobs.id = job_id where state = 'done' and jobs.status = 'completed'`
	for (const { spec, result, ...task } of await send<Row[]>({ type: 'sql', sql }))
		for (const { name } of listStoredObjects(
			JSON.parse(spec) as TaskSpec,
			JSON.parse(result) as TaskResult,
		)) {
			const { bucket, key } = findOutputLocation(task, task.playbackId, name)
			referenced[bucket === 'media' ? 'MEDIA' : 'VAULT'].add(key)
		}
	for (const { manifest_key: key } of assets) if (key) await addLinkedObjects(send, key, referenced.MEDIA)
	return referenced
}

/** Adds the objects that a playlist and the storyboard refer to. */
async function addLinkedObjects(send: SendToEdge, key: string, found: Set<string>): Promise<void> {
	const text = await send<string | null>({ type: 'text', bucket: 'MEDIA', key })
	const uris = (text ?? '').split('\n').flatMap((line) => {
		const uri = /^(?!#)(\S+\.\w+)(#\S*)?$/.exec(line)?.[1]
		return uri ? [uri] : [...line.matchAll(/URI="([^"]+)"/g)].map(([, uri = '']) => uri)
	})
	for (const uri of new Set(uris)) {
		const next = new URL(uri, `http://bucket/${key}`).pathname.slice(1)
		if (found.has(next)) continue
		found.add(next)
		if (/\.(m3u8|vtt)$/.test(next)) await addLinkedObjects(send, next, found)
	}
	const board = key.replace(/[^/]+$/, 'storyboard.vtt')
	if (/master-\d+\.m3u8$/.test(key) && !found.has(board)) {
		found.add(board)
		await addLinkedObjects(send, board, found)
	}
}

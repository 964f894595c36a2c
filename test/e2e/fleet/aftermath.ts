import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { getPlayback } from '#schema/contract/video/playback.ts'
import type { TaskKind, TaskResult, TaskSpec } from '#schema/contract/video/tasks.ts'
import { outputLocation } from '../../../edge/transcoding/machine-api/output-location.ts'
import { storedObjects } from '../../../edge/transcoding/plan/result-problem.ts'
import { validatePresentation } from '../../../scripts/hls-validator/validate.ts'
import type { AskEdge } from './edge-process.ts'
import { type Exchange, taskIn } from './fault-proxy.ts'
import type { Owner } from './installation.ts'

const run = promisify(execFile)

/** Every frame on every rung, a file to download for each, and nothing that a strict validator would find. */
export async function playbackProblems(owner: Owner, playbackId: string, frames: number): Promise<string[]> {
	const { manifestUrl } = (await owner.client().call(getPlayback, { params: { playbackId }, query: {} })).data
	const { findings } = await validatePresentation(manifestUrl)
	const broken = findings
		.filter(({ level }) => level === 'MUST')
		.map(({ where, message }) => `${where}: ${message}`)
	const variants = await rungsIn(manifestUrl)
	const short = await Promise.all(
		variants.map(async (url) => {
			const counted = await countFrames(url)
			return counted === frames ? [] : [`${url}: ${counted} of ${frames} frames`]
		}),
	)
	return [...broken, ...short.flat(), ...(variants.length < 2 ? ['fewer than two rungs'] : [])]
}

async function rungsIn(manifestUrl: string): Promise<string[]> {
	const lines = (await (await fetch(manifestUrl)).text()).split('\n')
	return lines
		.filter((line) => line !== '' && !line.startsWith('#'))
		.map((uri) => new URL(uri, manifestUrl).href)
}

async function countFrames(url: string): Promise<number> {
	const { stdout } = await run('ffprobe', [
		...['-v', 'error', '-count_packets', '-select_streams', 'v:0'],
		...['-show_entries', 'stream=nb_read_packets', '-of', 'csv=p=0', url],
	])
	return Number.parseInt(stdout, 10)
}

/** Kept by the database itself, whatever the Worker believes it did. */
export async function watchCompletions(ask: AskEdge): Promise<void> {
	for (const sql of [
		'create table if not exists seen_completions (task_id text, epoch integer)',
		'create table if not exists seen_claims (task_id text, epoch integer, machine_id text)',
		`create trigger if not exists see_completion after update of state on tasks when new.state = 'done' and old.state <> 'done'
			begin insert into seen_completions values (new.id, new.epoch); end`,
		`create trigger if not exists see_claim after update of epoch on tasks when new.epoch <> old.epoch
			begin insert into seen_claims values (new.id, new.epoch, new.machine_id); end`,
	])
		await ask({ ask: 'sql', sql })
}

/** Whether a task was done twice, or an epoch given out twice, as the database saw it and as the machines did. */
export async function historyProblems(ask: AskEdge, history: readonly Exchange[]): Promise<string[]> {
	const twice = await ask<{ id: string; times: number }[]>({
		ask: 'sql',
		sql: `select task_id as id, count(*) as times from seen_completions group by task_id having count(*) > 1`,
	})
	const again = await ask<{ id: string; epoch: number }[]>({
		ask: 'sql',
		sql: `select task_id as id, epoch from seen_claims group by task_id, epoch having count(*) > 1`,
	})
	return [
		...twice.map(({ id, times }) => `${id} was accepted ${times} times`),
		...again.map(({ id, epoch }) => `${id}: epoch ${epoch} was given out twice`),
		...contradictionsIn(history),
	]
}

function contradictionsIn(history: readonly Exchange[]): string[] {
	const given = new Set<string>()
	const accepted = new Map<string, Set<number>>()
	const problems: string[] = []
	for (const { point, path, status, request, reply } of history) {
		if (status !== 200) continue
		const task = point === 'claim' ? taskIn(reply) : undefined
		const name = task && `${task.id} ${task.epoch}`
		if (name && given.has(name)) problems.push(`${name} was given out twice`)
		if (name) given.add(name)
		if (point !== 'complete') continue
		const id = /tasks\/([^/]+)\//.exec(path)?.[1] ?? ''
		accepted.set(id, (accepted.get(id) ?? new Set()).add((request as { epoch: number }).epoch))
	}
	for (const [id, epochs] of accepted)
		if (epochs.size > 1) problems.push(`${id}: accepted of ${[...epochs].join(' and ')}`)
	return problems
}

/** Machines that the database gave tasks of an asset to. */
export async function machinesOf(ask: AskEdge, assetId: string): Promise<number> {
	const sql = `select count(distinct seen_claims.machine_id) as machines from seen_claims join tasks on tasks.id = task_id where asset_id = ?`
	const [row] = await ask<{ machines: number }[]>({ ask: 'sql', sql, values: [assetId] })
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

/** What is stored against what rows, results and playlists name, in both buckets. */
export async function storageProblems(ask: AskEdge): Promise<string[]> {
	const problems: string[] = []
	const named = await namedObjects(ask)
	for (const bucket of ['VAULT', 'MEDIA'] as const) {
		const stored = new Set(await ask<string[]>({ ask: 'list', bucket, prefix: '' }))
		for (const key of stored) if (!named[bucket].has(key)) problems.push(`nobody knows ${bucket} ${key}`)
		for (const key of named[bucket]) if (!stored.has(key)) problems.push(`${bucket} ${key} is not there`)
	}
	return problems
}

async function namedObjects(ask: AskEdge): Promise<{ VAULT: Set<string>; MEDIA: Set<string> }> {
	const named = { VAULT: new Set<string>(), MEDIA: new Set<string>() }
	const columns = 'source_key, audio_key, ai_audio_key, download_key, frame_key, manifest_key'
	const assets = await ask<Record<string, string | null>[]>({
		ask: 'sql',
		sql: `select ${columns} from assets`,
	})
	const downloads = await ask<Record<string, string | null>[]>({
		ask: 'sql',
		sql: 'select download_key from renditions',
	})
	for (const row of [...assets, ...downloads])
		for (const [column, key] of Object.entries(row))
			if (key !== null) named[/^(frame|manifest)_/.test(column) ? 'MEDIA' : 'VAULT'].add(key)
	const sql = `select tasks.id, epoch, job_id as jobId, tasks.asset_id as assetId, kind, playback_id as playbackId, spec, result
		from tasks join jobs on jobs.id = job_id where state = 'done' and jobs.status = 'completed'`
	for (const { spec, result, ...task } of await ask<Row[]>({ ask: 'sql', sql }))
		for (const { name } of storedObjects(JSON.parse(spec) as TaskSpec, JSON.parse(result) as TaskResult)) {
			const { bucket, key } = outputLocation(task, task.playbackId, name)
			named[bucket === 'media' ? 'MEDIA' : 'VAULT'].add(key)
		}
	for (const { manifest_key: key } of assets) if (key) await follow(ask, key, named.MEDIA)
	return named
}

/** Playlists and the storyboard name the rest. */
async function follow(ask: AskEdge, key: string, found: Set<string>): Promise<void> {
	const text = await ask<string | null>({ ask: 'text', bucket: 'MEDIA', key })
	const uris = (text ?? '').split('\n').flatMap((line) => {
		const own = /^(?!#)(\S+\.\w+)(#\S*)?$/.exec(line)?.[1]
		return own ? [own] : [...line.matchAll(/URI="([^"]+)"/g)].map(([, uri = '']) => uri)
	})
	for (const uri of new Set(uris)) {
		const next = new URL(uri, `http://bucket/${key}`).pathname.slice(1)
		if (found.has(next)) continue
		found.add(next)
		if (/\.(m3u8|vtt)$/.test(next)) await follow(ask, next, found)
	}
	const board = key.replace(/[^/]+$/, 'storyboard.vtt')
	if (/master-\d+\.m3u8$/.test(key) && !found.has(board)) {
		found.add(board)
		await follow(ask, board, found)
	}
}

import { expect, test } from 'vitest'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import * as contract from '#schema/contract/video/assets.ts'
import type { Deps } from '../../../../../edge/platform/deps.ts'
import { removeAsset } from '../../../../../edge/video/assets/removal.ts'
import { emptyTrash, trashAsset } from '../../../../../edge/video/assets/trash/trash.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { insert, select } from '../../../community/community.ts'
import { makeReady } from '../../../watch/playback/ready-asset.ts'

/** Tables with a row of the asset, for each group of statements in a removal. */
const belongings = [
	'asset_search',
	'asset_terms',
	'spoken_terms',
	'comments',
	'ai_steps',
	'highlights',
	'asset_subtitles',
	'subtitle_translations',
	'translated_batches',
	'tasks',
	'renditions',
	'task_failures',
]

async function addAsset(world: World, ada: Person): Promise<string> {
	const { id } = await makeReady(world, ada)
	const transcript = { language: 'en', segments: [{ start: 0, end: 1, text: 'lighthouse' }] }
	await world.ask(replaceTranscript, { params: { assetId: id }, body: { transcript } }, ada)
	const of = { asset_id: id }
	await insert(world, 'comments', { ...of, id: `${id}_c`, author_name: 'Eve', body: 'Fine', created_at: 0 })
	await insert(world, 'ai_steps', {
		...{ ...of, step: 'chapters', org_id: ada.orgId, job_id: 'job_1', status: 'completed', version: 1 },
		...{ is_forced: 0, is_announced: 1, started_at: 0, updated_at: 0 },
	})
	await addAiRows(world, ada, id)
	await addProcessingRows(world, ada, id)
	return id
}

async function addAiRows(world: World, { orgId: org_id }: Person, id: string): Promise<void> {
	await insert(world, 'highlights', {
		...{
			id: id.replace('ast', 'hlt'),
			asset_id: id,
			org_id,
			title: 'Light',
			description: '',
			start_ms: 0,
			end_ms: 1,
		},
		...{ score: 1, reasons: '[]', status: 'ready', task_id: `${id}_clip`, created_at: 0 },
	})
	const subtitles = { asset_id: id, language: 'de', updated_at: 0 }
	await insert(world, 'asset_subtitles', { ...subtitles, key: `${id}.vtt` })
	await insert(world, 'subtitle_translations', {
		...{ ...subtitles, org_id, source_language: 'en', source_key: 'en.vtt', status: 'completed', version: 1 },
	})
	await insert(world, 'translated_batches', { asset_id: id, language: 'de', first_cue: 0, texts: '[]' })
}

async function addProcessingRows(world: World, { orgId: org_id }: Person, id: string): Promise<void> {
	const job_id = id.replace('ast', 'job')
	const of = { asset_id: id, org_id }
	await insert(world, 'tasks', {
		...{ ...of, id: `${id}_t`, job_id, kind: 'video', position: 0, rank: 0, lane: '{}', state: 'done' },
		...{ due_at: 0, deadline_sec: 60, spec: '{}', weight: 1, created_at: 0 },
	})
	await insert(world, 'task_failures', {
		...{ ...of, task_id: `${id}_t`, epoch: 1, job_id, kind: 'video', reason: 'transient', message: 'lost' },
		created_at: 0,
	})
	await insert(world, 'renditions', {
		...{ asset_id: id, rung_id: 'h264-360', job_id, position: 0, quality: '360p', width: 640, height: 360 },
		...{ bitrate_kbps: 700, codec: 'h264' },
	})
}

const listTables = async (world: World, id: string): Promise<string[]> => {
	const found = await Promise.all(
		belongings.map((table) => select(world, `select 1 from ${table} where asset_id = '${id}' limit 1`)),
	)
	return belongings.filter((_, at) => found[at]?.length)
}

/** Runs a removal whose process dies before or after a batch, and calls `meanwhile` right before a batch. */
async function removeWith(
	world: World,
	ada: Person,
	id: string,
	{ meanwhile, diesAt }: { meanwhile: (deps: Deps, batchNumber: number) => Promise<unknown>; diesAt: number },
): Promise<void> {
	await world.perform(async (deps) => {
		let point = 0
		const pass = () => {
			if (++point === diesAt) throw new Error('died')
		}
		const batch = async (statements: Parameters<typeof deps.db.batch>[0]) => {
			await meanwhile(deps, Math.ceil((point + 1) / 2))
			pass()
			const results = await deps.db.batch(statements)
			pass()
			return results
		}
		const db = new Proxy(deps.db, {
			get: (target, name) => (name === 'batch' ? batch : Reflect.get(target, name)),
		})
		await removeAsset({ ...deps, db }, ada.orgId, id).catch(() => undefined)
	})
}

test('a removal that races a move to the trash deletes everything or nothing, wherever its process dies', async () => {
	const world = await openWorld()
	const ada = await world.person()
	const outcomes: string[] = []
	for (const trashedBefore of [1, 2])
		for (let diesAt = 1; diesAt <= 5; diesAt++) {
			const id = await addAsset(world, ada)
			const before = await listTables(world, id)
			expect(before).toEqual(belongings)
			const meanwhile = async (deps: Deps, batchNumber: number) =>
				batchNumber === trashedBefore && trashAsset(deps, ada.orgId, id).catch(() => undefined)
			await removeWith(world, ada, id, { meanwhile, diesAt })
			await world.perform(emptyTrash)
			world.pass(31 * 60_000)
			await world.perform(emptyTrash)
			const restored = await world.ask(contract.restoreAsset, { params: { assetId: id } }, ada)
			outcomes.push(`${trashedBefore} ${diesAt} ${restored.status}`)
			expect(await listTables(world, id), `${trashedBefore}, ${diesAt}`).toEqual(
				restored.status === 200 ? before : [],
			)
		}
	// A death before the asset is claimed leaves it in the trash, or in the library; later ones delete it.
	expect(outcomes).toEqual([
		...['1 1 200', '1 2 200', '1 3 404', '1 4 404', '1 5 404'],
		...['2 1 200', '2 2 404', '2 3 404', '2 4 404', '2 5 404'],
	])
})

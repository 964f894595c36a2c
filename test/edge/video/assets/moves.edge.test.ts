import { and, eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { AssetStatus, createAsset, getAsset } from '#schema/contract/video/assets.ts'
import { assets } from '#schema/tables/video/assets.ts'
import type { Db } from '../../../../edge/platform/database/database.ts'
import {
	markFailedStatement,
	markProcessingStatement,
	markQueuedStatement,
	markReadyStatement,
} from '../../../../edge/video/assets/moves.ts'
import { canMove, type MoveName } from '../../../../edge/video/assets/states.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
let asset: { id: string; orgId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	const { id } = (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data
	asset = { id, orgId: ada.orgId }
})

const outputs = {
	durationSec: 7,
	manifestKey: 'media/x/v2/master.m3u8',
	frameKey: 'media/x/v2/frame.jpg',
	placeholder: null,
	width: 1_280,
	height: 720,
	previewKey: 'media/x/v2/preview.webp',
	storyboardKey: 'media/x/v2/storyboard.vtt',
	audioTrack: null,
	audioKey: null,
	aiAudioKey: null,
	downloadKey: null,
	mediaBytes: 42,
}
const moves: Partial<
	Record<MoveName, (db: Db, now: number, of?: typeof asset) => ReturnType<typeof markQueuedStatement>>
> = {
	enqueue: (db, now, of = asset) => markQueuedStatement(db, of, now),
	startProcessing: (db, now, of = asset) => markProcessingStatement(db, of, now),
	finishProcessing: (db, now, of = asset) => markReadyStatement(db, of, outputs, now),
	failProcessing: (db, now, of = asset) =>
		markFailedStatement(db, of, { errorMessage: 'the file is no video', errorFingerprint: 'f' }, now),
}
const setStatus = (status: string) =>
	world.deps((d) => d.db.all(`update assets set status = '${status}' where id = '${asset.id}' returning 1`))
const seen = async () => (await world.ask(getAsset, { params: { assetId: asset.id } }, ada)).ok.data

describe.each(Object.entries(moves))('the move %s', (name, move) => {
	test('a move of an asset applies only to the states in the table', async () => {
		for (const from of AssetStatus.options) {
			await setStatus(from)
			const [moved] = await world.deps(({ db, now }) => db.batch([move(db, now)]))
			expect([from, moved.length]).toEqual([from, canMove(name as MoveName, from) ? 1 : 0])
		}
	})

	test('a move of an asset applies once under concurrent attempts', async () => {
		await setStatus({ enqueue: 'uploaded', startProcessing: 'queued' }[name] ?? 'processing')
		const all = await Promise.all(
			Array.from({ length: 6 }, () => world.deps(({ db, now }) => db.batch([move(db, now)]))),
		)
		expect(all.map(([moved]) => moved.length).toSorted()).toEqual([0, 0, 0, 0, 0, 1])
	})

	test('a move does not apply to an asset of another organization', async () => {
		await setStatus({ enqueue: 'uploaded', startProcessing: 'queued' }[name] ?? 'processing')
		const [moved] = await world.deps(({ db, now }) => db.batch([move(db, now, { ...asset, orgId: 'org_x' })]))
		expect(moved).toEqual([])
	})
})

test('the error message of an asset is kept until the asset is queued again', async () => {
	await setStatus('processing')
	await world.deps(({ db, now }) =>
		db.batch([
			markFailedStatement(db, asset, { errorMessage: 'the file is no video', errorFingerprint: 'f' }, now),
		]),
	)
	expect(await seen()).toMatchObject({ status: 'error', errorMessage: 'the file is no video' })
	await world.deps(({ db, now }) => db.batch([markQueuedStatement(db, asset, now)]))
	expect(await seen()).not.toHaveProperty('errorMessage')
	await world.deps(({ db, now }) =>
		db.batch([markProcessingStatement(db, asset, now), markReadyStatement(db, asset, outputs, now)]),
	)
	expect(await seen()).toMatchObject({ status: 'ready', durationSec: 7 })
})

test('a move of an asset can depend on a statement of its batch, and later statements on the move', async () => {
	await setStatus('queued')
	const attempt = (wins: boolean) =>
		world.deps(({ db, now }) =>
			db.batch([
				db
					.update(assets)
					.set({ title: 'Leased' })
					.where(eq(assets.id, wins ? asset.id : 'ast_x')),
				markProcessingStatement(db, asset, now, sql`changes() > 0`),
				db
					.update(assets)
					.set({ description: 'by us' })
					.where(and(eq(assets.id, asset.id), sql`changes() > 0`)),
			]),
		)
	await attempt(false)
	expect(await seen()).toMatchObject({ status: 'queued', description: null })
	await attempt(true)
	expect(await seen()).toMatchObject({ status: 'processing', title: 'Leased', description: 'by us' })
})

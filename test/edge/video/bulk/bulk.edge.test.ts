import { beforeEach, expect, test } from 'vitest'
import { suspendOrg } from '#schema/contract/accounts/suspension.ts'
import type { CallInput } from '#schema/contract/kit/client.ts'
import { createAsset, listAssets } from '#schema/contract/video/assets.ts'
import { changeAssets } from '#schema/contract/video/bulk.ts'
import { createCollection } from '#schema/contract/video/collections.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { openWorld, type Person, type Who, type World } from '../../../support/edge/world.ts'
import { select } from '../../community/community.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'
import { openStudio } from '../transcoding/transcoding-fixture.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

type Body = CallInput<typeof changeAssets>['body']
const change = (body: Body, who: Who = ada) => world.ask(changeAssets, { body }, who)
const add = async (title = 'Film', who: Person = ada) =>
	(await world.ask(createAsset, { body: { title } }, who)).ok.data.id
const addMany = async (count: number) => {
	const ids: string[] = []
	for (let i = 0; i < count; i++) ids.push(await add(`Film ${i}`))
	return ids
}
const addCollection = async () =>
	(await world.ask(createCollection, { body: { name: 'Films', color: 'red' } }, ada)).ok.data.id
const results = async (body: Body) => {
	const { data } = (await change(body)).ok
	return data.results.map(({ result, code }) => code ?? result)
}
const list = async () => (await world.ask(listAssets, { query: {} }, ada)).ok.data
const audited = () =>
	select<{ details: string }>(
		world,
		"select details from audit_log where action = 'assets.bulk_changed' order by position",
	).then((rows) => rows.map(({ details }) => JSON.parse(details)))
const missing = `ast_${'0'.repeat(26)}`

test('a bulk move changes each asset once, and says what was changed, unchanged and refused', async () => {
	const [first = '', second = ''] = await addMany(2)
	const eve = await world.person()
	const foreign = await add('Foreign', eve)
	const collectionId = await addCollection()
	await results({ assetIds: [second], action: { type: 'move', collectionId } })
	const body = {
		assetIds: [first, second, foreign, missing],
		action: { type: 'move' as const, collectionId },
	}
	expect(await results(body)).toEqual(['done', 'unchanged', 'not_found', 'not_found'])
	const updated = await list()
	expect(updated.map((asset) => asset.collectionId)).toEqual([collectionId, collectionId])
	expect(await results(body)).toEqual(['unchanged', 'unchanged', 'not_found', 'not_found'])
	expect(await list()).toEqual(updated)
	expect(await results({ assetIds: [first], action: { type: 'move', collectionId: null } })).toEqual(['done'])
	expect((await world.ask(listAssets, { query: {} }, eve)).ok.data[0]?.collectionId).toBeNull()
	expect(await audited()).toEqual([
		{ type: 'move', collectionId, assetIds: [second], changed: 1 },
		{ type: 'move', collectionId, assetIds: body.assetIds, changed: 1 },
		{ type: 'move', collectionId: null, assetIds: [first], changed: 1 },
	])
})

test('the audit log contains the filter of a bulk change without its text, and each deleted asset', async () => {
	const ids = await addMany(3)
	const filter = { q: 'film', status: ['created' as const] }
	const body: Body = { filter, action: { type: 'setVisibility', visibility: 'unlisted' } }
	expect(await results(body)).toEqual(['done', 'done', 'done'])
	expect(await results(body)).toEqual(['unchanged', 'unchanged', 'unchanged'])
	const [first = '', second = ''] = ids
	await Promise.all([1, 2].map(() => results({ assetIds: [first, second], action: { type: 'delete' } })))
	const [changed, ...deletions] = await audited()
	expect(changed).toEqual({
		...{ type: 'setVisibility', visibility: 'unlisted', changed: 3 },
		filter: { status: ['created'], hasText: true },
	})
	expect(deletions.toSorted((a, b) => String(a.assetIds).localeCompare(String(b.assetIds)))).toEqual(
		[first, second].toSorted().map((id) => ({ type: 'delete', assetIds: [id], changed: 1 })),
	)
})

test('a bulk change always has its audit entry, even if the Worker dies after any statement', async () => {
	for (const action of [
		{ type: 'setVisibility', visibility: 'unlisted' },
		{ type: 'delete' },
		{ type: 'trash' },
		{ type: 'restore' },
	] as const)
		for (let step = 1; ; step++) {
			const id = await add()
			if (action.type === 'restore') await results({ assetIds: [id], action: { type: 'trash' } })
			await select(world, 'delete from audit_log returning 1')
			let left = step
			const dies = () => {
				if (left-- === 0) throw new Error('died')
			}
			const find = () => select(world, `select visibility from assets where id = '${id}'`)
			const before = await find()
			const { status } = await world.dieDuring(dies, () => change({ assetIds: [id], action }))
			const isChanged = JSON.stringify(await find()) !== JSON.stringify(before)
			expect(await audited(), `${action.type}, step ${step}`).toHaveLength(isChanged ? 1 : 0)
			if (left >= 0 && status === 200) break
		}
})

test('a repeated bulk move to the trash or back is unchanged, and only the first one is in the audit log', async () => {
	const id = await add()
	for (const type of ['trash', 'restore'] as const) {
		const body: Body = { assetIds: [id, missing], action: { type } }
		const all = await Promise.all([results(body), results(body)])
		expect(all.toSorted()).toEqual([
			['done', 'not_found'],
			['unchanged', 'not_found'],
		])
		expect(await results(body)).toEqual(['unchanged', 'not_found'])
	}
	expect(await audited()).toEqual([
		{ type: 'trash', assetIds: [id], changed: 1 },
		{ type: 'restore', assetIds: [id], changed: 1 },
	])
})

test('each asset is moved by only one of several concurrent bulk moves', async () => {
	const ids = await addMany(5)
	const collectionId = await addCollection()
	const body: Body = { assetIds: ids, action: { type: 'move', collectionId } }
	const all = (await Promise.all([results(body), results(body), results(body)])).flat()
	expect(all.filter((result) => result === 'done')).toHaveLength(5)
	expect(all.filter((result) => result === 'unchanged')).toHaveLength(10)
})

test('a bulk change to signed visibility stops playback although the public video was cached', async () => {
	const { id, playbackId } = await makeReady(world, ada)
	const watch = async () => (await world.ask(getPlayback, { params: { playbackId }, query: {} })).status
	expect(await watch()).toBe(200)
	const body: Body = { assetIds: [id], action: { type: 'setVisibility', visibility: 'signed' } }
	expect(await results(body)).toEqual(['done'])
	expect(await watch()).toBe(403)
	expect(await results(body)).toEqual(['unchanged'])
})

test('a bulk change needs as many statements for many assets as for one', async () => {
	const ids = await addMany(40)
	const collectionId = await addCollection()
	for (const action of [
		{ type: 'move', collectionId },
		{ type: 'setVisibility', visibility: 'unlisted' },
	] as const) {
		const one = (await change({ assetIds: ids.slice(0, 1), action })).statements.length
		const { statements, ok } = await change({ assetIds: ids.slice(1), action })
		expect(ok.data.results.every(({ result }) => result === 'done')).toBe(true)
		expect(statements).toHaveLength(one)
		expect(one).toBeLessThanOrEqual(5)
		for (const sql of statements.slice(1))
			for (const line of await world.plan(sql)) expect(line).not.toMatch(/^SCAN (?!chosen|CONSTANT)/)
	}
})

test('a bulk deletion by filter takes chunks of 25, ends, and deletes nothing else', async () => {
	const ids = await addMany(30)
	const kept = await add('Kept')
	const filter = { q: 'film' }
	const first = (await change({ filter, action: { type: 'delete' } })).ok.data
	expect(first.results.map(({ assetId }) => assetId)).toEqual(ids.toReversed().slice(0, 25))
	expect(first.cursor).not.toBeNull()
	const late = await add('Film of later')
	const body = { filter, action: { type: 'delete' as const }, cursor: first.cursor ?? '' }
	const second = (await change(body)).ok.data
	expect(second.results.map(({ assetId, result }) => [assetId, result])).toEqual(
		ids
			.toReversed()
			.slice(25)
			.map((id) => [id, 'done']),
	)
	expect(second.cursor).toBeNull()
	expect((await list()).map(({ id }) => id)).toEqual([late, kept])
	const events = await select(world, "select 1 from outbox where type = 'asset.deleted'")
	expect(events).toHaveLength(30)
	const purges = await select(world, 'select distinct prefix from storage_purges')
	expect(purges).toHaveLength(90)
	expect((await change(body)).ok.data.results).toEqual([])
})

test('a bulk deletion of ids takes chunks of 25, and a repetition deletes nothing twice', async () => {
	const ids = await addMany(26)
	const body: Body = { assetIds: ids, action: { type: 'delete' } }
	const { results: first, cursor } = (await change(body)).ok.data
	expect(first).toHaveLength(25)
	const rest = (await change({ ...body, cursor: cursor ?? '' })).ok.data
	expect(rest).toEqual({ results: [{ assetId: ids[25], result: 'done' }], cursor: null })
	expect(await results(body)).toEqual(Array(25).fill('not_found'))
	expect(await select(world, "select 1 from outbox where type = 'asset.deleted'")).toHaveLength(26)
})

test('bulk processing queues what has a source, refuses the rest, and an idempotency key repeats the response', async () => {
	const { assetId } = await openStudio(world, ada).upload()
	const empty = await add('Empty')
	const body: Body = { assetIds: [assetId, empty], action: { type: 'process' } }
	const keyed = { ...ada, headers: { 'idempotency-key': 'once' } }
	const first = (await change(body, keyed)).ok.data
	expect(first.results).toMatchObject([
		{ assetId, result: 'done', jobId: expect.stringMatching(/^job_/) },
		{ assetId: empty, result: 'refused', code: 'conflict', message: expect.stringContaining('no source') },
	])
	expect((await change(body, keyed)).ok.data).toEqual(first)
	expect(await results(body)).toEqual(['conflict', 'conflict'])
	expect(await audited()).toEqual([{ type: 'process', assetIds: [assetId], changed: 1 }])
	expect(await select(world, 'select id from jobs')).toEqual([{ id: first.results[0]?.jobId }])
	expect(await results({ assetIds: [assetId], action: { type: 'runAiSteps', steps: ['chapters'] } })).toEqual(
		['conflict'],
	)
})

test('a bulk change with a filter follows its cursor over assets that do not match', async () => {
	const ids = await addMany(3)
	await world.deps(({ db }) =>
		db.all(`update assets set visibility = 'unlisted' where id = '${ids[0]}' returning 1`),
	)
	const body: Body = {
		filter: { visibility: ['unlisted'], hasCaptions: false, status: ['created'] },
		action: { type: 'setVisibility', visibility: 'public' },
	}
	expect((await change(body)).ok.data).toEqual({
		results: [{ assetId: ids[0], result: 'done' }],
		cursor: null,
	})
})

test('a bulk change goes on after a page of assets of which none passes its filter', async () => {
	const oldest = await add('Oldest')
	await world.deps(({ db }) =>
		db.all(`
			insert into assets (id, org_id, title, status, visibility, playback_id, metadata, public_settings, created_at, updated_at)
			with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
			select 'ast_' || printf('%026d', i), org_id, title, status, 'signed', printf('%022d', i), metadata,
				public_settings, created_at + i, updated_at from assets, n where id = '${oldest}' returning 1
		`),
	)
	const body: Body = {
		filter: { visibility: ['public'] },
		action: { type: 'setVisibility', visibility: 'unlisted' },
	}
	const changed: string[] = []
	let calls = 0
	for (let cursor: string | null | undefined; cursor !== null; calls++) {
		const { data } = (await change({ ...body, ...(cursor && { cursor }) })).ok
		changed.push(...data.results.map(({ assetId }) => assetId))
		cursor = data.cursor
	}
	expect([changed, calls]).toEqual([[oldest], 2])
})

test('a bulk change refuses both or no selection, an empty filter, repeated ids and foreign cursors', async () => {
	const id = await add()
	const action = { type: 'delete' } as const
	for (const body of [
		{ action },
		{ assetIds: [id], filter: { q: 'film' }, action },
		{ filter: {}, action },
		{ filter: { q: ' ' }, action },
		{ filter: { colour: 'red' }, action },
		{ assetIds: [], action },
		{ assetIds: [id, id], action },
		{ assetIds: Array.from({ length: 501 }, (_, i) => `ast_${String(i).padStart(26, '0')}`), action },
		{ assetIds: [id], action, cursor: 'x' },
		{ filter: { q: 'film' }, action, cursor: btoa('[1]').replaceAll('=', '') },
		{ assetIds: [id], action: { type: 'archive' } },
		{ assetIds: [id], action: { type: 'move' } },
	])
		expect((await change(body as never)).code, JSON.stringify(body).slice(0, 99)).toBe('validation')
	const elsewhere = { type: 'move', collectionId: 'col_00000000000000000000000001' } as const
	expect((await change({ assetIds: [id], action: elsewhere })).code).toBe('not_found')
	expect(await list()).toHaveLength(1)
})

test('a bulk cancellation ends running jobs once, with one audit entry for each', async () => {
	const studio = openStudio(world, ada)
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const idle = await add()
	const body: Body = { assetIds: [assetId, idle, missing], action: { type: 'cancel' } }
	const both = (await Promise.all([results(body), results(body)])).toSorted()
	expect(both).toEqual([
		['done', 'unchanged', 'not_found'],
		['unchanged', 'unchanged', 'not_found'],
	])
	expect(await studio.asset(assetId)).toMatchObject({ status: 'uploaded', job: { status: 'cancelled' } })
	expect(await audited()).toEqual([{ type: 'cancel', assetIds: [assetId], changed: 1 }])
})

test('an organization with an unpaid bill may delete in bulk, but not process', async () => {
	const { assetId } = await openStudio(world, ada).upload()
	const params = { orgId: ada.orgId }
	expect((await world.ask(suspendOrg, { params, body: { reason: 'billing' } }, ada)).status).toBe(200)
	const body = { assetIds: [assetId] }
	expect((await change({ ...body, action: { type: 'process' } })).code).toBe('org_suspended')
	expect((await change({ ...body, action: { type: 'runAiSteps', steps: ['chapters'] } })).code).toBe(
		'org_suspended',
	)
	expect(await audited()).toEqual([])
	expect(await results({ ...body, action: { type: 'delete' } })).toEqual(['done'])
})

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { getAsset, listAssets, searchAssets } from '#schema/contract/video/assets.ts'
import type { OrgAnalytics } from '../../../../../edge/watch/analytics/org/org-object.ts'
import { emptySums } from '../../../../../edge/watch/analytics/sums/sums.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { makeReady } from '../../../watch/playback/ready-asset.ts'
import { openStudio } from '../../transcoding/transcoding-fixture.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const list = () => world.ask(listAssets, { query: {} }, ada)
const addSubtitles = (assetId: string, ...languages: string[]) =>
	world.deps(({ db }) =>
		db.all(
			`insert into asset_subtitles (asset_id, language, key, updated_at) values ${languages.map((language) => `('${assetId}', '${language}', 'k', 1)`)} returning 1`,
		),
	)
const watch = (playbackId: string, views: number, number: number) =>
	runInDurableObject(
		(env.ORG_ANALYTICS as DurableObjectNamespace<OrgAnalytics>).getByName(ada.orgId),
		(object) =>
			object.add(
				{ name: `${playbackId}.x`, playbackId, isSigned: false },
				{ number, parts: [{ hour: 0, sums: { ...emptySums(1_000), starts: views, views } }] },
			),
	)

test('a summary of an asset has its size, placeholder, pages, captions and views', async () => {
	const film = await makeReady(world, ada, 'Film', { width: 1_920, height: 1_080, placeholder: 'aGFzaA==' })
	await addSubtitles(film.id, 'fr', 'de')
	await world.deps(({ db }) =>
		db.all("update assets set subtitles_key = 's', transcript_language = 'de' returning 1"),
	)
	await watch(film.playbackId, 2, 1)
	await watch(film.playbackId, 3, 2)
	await watch(film.playbackId, 3, 2)
	const expected = {
		width: 1_920,
		height: 1_080,
		placeholder: 'aGFzaA==',
		durationSec: 12.5,
		sourceSizeBytes: null,
		watchUrl: `https://edge.test/watch/${film.playbackId}`,
		embedUrl: `https://edge.test/embed/${film.playbackId}`,
	}
	const details = { captions: ['de', 'fr'], views: 5, progress: null }
	const [listed] = (await list()).ok.data
	expect(listed).toMatchObject({ ...expected, ...details })
	const [found] = (await world.ask(searchAssets, { query: { q: 'film' } }, ada)).ok.data.items
	expect(found).toMatchObject({ ...expected, ...details })
	expect((await world.ask(getAsset, { params: { assetId: film.id } }, ada)).ok.data).toMatchObject(expected)
	world.set({ PLAYER_URL: 'https://watch.example.org' })
	expect((await list()).ok.data[0]?.watchUrl).toBe(`https://watch.example.org/watch/${film.playbackId}`)
})

test('a summary of an asset without a transcript language lists und, and of an unwatched one no views', async () => {
	const { id } = await makeReady(world, ada)
	expect((await list()).ok.data[0]).toMatchObject({ captions: [], views: 0, width: null, placeholder: null })
	await world.deps(({ db }) => db.all("update assets set subtitles_key = 's' returning 1"))
	expect((await list()).ok.data[0]).toMatchObject({ id, captions: ['und'] })
	world.set({ ORG_ANALYTICS: undefined })
	expect((await list()).ok.data[0]?.views).toBeNull()
})

test('a summary of an asset has the percent of its running job, and none of an ended one', async () => {
	const studio = openStudio(world, ada)
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	expect((await list()).ok.data[0]?.progress).toBe(0)
	await world.deps(({ db }) =>
		db.batch([
			db.all("update jobs set status = 'processing', planned_at = 1 returning 1") as never,
			db.all(
				"update tasks set kind = 'video', weight = 4, progress = 0.5, state = 'running' returning 1",
			) as never,
		]),
	)
	const { progress } = (await list()).ok.data[0] ?? {}
	expect(progress).toBe((await studio.asset(assetId)).job?.progress)
	expect(progress).toBe(51)
	await world.deps(({ db }) => db.all("update jobs set status = 'failed' returning 1"))
	expect((await list()).ok.data[0]?.progress).toBeNull()
})

test('summaries of many assets cost as many statements as that of one', async () => {
	const studio = openStudio(world, ada)
	const add = async () => {
		const { assetId } = await studio.upload()
		await studio.start(assetId)
		await addSubtitles(assetId, 'de')
	}
	await add()
	const few = (await list()).statements.length
	expect(few).toBe(3)
	for (let i = 0; i < 8; i++) await add()
	const { ok, statements } = await list()
	expect(ok.data).toHaveLength(9)
	expect(statements).toHaveLength(few)
	for (const sql of statements.slice(1))
		for (const line of await world.plan(sql)) expect(line).not.toMatch(/^SCAN (?!chosen)/)
})

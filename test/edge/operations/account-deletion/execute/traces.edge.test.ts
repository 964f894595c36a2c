import { beforeEach, describe, expect, test } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { listSessions } from '#schema/contract/accounts/sessions.ts'
import { readCalendarFeed } from '#schema/contract/community/member/calendar.ts'
import { listHomePosts } from '#schema/contract/community/member/posts.ts'
import { refreshMemberToken } from '#schema/contract/community/member/tokens.ts'
import { listAssets } from '#schema/contract/video/assets.ts'
import { contributions } from '../../../../../edge/features.ts'
import { HOUR } from '../../../../../edge/platform/clock.ts'
import {
	findColumnTable,
	formatQualifiedName,
	matchesPerson,
} from '../../../../../edge/platform/personal-data.ts'
import type { Person } from '../../../../support/edge/world.ts'
import { heldByObjects } from '../../../video/uploads/tus/tus-fixture.ts'
import { type DeletionWorld, openDeletionWorld } from '../deletion-world.ts'
import { openExport } from '../export-zip.ts'
import { fillAccount, ip, traces } from '../full-account.ts'

let world: DeletionWorld
let root: Person
let ada: Person
beforeEach(async () => {
	world = await openDeletionWorld()
	// The first person of an installation is its superadmin, who can't be deleted.
	root = await world.person({ email: 'root@example.org' })
	ada = await world.person({ email: 'ada.lovelace@example.org', name: 'Ada Lovelace' })
})

/** Counts the rows of the user for each column of the registry. */
const countRegisteredRows = () =>
	world.deps(async ({ db }) => {
		const counts: Record<string, number> = {}
		for (const key of contributions.personalData.personKeys) {
			const rows = await db.select().from(findColumnTable(key.column)).where(matchesPerson(key, ada))
			counts[formatQualifiedName(key.column)] = rows.length
		}
		return counts
	})

/** Returns all stored objects with their metadata. */
const storedObjects = () =>
	Promise.all(
		[world.bindings.MEDIA, world.bindings.VAULT].map(async (bucket) => {
			const { objects } = await bucket.list({ include: ['httpMetadata', 'customMetadata'] })
			return Promise.all(
				objects.map(async ({ key, httpMetadata, customMetadata }) => [
					key,
					httpMetadata,
					customMetadata,
					await (await bucket.get(key))?.text(),
				]),
			)
		}),
	)

const everything = async () =>
	JSON.stringify([
		await world.rows('select * from attempts'),
		await world.rows('select * from idempotency_keys'),
		await world.dump(),
		world.logs,
		await storedObjects(),
	]).toLowerCase()

test('the full-account fixture has rows for every column of the registry, and the export has all of them', {
	tags: 'd1',
}, async () => {
	await fillAccount(world, root, ada)
	const counts = await countRegisteredRows()
	// Add rows for columns that are missing here to full-account.ts.
	expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([])
	const { lines, texts } = await openExport(world, ada)
	const exported = Object.keys(counts).map((place) => [place, lines(`${place}.jsonl`).length])
	expect(Object.fromEntries(exported)).toEqual(counts)
	const all = Object.values(texts).join('\n')
	for (const hers of ['Notes on the engine', 'Note G', 'What Lovelace regrets', 'Countess', 'lovelace-7', ip])
		expect(all).toContain(hers)
	for (const [what, secret] of [
		['of others', 'Well done'],
		['of others', 'A mill'],
		['a hash', '_hash"'],
		['a version', '_version"'],
	] as const)
		expect(all.includes(secret), `${what}: ${secret}`).toBe(false)
})

describe.each([false, true])('traces after a deletion (delete_content: %s)', (deleteContent) => {
	test('no table, log, object or ledger contains the deleted person’s address, name or IP', async () => {
		const { friend, fixture, films, credentials } = await fillAccount(world, root, ada)
		const before = await everything()
		for (const trace of traces) expect(before.includes(trace.toLowerCase()), trace).toBe(true)
		expect(await heldByObjects()).toBeGreaterThan(0)
		const { ok } = await world.request(ada, { delete_content: deleteContent }, ip)
		await world.execute()
		await world.cron('* * * * *')
		await world.settle()

		const after = await everything()
		for (const trace of traces) {
			const at = after.indexOf(trace.toLowerCase())
			expect(at < 0 ? '' : after.slice(Math.max(0, at - 200), at + 50)).toBe('')
		}
		// Proves that the search covers real data: content of others, and content of hers that is kept.
		for (const [kept, stays] of [
			['friend@example.net', true],
			['A mill', true],
			['Notes on the engine', !deleteContent],
			['Note G', !deleteContent],
			['So that is', false],
		] as const)
			expect(after.includes(kept.toLowerCase()), kept).toBe(stays)
		expect(Object.entries(await countRegisteredRows()).filter(([, count]) => count > 0)).toEqual([])
		expect(
			await world.rows(
				`select * from org_members where org_id = '${ada.orgId}' and role = 'owner' and user_id = ${friend.userId}`,
			),
		).toHaveLength(1)
		expect(await world.rows(`select id from orgs where id = '${films}'`)).toEqual([])
		for (const table of ['assets', 'jobs', 'tasks', 'task_failures', 'renditions', 'comments', 'asset_terms'])
			expect([table, await world.rows(`select * from ${table}`)]).toEqual([table, []])
		// The state of unfinished uploads is deleted too.
		expect(await heldByObjects()).toBe(0)
		const { objects } = await world.bindings.VAULT.list()
		const keys = objects.map(({ key }) => key).filter((key) => !key.startsWith('rewind/'))
		expect(
			keys.map((key) => key.replace(/(?<=images\/|audit-heads\/).*/, '').replace('images/', '')),
		).toEqual(
			[
				'audit-heads/',
				...(deleteContent ? [] : [`communities/${fixture.id}/`]),
				`erasures/${ok.id}.json`,
				'last-erasure.json',
			].toSorted(),
		)
		expect((await world.bindings.MEDIA.list()).objects).toEqual([])

		await expectCredentialsRevoked(credentials)
		const again = await world.ask(
			signup,
			{ body: { email: ada.email, password: 'another one', name: 'Ada' } },
			{ ip: '198.51.100.251' },
		)
		expect(again.ok.data.user.id).toBeGreaterThan(ada.userId)
		const fresh = { token: again.ok.data.token, headers: fixture.headers }
		expect((await world.ask(listHomePosts, { query: {} }, fresh)).status).toBe(403)
		// Objects that arrive late are purged a day later.
		world.pass(25 * HOUR)
		await world.cron('* * * * *')
		await world.settle()
		expect(await world.rows('select * from storage_purges')).toEqual([])
	})

	const expectCredentialsRevoked = async ({
		sessions,
		key,
		access_token,
		refresh_token,
		calendarUrl,
		upload,
	}: Awaited<ReturnType<typeof fillAccount>>['credentials']) => {
		for (const token of [ada.token, ...sessions])
			expect((await world.ask(listSessions, {}, { token })).status).toBe(401)
		expect((await world.ask(listAssets, { query: {} }, { key })).status).toBe(401)
		expect((await world.ask(listHomePosts, { query: {} }, { token: access_token })).status).toBe(401)
		expect((await world.ask(refreshMemberToken, { body: { refresh_token } }, {})).status).toBe(401)
		const feedFile = new URL(calendarUrl).pathname.split('/').at(-1) as string
		expect((await world.ask(readCalendarFeed, { params: { feedFile } })).status).toBe(404)
		const headers = { 'tus-resumable': '1.0.0', authorization: `Bearer ${upload.token}` }
		const again = new Request(new URL(upload.location, 'https://edge.test'), { method: 'HEAD', headers })
		expect([401, 404, 410]).toContain((await world.fetch(again)).status)
	}
})

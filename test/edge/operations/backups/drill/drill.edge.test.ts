import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { beforeEach, describe, expect, test } from 'vitest'
import * as contract from '#schema/contract/operations/installation/backups.ts'
import type { DrillProgress } from '../../../../../edge/operations/backups/drill/drill-object.ts'
import { sweepDrills } from '../../../../../edge/operations/backups/drill/start.ts'
import { openChunk, sealChunk } from '../../../../../edge/operations/backups/format/chunk.ts'
import { openManifest } from '../../../../../edge/operations/backups/format/signed-manifest.ts'
import { manifestObjectKey } from '../../../../../edge/operations/backups/keys.ts'
import { STEP_LEASE_MS } from '../../../../../edge/operations/backups/run/continue.ts'
import type { Secrets } from '../../../../../edge/platform/tokens/secrets.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { openCommunity, select } from '../../../community/community.ts'
import { finishBackups, finishDrills, takeSteps } from '../backups-kit.ts'
import {
	changeManifest,
	drill,
	emptyScratch,
	interceptCalls,
	list,
	listChunks,
	makeBackup,
	putObject,
	readObject,
	scratchState,
	verify,
	write,
} from './drill-kit.ts'

const DAY = 86_400_000

let world: World
let root: Person
beforeEach(async () => {
	world = await openWorld({ BACKUPS_ENABLED: 'true' })
	root = await world.person()
	world.messages.length = 0
})

const verified = { verifiedAt: expect.any(String), restoreSeconds: expect.any(Number), drillError: null }
const failed = (drillError: unknown) => ({
	...{ drilledAt: expect.any(String), drillError, verifiedAt: null, restoreSeconds: null },
})

async function makeSmallBackup(): Promise<string> {
	const { id } = (await world.ask(contract.runBackup, {}, root)).ok.data
	await finishBackups(world)
	return id
}

describe('a drill', () => {
	test('a drill verifies a good backup of several chunks, and leaves the scratch database empty', async () => {
		const id = await makeBackup(world, root)
		expect((await listChunks(world, id)).length).toBeGreaterThan(2)
		await verify(world, root, id).then(({ ok }) => ok)
		world.pass(90_000)
		await finishDrills(world)
		expect(await list(world, root)).toMatchObject([{ id, ...verified, restoreSeconds: 90 }])
		expect(await scratchState()).toEqual(emptyScratch)
	})

	test('a drill writes nothing but its result into the database', async () => {
		const id = await makeSmallBackup()
		await verify(world, root, id)
		const before = await world.dump()
		const statements: string[] = []
		await world.dieDuring(
			(sql) => void statements.push(sql),
			() => finishDrills(world),
		)
		expect(statements.filter((sql) => !/^select/i.test(sql))).toEqual([
			expect.stringMatching(/^update "backups" set "drilled_at" = \?/),
		])
		const after = await world.dump()
		expect({ ...after, backups: [] }).toEqual({ ...before, backups: [] })
	})

	test('a drill finds a flipped bit, and a missing, a swapped and a repeated chunk', {
		tags: 'd1',
	}, async () => {
		const id = await makeBackup(world, root)
		const [a = '', b = ''] = await listChunks(world, id)
		const [bytesA, bytesB] = [await readObject(world, a), await readObject(world, b)]
		const flipped = bytesA.slice()
		flipped[bytesA.length - 1] = (flipped[bytesA.length - 1] ?? 0) ^ 1
		const damages: [how: string, error: string, damage: () => Promise<unknown>][] = [
			['flipped', 'chunk 0 is not the one that the manifest lists', () => putObject(world, a, flipped)],
			['missing', 'chunk 0 is missing', () => world.deps(({ objects }) => objects.vault.delete(a))],
			[
				'swapped',
				'chunk 1 is not the one that the manifest lists',
				() => Promise.all([putObject(world, a, bytesB), putObject(world, b, bytesA)]),
			],
			['repeated', 'chunk 1 is not the one that the manifest lists', () => putObject(world, b, bytesA)],
		]
		for (const [how, error, damage] of damages) {
			await damage()
			expect({ how, ...(await drill(world, root, id)) }).toMatchObject({ how, ...failed(error) })
			expect(await scratchState()).toEqual(emptyScratch)
			await Promise.all([putObject(world, a, bytesA), putObject(world, b, bytesB)])
		}
		expect(await drill(world, root, id)).toMatchObject(verified)
	})

	test('a drill checks the hashes of a backup that only its recipient can read', { tags: 'd1' }, async () => {
		world.set({ BACKUP_RECIPIENT: await identityToRecipient(await generateX25519Identity()) })
		const id = await makeBackup(world, root)
		expect(await drill(world, root, id)).toMatchObject({ ...verified, restoreSeconds: null })
		expect(await scratchState()).toEqual(emptyScratch)
		const [key = ''] = await listChunks(world, id)
		const bytes = await readObject(world, key)
		bytes[0] = (bytes[0] ?? 0) ^ 1
		await putObject(world, key, bytes)
		expect(await drill(world, root, id)).toMatchObject({
			drillError: 'chunk 0 is not the one that the manifest lists',
		})
	})

	test('a drill finds chunks in another order, although the manifest is signed', { tags: 'd1' }, async () => {
		const id = await makeBackup(world, root)
		await changeManifest(world, id, (manifest) => ({ ...manifest, chunks: manifest.chunks.toReversed() }))
		expect(await drill(world, root, id)).toMatchObject(
			failed(expect.stringMatching(/^chunk \d+ does not decrypt at this position/)),
		)
	})

	test('a drill finds a manifest that was changed or lost', { tags: 'd1' }, async () => {
		const id = await makeSmallBackup()
		const key = manifestObjectKey(id)
		const text = new TextDecoder().decode(await readObject(world, key))
		await putObject(world, key, text.replace('"rows":', '"rows":1'))
		expect(await drill(world, root, id)).toMatchObject(failed('the manifest was changed'))
		await world.deps(({ objects }) => objects.vault.delete(key))
		expect(await drill(world, root, id)).toMatchObject(failed('the manifest is missing'))
	})

	test('a drill finds a wrong count', { tags: 'd1' }, async () => {
		const id = await makeSmallBackup()
		await changeManifest(world, id, (manifest) => ({
			...manifest,
			tables: manifest.tables.map((table) => (table.name === 'users' ? { ...table, rows: 2 } : table)),
		}))
		expect(await drill(world, root, id)).toMatchObject(
			failed('users has 1 rows after the restore instead of 2'),
		)
	})

	test('a drill finds rows that the database can’t insert', { tags: 'd1' }, async () => {
		const id = await makeSmallBackup()
		const [key = ''] = await listChunks(world, id)
		const text = new TextDecoder().decode(await readObject(world, manifestObjectKey(id)))
		await world.deps(async ({ secrets }) => {
			const { manifest, keys } = await openManifest(secrets as Secrets, text)
			const place = { backupId: id, position: 0 }
			const clear = await openChunk(keys, place, manifest.chunks[0] as never, await readObject(world, key))
			const row = clear.split('\n').find((_line, at, lines) => /"users"/.test(lines[at - 1] ?? '')) ?? ''
			const again = `${row.replace(/^\[\d+/, '[99')}\n`
			const { bytes, ...seal } = await sealChunk(keys, place, clear.replace(`${row}\n`, `${row}\n${again}`))
			await putObject(world, key, bytes)
			await changeManifest(world, id, (former) => ({ ...former, chunks: [{ key, ...seal }] }))
		})
		expect(await drill(world, root, id)).toMatchObject(
			failed(expect.stringMatching(/^the scratch database refused a statement: UNIQUE constraint failed/)),
		)
	})

	test('a drill finds rows that differ after the restore', { tags: 'd1' }, async () => {
		const id = await makeSmallBackup()
		let isChanged = false
		interceptCalls(world, async (_, call) => {
			const result = await call()
			const { drill: state } = await scratchState()
			if (state?.progress.step !== 'compare' || isChanged) return result
			isChanged = true
			await runInDurableObject(env.BACKUP_DRILL.getByName('drill'), (_object, { storage }) => {
				storage.sql.exec("update users set name = 'Eve'")
			})
			return result
		})
		expect(await drill(world, root, id)).toMatchObject(
			failed('the restored rows of users differ from those of the backup'),
		)
		expect(isChanged).toBe(true)
	})

	test('a drill finds a counter that differs from its rows, with the current schema alone', async () => {
		const fixture = await openCommunity(world)
		await fixture.post(await fixture.space(), { comments_count: 7 })
		await write(world, 'update spaces set posts_count = 1 where id in (select space_id from posts)')
		const wrong = failed(expect.stringMatching(/^1 counters of comments do not match/))
		const id = await makeSmallBackup()
		expect(await drill(world, root, id)).toMatchObject(wrong)
		await select(world, 'create table of_a_later_version (a text)')
		try {
			expect(await drill(world, root, id)).toMatchObject(verified)
		} finally {
			await select(world, 'drop table of_a_later_version')
		}
		await write(world, 'update posts set comments_count = 0')
		expect(await drill(world, root, await makeSmallBackup())).toMatchObject(verified)
	})

	test('a drill ends correctly if the Worker dies around any call of the scratch database', async () => {
		const good = await makeSmallBackup()
		const bad = await makeSmallBackup()
		await changeManifest(world, bad, (manifest) => ({
			...manifest,
			tables: manifest.tables.map((table) => (table.name === 'users' ? { ...table, rows: 2 } : table)),
		}))
		// Every kind of call, by its name, what it is for and its first statement.
		const kinds = new Set<string>()
		let dying: { kind: string; isAfter: boolean } | undefined
		let deaths = 0
		interceptCalls(world, async (name, call, args) => {
			const [, statements, moved] = args as [number, { sql?: string }[]?, { progress?: DrillProgress }?]
			const kind = `${name} ${moved?.progress?.step} ${statements?.[0]?.sql?.slice(0, 12)}`
			kinds.add(kind)
			const dies = dying?.kind === kind ? dying : undefined
			if (dies) deaths++
			if (dies && !dies.isAfter) throw new Error('the Worker died')
			const result = await call()
			if (dies) throw new Error('the Worker died')
			return result
		})
		const kindsOf = async (id: string) => {
			kinds.clear()
			await drill(world, root, id)
			for (const name of ['find', 'begin']) kinds.delete(`${name} undefined undefined`)
			return new Set(kinds)
		}
		const [ofGood, ofBad] = [await kindsOf(good), await kindsOf(bad)]
		expect(ofBad).toContain('fail undefined undefined')
		expect(ofGood.size).toBeGreaterThan(8)
		for (const [at, kind] of [...new Set([...ofGood, ...ofBad])].entries()) {
			// Each database has its share.
			const isAfter = (at % 2 === 0) === (env.LIBSQL_BASE === undefined)
			const id = ofBad.has(kind) && (at % 3 === 0 || !ofGood.has(kind)) ? bad : good
			await write(world, 'update backups set verified_at = null, restore_seconds = null, drill_error = null')
			dying = { kind, isAfter }
			deaths = 0
			await drill(world, root, id)
			expect({ kind, deaths }).toEqual({ kind, deaths: 1 })
			dying = undefined
			world.pass(STEP_LEASE_MS + 1)
			await world.perform(sweepDrills)
			await finishDrills(world)
			const ended = (await list(world, root)).find((backup) => backup.id === id)
			expect({ kind, isAfter, ...ended }).toMatchObject({
				...{ kind, isAfter },
				...(id === good ? verified : failed('users has 1 rows after the restore instead of 2')),
			})
			expect({ kind, isAfter, ...(await scratchState()) }).toEqual({ kind, isAfter, ...emptyScratch })
		}
	})

	test('a message that arrives twice or late does not disturb a drill', async () => {
		const id = await makeBackup(world, root)
		await verify(world, root, id)
		const [first] = takeSteps(world, 'backup.drill')
		await world.deliver([first as never, first as never], 'playhouse-bulk')
		await finishDrills(world)
		await world.deliver([first as never], 'playhouse-bulk')
		expect(await list(world, root)).toMatchObject([{ id, ...verified }])
		expect(await scratchState()).toEqual(emptyScratch)
	})

	test('a drill is given up if the same step always fails', { tags: 'd1' }, async () => {
		const id = await makeSmallBackup()
		await verify(world, root, id)
		interceptCalls(world, async (name, call) => {
			if (name === 'run') throw new Error('the Worker died')
			return call()
		})
		for (let attempt = 0; attempt < 12; attempt++) {
			await finishDrills(world)
			world.pass(STEP_LEASE_MS + 1)
			await world.perform(sweepDrills)
		}
		root = { ...root, token: await world.logIn(root) }
		expect(await list(world, root)).toMatchObject([{ id, ...failed('one step failed too many times') }])
		expect(await scratchState()).toEqual(emptyScratch)
	})

	test('a drill frees the disk before it records a failure, and a repetition records the same', async () => {
		const id = await makeSmallBackup()
		await changeManifest(world, id, (manifest) => ({
			...manifest,
			tables: manifest.tables.map((table) => (table.name === 'users' ? { ...table, rows: 2 } : table)),
		}))
		const error = 'users has 1 rows after the restore instead of 2'
		await verify(world, root, id)
		await world.dieDuring(
			(sql) => {
				if (/^update "backups" set "drilled_at"/.test(sql)) throw new Error('the disk is full')
			},
			() => finishDrills(world),
		)
		const { drill: kept, tables } = await scratchState()
		expect([kept?.error, tables]).toEqual([error, []])
		world.pass(STEP_LEASE_MS + 1)
		await world.perform(sweepDrills)
		await finishDrills(world)
		expect(await list(world, root)).toMatchObject([{ id, ...failed(error) }])
		expect(await scratchState()).toEqual(emptyScratch)
	})

	test('a drill frees a disk that is too full to continue', { tags: 'd1' }, async () => {
		const id = await makeSmallBackup()
		await verify(world, root, id)
		let isFull = false
		interceptCalls(world, async (name, call) => {
			if (name === 'claimStep' && isFull) throw new Error('database or disk is full: SQLITE_FULL')
			if (name === 'fail') isFull = false
			const result = await call()
			if (name !== 'run') return result
			isFull = true
			throw new Error('the Worker died')
		})
		await finishDrills(world)
		expect((await scratchState()).tables).toContain('users')
		for (let attempt = 0; attempt < 2; attempt++) {
			world.pass(STEP_LEASE_MS + 1)
			await world.perform(sweepDrills)
			await finishDrills(world)
		}
		expect(await list(world, root)).toMatchObject([
			{ id, ...failed(expect.stringContaining('disk is full')) },
		])
		expect(await scratchState()).toEqual(emptyScratch)
	})

	test('an abandoned drill leaves no rows in the scratch database', { tags: 'd1' }, async () => {
		const id = await makeSmallBackup()
		await verify(world, root, id)
		interceptCalls(world, async (name, call) => {
			const result = await call()
			if (name === 'run') throw new Error('the Worker died')
			return result
		})
		await finishDrills(world)
		expect((await scratchState()).tables).toContain('users')
		await runDurableObjectAlarm(env.BACKUP_DRILL.getByName('drill'))
		expect(await scratchState()).toEqual(emptyScratch)
	})
})

describe('the start of a drill', () => {
	test('superadmins start one drill at a time, of a completed backup', async () => {
		const running = (await world.ask(contract.runBackup, {}, root)).ok.data.id
		expect((await verify(world, root, running)).status).toBe(409)
		await finishBackups(world)
		expect((await verify(world, await world.person(), running)).status).toBe(403)
		expect((await verify(world, root, `bkp_${'0'.repeat(26)}`)).status).toBe(404)
		expect((await verify(world, root, running)).status).toBe(202)
		expect((await verify(world, root, running)).status).toBe(409)
		world.set({ BACKUP_DRILL: undefined })
		expect((await verify(world, root, running)).status).toBe(501)
	})

	test('a drill of the newest backup starts each week', { tags: 'd1' }, async () => {
		const start = world.now
		for (const [day, isVerified] of [
			[0, true],
			[1, false],
			[6, false],
			[7, true],
		] as const) {
			world.pass(start + day * DAY - world.now)
			await world.cron('17 3 * * *')
			await finishBackups(world)
			world.pass(10 * 60_000)
			await world.cron('*/10 * * * *')
			await finishDrills(world)
			root = { ...root, token: await world.logIn(root) }
			const [newest] = await list(world, root)
			expect([day, newest?.reason, newest?.verifiedAt !== null]).toEqual([day, 'daily', isVerified])
		}
	})

	test.each([{ BACKUPS_ENABLED: 'false' }, { BACKUP_DRILL_DAYS: '0' }, { BACKUP_DRILL: undefined }])(
		'no drill starts with %o',
		async (vars) => {
			await makeSmallBackup()
			world.set(vars)
			await world.perform(sweepDrills)
			expect(takeSteps(world, 'backup.drill')).toEqual([])
		},
	)
})

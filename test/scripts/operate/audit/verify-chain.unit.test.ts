import { describe, expect, test } from 'vitest'
import {
	type ChainHead,
	type ChainRow,
	digestRow,
	FIRST_HASH,
	hashRow,
} from '../../../../schema/contract/accounts/audit/chain.ts'
import { type ChainItem, verifyChain } from '../../../../scripts/operate/audit/verify-chain.ts'

const nobody = { userId: null, email: null, ipAddress: null, salt: null }

async function chain(length: number, sealed = length): Promise<ChainRow[]> {
	const rows: ChainRow[] = []
	let before = FIRST_HASH
	for (let position = 1; position <= length; position++) {
		const row: ChainRow = {
			position,
			id: `aud_${position}`,
			orgId: 'org_1',
			action: 'api_key.created',
			actorKind: 'user',
			actorId: null,
			targetKind: 'api_key',
			targetId: `key_${position}`,
			requestId: 'request-1',
			details: '{"scopes":["read"]}',
			createdAt: Date.UTC(2037, 0, 1, 0, position),
			actor: {
				userId: position,
				email: `p${position}@example.org`,
				ipAddress: '192.0.2.1',
				salt: `salt${position}`,
			},
			onBehalfOf: nobody,
			target: nobody,
			seal: null,
		}
		if (position <= sealed) {
			const digests = await digestRow(row)
			before = await hashRow(before, row, digests)
			row.seal = { ...digests, hash: before }
		}
		rows.push(row)
	}
	return rows
}

async function* itemsOf(
	rows: readonly ChainRow[],
	heads: ChainHead[] = [],
	readAt = rows.at(-1)?.createdAt ?? 0,
): AsyncGenerator<ChainItem> {
	yield { readAt }
	for (const row of rows) {
		yield { row }
		for (const head of heads.filter(({ position }) => position === row.position)) yield { head }
	}
	for (const head of heads.filter(({ position }) => position > (rows.at(-1)?.position ?? 0))) yield { head }
}
const verify = async (...args: Parameters<typeof itemsOf>) => verifyChain(itemsOf(...args))
const headOf = (row: ChainRow | undefined) => ({
	position: row?.position ?? 0,
	hash: row?.seal?.hash ?? '',
	storedAt: row?.createdAt ?? 0,
})

describe('verifyChain', () => {
	test('verifyChain accepts an unchanged chain, unsealed new rows, and matching hashes of the vault', async () => {
		const rows = await chain(5, 3)
		expect(await verify(rows, [headOf(rows[1]), headOf(rows[2])])).toEqual({
			rows: 5,
			unsealed: 2,
			erased: 0,
			hasComparedErasures: false,
			heads: 2,
			superseded: 0,
			problem: null,
		})
		expect(await verify([])).toMatchObject({ rows: 0, problem: null })
	})

	test('verifyChain names the first row that is not sealed ten minutes after it was written', async () => {
		const rows = await chain(5, 3)
		const writtenAt = rows[3]?.createdAt ?? 0
		expect((await verify(rows, [], writtenAt + 10 * 60_000)).problem).toBeNull()
		expect(await verify(rows, [], writtenAt + 10 * 60_000 + 1)).toMatchObject({
			rows: 3,
			problem: { position: 4, id: 'aud_4', what: expect.stringContaining('it is not sealed, although') },
		})
		expect((await verify(rows, [], writtenAt - 10 * 60_000 - 1)).problem).toMatchObject({
			position: 4,
			what: expect.stringContaining('its time is after'),
		})
	})

	test('verifyChain names a seal that has no row', async () => {
		async function* items(): AsyncGenerator<ChainItem> {
			yield* itemsOf(await chain(3))
			yield { sealWithoutRow: 99 }
		}
		expect(await verifyChain(items())).toMatchObject({ rows: 3, problem: { position: 99 } })
	})

	test('verifyChain accepts a row from which a person was erased', async () => {
		const rows = await chain(3)
		rows[1] = { ...(rows[1] as ChainRow), actor: nobody }
		expect(await verify(rows)).toMatchObject({
			rows: 3,
			erased: 1,
			hasComparedErasures: false,
			problem: null,
		})
	})

	test.each([
		[
			'no account was ever deleted',
			{ until: null, presentActors: [] },
			/actor.* the vault knows of no account deletion/,
		],
		[
			'all deletions are older',
			{ until: Date.UTC(2036, 0), presentActors: [] },
			/no account was deleted since/,
		],
		['its key belongs to somebody', { until: Date.UTC(2038, 0), presentActors: [2] }, /still has an account/],
		['an account was deleted since', { until: Date.UTC(2037, 0, 1, 0, 2), presentActors: [3] }, null],
	])('verifyChain judges a row without its actor when %s', async (_, erasures, what) => {
		const rows = await chain(3)
		rows[1] = { ...(rows[1] as ChainRow), actor: nobody }
		async function* items(): AsyncGenerator<ChainItem> {
			yield { erasures }
			yield* itemsOf(rows)
		}
		const { problem, hasComparedErasures } = await verifyChain(items())
		expect(hasComparedErasures).toBe(true)
		if (!what) return expect(problem).toBeNull()
		expect(problem).toMatchObject({ position: 2, what: expect.stringMatching(what) })
	})

	test.each([
		['action', { action: 'api_key.deleted' }, /action/],
		['organization', { orgId: 'org_2' }, /organization/],
		['target', { targetId: 'key_9' }, /target/],
		['request id', { requestId: null }, /request id/],
		['details', { details: '{}' }, /details/],
		['time', { createdAt: 1 }, /time/],
		[
			'actor',
			{ actor: { userId: 9, email: null, ipAddress: null, salt: 'salt2' } },
			/actor or IP address was changed/,
		],
		['actor without its salt', { actor: { ...nobody, userId: 9 } }, /no salt/],
		['target person', { target: { ...nobody, userId: 9, salt: 'x' } }, /target person was changed/],
	])('verifyChain names a row whose %s was changed', async (_, change, what) => {
		const rows = await chain(4)
		rows[1] = { ...(rows[1] as ChainRow), ...change }
		const { problem } = await verify(rows)
		expect(problem).toMatchObject({ position: 2, id: 'aud_2', at: expect.stringMatching(/T00:0[02]:00\./) })
		expect(problem?.what).toMatch(what)
	})

	test('verifyChain names where rows were deleted, in the middle and at the end', async () => {
		const rows = await chain(5)
		const head = headOf(rows[4])
		expect((await verify([...rows.slice(0, 1), ...rows.slice(3)])).problem).toMatchObject({
			position: 4,
			what: expect.stringContaining('2 rows before it are missing, from position 2 on'),
		})
		expect((await verify(rows.slice(0, 3), [head])).problem).toMatchObject({
			position: 4,
			what: expect.stringContaining('rows are missing at the end'),
		})
	})

	test('verifyChain names a seal that was removed', async () => {
		const rows = await chain(3)
		const head = headOf(rows[2])
		const [first, second, third] = rows as [ChainRow, ChainRow, ChainRow]
		expect((await verify([first, { ...second, seal: null }, third])).problem?.what).toMatch(
			/seals are missing/,
		)
		expect((await verify([first, second, { ...third, seal: null }], [head])).problem?.what).toMatch(
			/seal is missing, although the vault/,
		)
	})

	test('verifyChain names the row after which a rebuilt chain differs from the vault', async () => {
		const rows = await chain(4)
		const heads = [headOf(rows[1]), headOf(rows[3])]
		const rebuilt = rows.slice(0, 2)
		let before = rebuilt[1]?.seal?.hash ?? ''
		for (const row of rows.slice(2)) {
			const changed = { ...row, action: 'member.removed' }
			const digests = await digestRow(changed)
			before = await hashRow(before, changed, digests)
			rebuilt.push({ ...changed, seal: { ...digests, hash: before } })
		}
		expect((await verify(rebuilt)).problem).toBeNull()
		expect((await verify(rebuilt, heads)).problem).toMatchObject({
			position: 3,
			what: expect.stringContaining('the chain was rebuilt'),
		})
		// The sealer that rebuilt it has left its own hash, too, which may come first.
		const both = [headOf(rebuilt[3]), headOf(rows[3])]
		for (const last of [both, both.toReversed()])
			expect((await verify(rebuilt, [headOf(rows[1]), ...last])).problem).toMatchObject({ position: 3 })
	})

	test('verifyChain skips hashes of rows that a restored backup lacks, but none from after the restore', async () => {
		const rows = await chain(4)
		const restoredAt = (rows[2]?.createdAt ?? 0) - 1
		const former = [3, 4, 5].map((position) => ({ position, hash: 'former', storedAt: restoredAt - 1 }))
		const heads = [headOf(rows[1]), ...former, headOf(rows[3])].toSorted((a, b) => a.position - b.position)
		expect((await verify(rows, heads)).problem).toMatchObject({ position: 3 })
		expect(await verifyChain(itemsOf(rows, heads), [restoredAt])).toMatchObject({
			heads: 2,
			superseded: 3,
			problem: null,
		})
		const later = heads.map((head) => ({ ...head, storedAt: restoredAt + 1 }))
		expect((await verifyChain(itemsOf(rows, later), [restoredAt])).problem).toMatchObject({ position: 3 })
		expect(await verifyChain(itemsOf(rows.slice(0, 2), former), [restoredAt])).toMatchObject({
			superseded: 3,
			problem: null,
		})
	})
})

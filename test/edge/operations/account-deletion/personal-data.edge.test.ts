/** @module-tag d1 */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { contributions } from '../../../../edge/features.ts'
import { listErasureSteps } from '../../../../edge/operations/account-deletion/execute/erase.ts'
import { formatQualifiedName } from '../../../../edge/platform/personal-data.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'

const { personalData } = contributions
const { erasedWithRow, impersonal, orgKeys, keptOrgKeys, erasedSeparately, personKeys, secretColumns } =
	personalData

/** Names of columns that may hold personal data. */
const looksPersonal = [
	/(^|_)user(_id)?$/,
	/(^|_)(author|owner|creator|host|actor|recipient|inviter|uploader|member|membership|heir|moderator)(_id)?$/,
	/(^|_)(by|by_user|by_user_id)$/,
	/mail/,
	/(^|_)(name|nickname|handle|title_of|slug|subject|headline|bio)$/,
	/(^|_)(ip|address|ip_address|user_agent|agent|phone|avatar|avatar_key|location)$/,
	/(^|_)(details|payload|body|answer|data|profile)$/,
]

let world: World
let places: string[]
beforeAll(async () => {
	world = await openWorld()
	const tables = await world.deps((d) =>
		d.db.all<{ name: string }>(
			"select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like '_cf_%' and name not like 'd1_%'",
		),
	)
	places = []
	for (const { name } of tables) {
		const columns = await world.deps((d) => d.db.all<{ name: string }>(`pragma table_info(${name})`))
		places.push(...columns.map((column) => `${name}.${column.name}`))
	}
})

const registered = [
	...personKeys.map(({ column }) => column),
	...erasedWithRow,
	...erasedSeparately,
	...impersonal.map(([column]) => column),
].map(formatQualifiedName)

const columnIn = (place: string) => place.slice(place.indexOf('.') + 1)

describe('the registry of personal data', () => {
	test('the registry of personal data lists every column of the live schema that looks personal', () => {
		const personal = places.filter((place) => looksPersonal.some((look) => look.test(columnIn(place))))
		expect(personal.length).toBeGreaterThan(15)
		// Add a missing column to personal-data.ts of the feature that stores it.
		expect(personal.filter((place) => !registered.includes(place))).toEqual([])
	})

	test('the registry of personal data lists every column that refers to an organization', () => {
		const known = [...orgKeys, ...keptOrgKeys].map(formatQualifiedName)
		expect(places.filter((place) => columnIn(place) === 'org_id' && !known.includes(place))).toEqual([])
	})

	test('the registry of personal data keeps every hash, nonce and token out of exports', () => {
		const secret = places.filter((place) => /hash|nonce|secret|token/.test(columnIn(place)))
		const exported = personKeys.map(({ column }) => formatQualifiedName(column).split('.')[0])
		const shown = [...exported, 'users', 'account_deletion_requests']
		const known = secretColumns.map(formatQualifiedName)
		expect(secret.filter((place) => shown.includes(place.split('.')[0]) && !known.includes(place))).toEqual(
			[],
		)
	})

	test('the registry of personal data lists existing columns alone, each once', () => {
		const named = [...registered, ...[...orgKeys, ...keptOrgKeys, ...secretColumns].map(formatQualifiedName)]
		expect(named.filter((place) => !places.includes(place))).toEqual([])
		expect(new Set(registered).size).toBe(registered.length)
	})

	test.each(personKeys.map((key) => [formatQualifiedName(key.column), key] as const))(
		'the registry of personal data finds the rows of a person by an index: %s',
		async (place) => {
			const [table, column] = place.split('.')
			const plan = await world.plan(`select rowid from ${table} where ${column} = ?`)
			expect(plan.join()).toMatch(/^SEARCH .* USING (COVERING INDEX|INDEX|INTEGER PRIMARY KEY)/)
		},
	)

	test.each(orgKeys.map(formatQualifiedName))(
		'the registry of personal data finds the rows of an organization by an index: %s',
		async (place) => {
			const [table, column] = place.split('.')
			const plan = await world.plan(`select rowid from ${table} where ${column} in (select ?)`)
			expect(plan[0]).toMatch(/^SEARCH .* USING (COVERING INDEX|INDEX)/)
		},
	)

	test('the registry of personal data needs no full table scan to find the rows of an account', async () => {
		const statements = await world.deps(async ({ db }) => {
			const user = { requestId: 'del_1', userId: 1, email: 'a@b.c', name: 'A', deleteContent: true }
			return listErasureSteps(db, personalData, user, 1).map(
				({ table, where }) => db.select({ one: sql`1` }).from(table).where(where).toSQL().sql,
			)
		})
		expect(statements.length).toBeGreaterThan(personKeys.length + orgKeys.length)
		for (const statement of statements)
			expect([statement, (await world.plan(statement)).filter((line) => /^SCAN/.test(line))]).toEqual([
				statement,
				[],
			])
	})

	test('the registry relies on no cascading foreign keys, which would delete rows in a table rebuild', async () => {
		const cascades = await world.deps((d) =>
			d.db.all(
				"select name from sqlite_master where sql like '%on delete cascade%' or sql like '%on delete set null%'",
			),
		)
		expect(cascades).toEqual([])
	})
})

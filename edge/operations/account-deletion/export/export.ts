import { type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { strToU8, Zip, ZipDeflate } from 'fflate'
import { users } from '#schema/tables/accounts/identity.ts'
import { accountDeletionRequests as requests } from '#schema/tables/operations/account-deletion.ts'
import { toIso } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Deps } from '../../../platform/deps.ts'
import {
	type DepartingUser,
	findColumnTable,
	formatQualifiedName,
	listTableColumns,
	matchesPerson,
	type PersonalData,
	readColumnName,
} from '../../../platform/personal-data.ts'
import { selectSoleMemberOrgs } from '../execute/sole-member-orgs.ts'
import { deletionStore } from '../store.ts'

const PAGE_ROWS = 500

type Exported = Pick<DepartingUser, 'userId' | 'email'>
type File = { name: string; description: string; lines(): AsyncIterable<unknown> }

/**
 * Streams everything that the registry of personal data lists about a person, as a zip. Rows are read page by page while
 * the client reads, so memory does not limit the size of the export.
 */
export function exportPerson({ db, now, contributions }: Deps, person: Exported): ReadableStream<Uint8Array> {
	const chunks: Uint8Array[] = []
	const zip = new Zip((error, chunk) => {
		if (error) throw error
		chunks.push(chunk)
	})
	const work = write(zip, filesOf(db, contributions.personalData, person), now)
	return new ReadableStream<Uint8Array>({
		async pull(controller) {
			while (chunks.length === 0) {
				const { done } = await work.next()
				if (done) break
			}
			if (chunks.length === 0) return controller.close()
			for (const chunk of chunks.splice(0)) controller.enqueue(chunk)
		},
		cancel: () => zip.terminate(),
	})
}

/** Yields after each line, so that the reader sets the pace. */
async function* write(zip: Zip, files: readonly File[], now: number): AsyncGenerator<void> {
	const readme = [
		`Everything that Playhouse keeps about you, as of ${toIso(now)}.`,
		'Each line of a .jsonl file is one record in JSON. Times are milliseconds since 1970, UTC.',
		'',
		...files.map(({ name, description }) => `${name}: ${description}`),
		'',
	].join('\n')
	const add = (name: string) => {
		const file = new ZipDeflate(name, { level: 6 })
		file.mtime = now
		zip.add(file)
		return file
	}
	add('README.txt').push(strToU8(readme), true)
	yield
	for (const { name, lines } of files) {
		const file = add(name)
		for await (const line of lines()) {
			file.push(strToU8(`${JSON.stringify(line)}\n`))
			yield
		}
		file.push(new Uint8Array(0), true)
		yield
	}
	zip.end()
}

function filesOf(
	db: Db,
	{ personKeys, exportedOrgKeys, secretColumns }: PersonalData,
	person: Exported,
): File[] {
	const { userId } = person
	const shown = (table: SQLiteTable) => selectionWithout(table, secretColumns)
	return [
		{
			name: 'account.jsonl',
			description: 'your account',
			lines: () => rowsOf(db, users, shown(users), sql`${users.id} = ${userId}`),
		},
		...personKeys.map((key) => ({
			name: `${formatQualifiedName(key.column)}.jsonl`,
			description: key.description,
			lines: () =>
				rowsOf(
					db,
					findColumnTable(key.column),
					shown(findColumnTable(key.column)),
					matchesPerson(key, person),
				),
		})),
		...exportedOrgKeys.map(([column, description]) => ({
			name: `${formatQualifiedName(column)}.jsonl`,
			description,
			lines: () =>
				rowsOf(
					db,
					findColumnTable(column),
					shown(findColumnTable(column)),
					sql`${column} in ${selectSoleMemberOrgs(userId)}`,
				),
		})),
		{
			name: 'account_deletion_requests.jsonl',
			description: 'your requests to delete your account',
			lines: () => requestsOf(db, shown(requests), userId),
		},
		{
			name: 'account_deletion_logs.jsonl',
			description: 'the steps taken for these requests',
			lines: () => logsOf(db, userId),
		},
	]
}

const selectionWithout = (table: SQLiteTable, secretColumns: readonly AnySQLiteColumn[]): SQL =>
	sql.join(
		listTableColumns(table)
			.filter((column) => !secretColumns.includes(column))
			.map((column) => sql`${column} as ${sql.identifier(readColumnName(column))}`),
		sql`, `,
	)

async function* rowsOf(
	db: Db,
	table: SQLiteTable,
	shown: SQL,
	which: SQL,
): AsyncGenerator<Record<string, unknown>> {
	for (let after = 0; ; ) {
		const page = await db.all<Record<string, unknown> & { rowid_: number }>(
			sql`
				select ${shown}, ${table}.rowid as rowid_ from ${table}
				where ${which} and ${table}.rowid > ${after}
				order by ${table}.rowid limit ${PAGE_ROWS}
			`,
		)
		for (const { rowid_, ...row } of page) {
			after = rowid_
			yield row
		}
		if (page.length < PAGE_ROWS) return
	}
}

/** Yields the newest request first. One person has few, so there are no pages. */
async function* requestsOf(db: Db, shown: SQL, userId: number): AsyncGenerator<Record<string, unknown>> {
	yield* await db.all<Record<string, unknown>>(
		sql`
			select ${shown} from ${requests}
			where ${requests.userId} = ${userId}
			order by ${requests.requestedAt} desc, ${requests.id} desc
		`,
	)
}

/** Yields the oldest entry first. */
async function* logsOf(db: Db, userId: number): AsyncGenerator<unknown> {
	yield* await deletionStore(db).listLogsOfUser(userId)
}

import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import * as tables from '#schema/tables/index.ts'
import { expectedColumns } from '../../../../scripts/operate/verify-media/expected-columns.ts'

/** Columns that are named like a key of an object, and why no object must exist for them. */
const others: Record<string, string> = {
	'assets.chapters_transcript_key': 'the transcript that chapters were made from, which may be replaced',
	'trashed_assets.chapters_transcript_key': 'the same for an asset in the trash',
	'subtitle_translations.source_key': 'the subtitles that are translated, which may be replaced',
	'subtitle_translations.replaceable_key': 'subtitles that may be replaced',
	'profile_fields.key': 'the name of a field',
	'users.managed_key': 'joins a managed member with their membership',
	'ai_engines.sealed_key': 'a key of a provider',
	'ai_deliveries.body_key': 'lives for minutes',
	'tasks.upload_key': 'an upload that is not finished',
	'passkeys.public_key': 'a key of a person',
	'backups.sealed_key': 'a key of a backup',
	'backup_chunks.key': 'a chunk of a backup that runs',
}

test('every column that names an object is verified, or has a reason not to be', () => {
	const named = Object.values(tables).flatMap((table) =>
		is(table, SQLiteTable)
			? Object.values(getTableColumns(table))
					.map(({ name }) => name.replaceAll(/[A-Z]/g, (letter: string) => `_${letter.toLowerCase()}`))
					.filter((name) => /(^|_)(key|folder)$/.test(name))
					.map((name) => `${getTableName(table)}.${name}`)
			: [],
	)
	const isVerified = (column: string) =>
		expectedColumns.some(({ table, key }) => {
			const [tableName, name = ''] = column.split('.')
			return table === tableName && new RegExp(`\\b${name}\\b`).test(key)
		})
	expect(named.filter((column) => !isVerified(column) && !(column in others))).toEqual([])
	expect(Object.keys(others).filter((column) => !named.includes(column) || isVerified(column))).toEqual([])
})

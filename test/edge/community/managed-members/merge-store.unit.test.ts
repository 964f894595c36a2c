import { getTableName } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { onePerPost, userColumns } from '../../../../edge/community/managed-members/merge-store.ts'

const nameOf = (column: (typeof userColumns)[number]) => `${getTableName(column.table)}.${column.name}`

test('a merge changes the author, host and owner of content, and leaves references to memberships alone', () => {
	const names = userColumns.map(nameOf)
	expect(names).toEqual(expect.arrayContaining(['posts.authorId', 'bookmarks.userId', 'events.hostId']))
	expect(names.filter((name) => name.startsWith('memberships.'))).toEqual([])
})

test('a merge deletes duplicates in each table that allows one row per person', () => {
	const unique = userColumns.filter((column) => {
		const { indexes, primaryKeys, uniqueConstraints } = getTableConfig(column.table as SQLiteTable)
		const keys = [
			...indexes.filter(({ config }) => config.unique).map(({ config }) => config.columns),
			...primaryKeys.map(({ columns }) => columns),
			...uniqueConstraints.map(({ columns }) => columns),
		]
		return keys.some((columns) => columns.some((each) => each === column))
	})
	expect(unique.map(({ table }) => table)).toEqual([...onePerPost])
})

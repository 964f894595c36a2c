import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from './database/database.ts'

export type DepartingUser = {
	requestId: string
	userId: number
	email: string
	/** The name at sign-up, even after a rename: the person's organization is named after it. */
	name: string
	deleteContent: boolean
}

/** Returns statements to run right before rows are erased; `rows` is a subselect of their rowids. */
export type UpdateDependents = (db: Db, rows: SQL, user: DepartingUser, now: number) => BatchItem<'sqlite'>[]

/** A column by which rows of a person are found, and what becomes of them when the account is deleted. */
export type PersonKey = {
	column: AnySQLiteColumn
	holds: 'user id' | 'email' | 'membership id'
	/** The row goes, or it stays and forgets whose it was. */
	onDeletion: 'delete' | 'null'
	/** Published by the person: goes as a whole with `delete_content`, whatever its fate is without. */
	isContent?: true
	/** Content that others wrote under: with `delete_content` its row stays, deleted and without a word. */
	texts?: Record<string, SQL>
	/** Puts right what counts the rows, in the batch in which they go. */
	updateDependents?: UpdateDependents
	/** Which rows may go before the final batch, when there are too many for it; all of them unless told. */
	early?: SQL
	/** What it is, for the README of an export. */
	description: string
}

/**
 * Everything that a feature keeps about people and organizations. A test walks the live schema and fails on a column
 * that looks like a person and that no feature names.
 */
export type PersonalData = {
	/** Columns by which rows of a person are found. */
	personKeys: readonly PersonKey[]
	/** Columns that are deleted with their row, which a person key or a statement of its own finds. */
	erasedWithRow: readonly AnySQLiteColumn[]
	/** Columns that have statements of their own. */
	erasedSeparately: readonly AnySQLiteColumn[]
	/** Columns that look like a person and are none, each with the reason. */
	impersonal: readonly (readonly [column: AnySQLiteColumn, why: string])[]
	/** Columns by which rows of an organization are found: they are deleted with an organization that has no member left. */
	orgKeys: readonly AnySQLiteColumn[]
	/** Columns that name an organization and stay, or whose rows are found in other ways. */
	keptOrgKeys: readonly AnySQLiteColumn[]
	/** Columns that no export shows: they would be of use to a thief only. */
	secretColumns: readonly AnySQLiteColumn[]
}

/** Joins what several features keep, in their order. */
export const joinPersonalData = (all: readonly Partial<PersonalData>[]): PersonalData => ({
	personKeys: all.flatMap(({ personKeys = [] }) => personKeys),
	erasedWithRow: all.flatMap(({ erasedWithRow = [] }) => erasedWithRow),
	erasedSeparately: all.flatMap(({ erasedSeparately = [] }) => erasedSeparately),
	impersonal: all.flatMap(({ impersonal = [] }) => impersonal),
	orgKeys: all.flatMap(({ orgKeys = [] }) => orgKeys),
	keptOrgKeys: all.flatMap(({ keptOrgKeys = [] }) => keptOrgKeys),
	secretColumns: all.flatMap(({ secretColumns = [] }) => secretColumns),
})

/** The condition that finds the rows of a person. */
export const heldBy = ({ column, holds }: PersonKey, person: { userId: number; email: string }): SQL =>
	holds === 'membership id'
		? sql`${column} in (select m.id from memberships m where m.user_id = ${person.userId})`
		: sql`${column} = ${holds === 'email' ? person.email : person.userId}`

export const tableOf = (column: AnySQLiteColumn): SQLiteTable => column.table as SQLiteTable

/** As it is called in the database (see `casing` in edge/platform/database/database.ts). */
export const nameOf = (column: AnySQLiteColumn): string =>
	column.name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const placeOf = (column: AnySQLiteColumn): string =>
	`${getTableName(tableOf(column))}.${nameOf(column)}`

export const columnsOf = (table: SQLiteTable): AnySQLiteColumn[] => Object.values(getTableColumns(table))

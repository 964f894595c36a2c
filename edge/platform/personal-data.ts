import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from './database/database.ts'

export type DepartingUser = {
	requestId: string
	userId: number
	/** Null for a managed member. */
	email: string | null
	/** The name at sign-up, even after a rename: the person's organization is named after it. */
	name: string
	deleteContent: boolean
}

/** Returns statements to run right before rows are erased; `rows` is a subselect of their rowids. */
export type UpdateDependents = (db: Db, rows: SQL, user: DepartingUser, now: number) => BatchItem<'sqlite'>[]

/** A column that finds a person's rows, and what account deletion does to them. */
export type PersonKey = {
	column: AnySQLiteColumn
	holds: 'user id' | 'email' | 'membership id'
	/** Whether the row is deleted or its reference to the person is set to null. */
	onDeletion: 'delete' | 'null'
	/** The row is published content: `delete_content` deletes it, regardless of `onDeletion`. */
	isContent?: true
	/** Empty values for the texts of content with replies: the row stays, marked as deleted. */
	texts?: Record<string, SQL>
	/** Updates counters and other dependents of the rows, in the batch that erases them. */
	updateDependents?: UpdateDependents
	/** Rows that may be erased before the final batch if one batch can't hold them all (default: all). */
	early?: SQL
	/** Describes the rows in the README of an export. */
	description: string
}

/**
 * The data that a feature stores about people and organizations. A test walks the live schema and fails if a column looks
 * personal but no feature lists it.
 */
export type PersonalData = {
	/** Columns that find the rows of a person. */
	personKeys: readonly PersonKey[]
	/** Columns that are erased with their row, which a person key or a separate statement finds. */
	erasedWithRow: readonly AnySQLiteColumn[]
	/** Columns erased by separate statements. */
	erasedSeparately: readonly AnySQLiteColumn[]
	/** Columns that look personal but need no erasure, each with the reason. */
	impersonal: readonly (readonly [column: AnySQLiteColumn, why: string])[]
	/** Columns that find the rows of an organization; deleted with an organization whose only member leaves. */
	orgKeys: readonly AnySQLiteColumn[]
	/** Those whose rows are in the export of its only member, each with a description for its README. */
	exportedOrgKeys: readonly (readonly [column: AnySQLiteColumn, description: string])[]
	/** Columns that refer to an organization whose rows stay or have separate statements. */
	keptOrgKeys: readonly AnySQLiteColumn[]
	/** Columns omitted from exports, because only a thief could use them. */
	secretColumns: readonly AnySQLiteColumn[]
}

/** Joins the personal data of several features, in their order. */
export const joinPersonalData = (all: readonly Partial<PersonalData>[]): PersonalData => ({
	personKeys: all.flatMap(({ personKeys = [] }) => personKeys),
	erasedWithRow: all.flatMap(({ erasedWithRow = [] }) => erasedWithRow),
	erasedSeparately: all.flatMap(({ erasedSeparately = [] }) => erasedSeparately),
	impersonal: all.flatMap(({ impersonal = [] }) => impersonal),
	orgKeys: all.flatMap(({ orgKeys = [] }) => orgKeys),
	exportedOrgKeys: all.flatMap(({ exportedOrgKeys = [] }) => exportedOrgKeys),
	keptOrgKeys: all.flatMap(({ keptOrgKeys = [] }) => keptOrgKeys),
	secretColumns: all.flatMap(({ secretColumns = [] }) => secretColumns),
})

/** SQL condition: the row belongs to the person. */
export const matchesPerson = (
	{ column, holds }: PersonKey,
	person: Pick<DepartingUser, 'userId' | 'email'>,
): SQL =>
	holds === 'membership id'
		? sql`${column} in (select m.id from memberships m where m.user_id = ${person.userId})`
		: sql`${column} = ${holds === 'email' ? person.email : person.userId}`

export const findColumnTable = (column: AnySQLiteColumn): SQLiteTable => column.table as SQLiteTable

/** Returns the name of a column in the database (see `casing` in edge/platform/database/database.ts). */
export const readColumnName = (column: AnySQLiteColumn): string =>
	column.name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const formatQualifiedName = (column: AnySQLiteColumn): string =>
	`${getTableName(findColumnTable(column))}.${readColumnName(column)}`

export const listTableColumns = (table: SQLiteTable): AnySQLiteColumn[] =>
	Object.values(getTableColumns(table))

/** SQL condition: no row in `columns` refers to this one. Rows found through it must be erased first. */
export const isUnreferenced = (id: AnySQLiteColumn, columns: readonly AnySQLiteColumn[]): SQL =>
	sql.join(
		columns.map((column) => sql`not exists (select 1 from ${column.table} where ${column} = ${id})`),
		sql` and `,
	)

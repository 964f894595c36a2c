import type { SQL } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { Db } from '../platform/database.ts'

export type Leaver = {
	requestId: string
	userId: number
	email: string
	name: string
	deleteContent: boolean
}

/** Statements that come right before rows go; `rows` is a subselect of their rowids. */
export type Settle = (db: Db, rows: SQL, leaver: Leaver, now: number) => BatchItem<'sqlite'>[]

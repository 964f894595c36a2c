import { sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/database.ts'

export const diagnosticsStore = (db: Db) => ({
	async ping(): Promise<void> {
		await db.get(sql`select 1`)
	},
})

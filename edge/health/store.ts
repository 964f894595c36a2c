import { sql } from 'drizzle-orm'
import type { Db } from '../platform/database.ts'

export const healthStore = (db: Db) => ({
	async answer(): Promise<void> {
		await db.get(sql`select 1`)
	},
})

import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { instant } from '../columns.ts'

/** The hash chain over the audit log: one link for each row, in the order of their positions. */
export const auditSeals = sqliteTable('audit_seals', {
	position: integer().primaryKey(),
	/** Digests of what names a person in the row, with its salt; null if nobody was named. */
	actorDigest: text(),
	onBehalfOfDigest: text(),
	targetDigest: text(),
	/** Hash of the row, these digests and the hash before. */
	hash: text().notNull(),
	sealedAt: instant().notNull(),
})

import { sql } from 'drizzle-orm'
import { assetErrorGroups } from '#schema/tables/video/assets.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import type { ErrorGroup } from './error-fingerprint.ts'

/** Counts an error in its group. Must follow a statement that changes a row only if the asset failed. */
export const countErrorIfChangedStatement = (db: Db, { fingerprint, message }: ErrorGroup, now: number) =>
	insertSelect(
		db,
		assetErrorGroups,
		{ fingerprint, message, occurrences: 1, firstSeenAt: now, lastSeenAt: now },
		sql`where changes() > 0`,
	).onConflictDoUpdate({
		target: assetErrorGroups.fingerprint,
		set: { occurrences: sql`${assetErrorGroups.occurrences} + 1`, lastSeenAt: now },
	})

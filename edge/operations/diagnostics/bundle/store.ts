import { desc } from 'drizzle-orm'
import { deadLetters } from '#schema/tables/platform.ts'
import { assetErrorGroups } from '#schema/tables/video/assets.ts'
import { machines } from '#schema/tables/video/fleet.ts'
import { taskFailures } from '#schema/tables/video/transcoding.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'

const NEWEST = 20

/** Reads the newest problems and machines, in one round trip. Bodies of messages and logs of machines are not read. */
export const readNewest = (db: Db) =>
	batch(db, {
		machines: db
			.select()
			.from(machines)
			.orderBy(desc(machines.registeredAt), desc(machines.id))
			.limit(NEWEST),
		deadLetters: db
			.select({
				queue: deadLetters.queue,
				type: deadLetters.type,
				attempts: deadLetters.attempts,
				createdAt: deadLetters.createdAt,
			})
			.from(deadLetters)
			.orderBy(desc(deadLetters.createdAt), desc(deadLetters.id))
			.limit(NEWEST),
		assetErrors: db
			.select({
				message: assetErrorGroups.message,
				occurrences: assetErrorGroups.occurrences,
				lastSeenAt: assetErrorGroups.lastSeenAt,
			})
			.from(assetErrorGroups)
			.orderBy(desc(assetErrorGroups.lastSeenAt), desc(assetErrorGroups.fingerprint))
			.limit(NEWEST),
		taskFailures: db
			.select({
				kind: taskFailures.kind,
				reason: taskFailures.reason,
				message: taskFailures.message,
				createdAt: taskFailures.createdAt,
			})
			.from(taskFailures)
			.orderBy(desc(taskFailures.createdAt))
			.limit(NEWEST),
	})

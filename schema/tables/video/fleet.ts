import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { MachineCapabilities } from '#schema/contract/video/fleet.ts'
import { createdAt, instant } from '../columns.ts'

/**
 * Transcoding machines, which register themselves with the registration token of the fleet. No index contains a column that
 * heartbeats change, because there are far more heartbeats than machines.
 */
export const machines = sqliteTable(
	'machines',
	{
		id: text().primaryKey(),
		/** Chosen by the machine and kept on its disk, so that the machine keeps its row after a restart. */
		fingerprint: text().notNull().unique(),
		name: text().notNull(),
		capabilities: text({ mode: 'json' }).$type<MachineCapabilities>().notNull(),
		/** Raised at each registration and when the machine leaves, so that earlier tokens stop working. */
		tokenVersion: integer().notNull(),
		registeredAt: createdAt(),
		lastSeenAt: instant().notNull(),
		/** As the machine last reported. A machine without recent heartbeats counts as offline whatever this state is. */
		state: text({ enum: ['online', 'draining', 'offline'] }).notNull(),
		/** The number of running tasks that the machine reported. */
		running: integer().notNull().default(0),
		load: real(),
		/** The URL to call to start the machine; null if there is none. */
		startHook: text(),
		/** When the machine was paused; null if it is not paused. A restart of the machine does not end the pause. */
		pausedAt: instant(),
		/** When the machine was evicted and may neither work nor register; null if it may. */
		evictedAt: instant(),
		/**
		 * A keyed hash of the FLEET_TOKEN that the machine registered with. Empty after the machine was signed off because of an
		 * earlier token; null for machines that registered before this column existed.
		 */
		registeredWith: text(),
		/** What an hour of the machine costs, in millionths; null if unknown. */
		hourlyPriceMicros: integer({ mode: 'number' }),
	},
	(t) => [index('machines_registered').on(t.registeredAt, t.id)],
)

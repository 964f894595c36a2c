import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { MachineCapabilities } from '#schema/contract/video/fleet.ts'
import { createdAt, instant } from './columns.ts'

/**
 * Transcoding machines. A machine registers itself with the fleet's registration token. No index holds what a
 * heartbeat changes: there are far more heartbeats than machines.
 */
export const machines = sqliteTable(
	'machines',
	{
		id: text().primaryKey(),
		/** Chosen by the machine and kept on its disk, so that a restart finds its old row again. */
		fingerprint: text().notNull().unique(),
		name: text().notNull(),
		capabilities: text({ mode: 'json' }).$type<MachineCapabilities>().notNull(),
		/** Raised at each registration and at leaving, so that a token of before stops working. */
		tokenVersion: integer().notNull(),
		registeredAt: createdAt(),
		lastSeenAt: instant().notNull(),
		/** As it last said itself; one that was not heard of for long is offline whatever stands here. */
		state: text({ enum: ['online', 'draining', 'offline'] }).notNull(),
		/** Tasks it said it is at. */
		running: integer().notNull().default(0),
		load: real(),
		/** Called to switch the machine on; null where nobody listens. */
		startHook: text(),
		/** Since when somebody wants it to take no tasks; null when nobody does. Outlasts its restarts. */
		pausedAt: instant(),
		/** Since when it may neither work nor register; null for a machine that may. */
		evictedAt: instant(),
		/**
		 * Which FLEET_TOKEN it registered with: a keyed hash. Empty once it was signed off for that of before; null for
		 * machines that registered before this was noted.
		 */
		registeredWith: text(),
	},
	(t) => [index('machines_registered').on(t.registeredAt, t.id)],
)

import { eq, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import { describeOperations } from '#schema/contract/kit/operation.ts'
import { crons, type Feature } from '../../../edge/http/feature.ts'
import { serve } from '../../../edge/http/route.ts'

/** Lies on disk beside the tables of the product; `createToys` makes it. */
export const toys = sqliteTable('toys', {
	id: integer().primaryKey(),
	userId: integer('user_id').notNull(),
	name: text().notNull(),
	polishedAt: integer('polished_at'),
})
export const createToys = sql`create table if not exists toys (id integer primary key, user_id integer not null, name text not null, polished_at integer)`

export const listToys = describeOperations('Toys')({
	id: 'listToys',
	method: 'get',
	path: '/v1/toys',
	summary: 'List the toys of the caller',
	auth: 'session',
	errors: [],
	response: z.object({ data: z.array(z.string()) }),
})

/** A feature in one folder: a route, a schedule, a follower, and rows of a person. */
export const toyFeature: Feature = {
	routes: [
		serve(listToys, async ({ deps, caller }) => {
			const rows = await deps.db.select().from(toys).where(eq(toys.userId, caller.userId))
			return { data: rows.map(({ name }) => name) }
		}),
	],
	schedules: [
		{
			cron: crons.eachMinute,
			name: 'polish toys',
			run: ({ db, now }) => db.update(toys).set({ polishedAt: now }),
		},
	],
	followers: {
		'account.deletion_requested': ({ db }) =>
			db.update(toys).set({ name: 'packed' }).where(eq(toys.name, 'kite')),
	},
	prune: ({ db }) => db.delete(toys).where(eq(toys.name, 'broken')),
	personalData: {
		personKeys: [
			{ column: toys.userId, holds: 'user id', onDeletion: 'delete', description: 'toys that you own' },
		],
	},
}

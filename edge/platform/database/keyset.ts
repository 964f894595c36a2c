import { type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'

/** Where a page ended: the instant that rows are ordered by, and the id that breaks ties. */
export type Position = readonly [instant: number, id: string | number]

/** For rows ordered oldest first. A row value, because the index knows how to go to it. */
export const comesAfter = (
	at: AnySQLiteColumn,
	id: AnySQLiteColumn,
	position: Position | null,
): SQL | undefined => (position ? sql`(${at}, ${id}) > (${position[0]}, ${position[1]})` : undefined)

/** For rows ordered newest first. */
export const comesBefore = (
	at: AnySQLiteColumn,
	id: AnySQLiteColumn,
	position: Position | null,
): SQL | undefined => (position ? sql`(${at}, ${id}) < (${position[0]}, ${position[1]})` : undefined)

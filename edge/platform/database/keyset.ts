import { type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'

/** The end of a page: the sorting timestamp, and the id that breaks ties. */
export type Position = readonly [instant: number, id: string | number]

/** Returns the condition for the next page of rows ordered oldest first. Indexes support comparisons of row values. */
export const comesAfter = (
	at: AnySQLiteColumn,
	id: AnySQLiteColumn,
	position: Position | null,
): SQL | undefined => (position ? sql`(${at}, ${id}) > (${position[0]}, ${position[1]})` : undefined)

/** Returns the condition for the next page of rows ordered newest first. */
export const comesBefore = (
	at: AnySQLiteColumn,
	id: AnySQLiteColumn,
	position: Position | null,
): SQL | undefined => (position ? sql`(${at}, ${id}) < (${position[0]}, ${position[1]})` : undefined)

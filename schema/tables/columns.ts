import { integer } from 'drizzle-orm/sqlite-core'

/** Instants are integer milliseconds since 1970, UTC; the wire shows them as ISO 8601. */
export const instant = () => integer({ mode: 'number' })

/** When the sweep may (again) hand a row to the queue that search does not know yet; rows from before it are due. */
export const indexAt = () => instant().default(0)

export const createdAt = () => instant().notNull()

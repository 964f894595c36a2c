import { integer } from 'drizzle-orm/sqlite-core'

/** An instant in integer milliseconds since 1970, UTC. Responses show it as ISO 8601. */
export const instant = () => integer({ mode: 'number' })

/** When the sweep may next send a row to the queue for indexing; null once indexed. Older rows are due, with 0. */
export const indexAt = () => instant().default(0)

export const createdAt = () => instant().notNull()

import { integer } from 'drizzle-orm/sqlite-core'

/** Instants are integer milliseconds since 1970, UTC; the wire shows them as ISO 8601. */
export const instant = () => integer({ mode: 'number' })

export const createdAt = () => instant().notNull()

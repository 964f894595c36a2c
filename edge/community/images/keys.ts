import { type SQL, sql } from 'drizzle-orm'

/** Pictures of a community lie together in the vault, so that they go together. */
export const imagesFolder = (communityId: SQL): SQL => sql`'communities/' || ${communityId} || '/'`

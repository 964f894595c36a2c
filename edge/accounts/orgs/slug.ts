import { randomBase62 } from '../../platform/database/ids.ts'

/** Returns the part of a name that fits into a slug, or an empty string for a name without Latin letters. */
export const toSlugStem = (name: string): string =>
	name
		.normalize('NFKD')
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, '-')
		.replaceAll(/^-|-$/g, '')
		.slice(0, 36)
		.replace(/-$/, '')

/** Returns a readable slug with a random suffix, so that equal names don't collide. */
export const createSlug = (name: string): string =>
	`${toSlugStem(name) || 'org'}-${randomBase62(8).toLowerCase()}`

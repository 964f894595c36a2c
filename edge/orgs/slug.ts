import { randomBase62 } from '../platform/ids.ts'

/** What a slug keeps of a name; nothing of one without Latin letters. */
export const slugStem = (name: string): string =>
	name
		.normalize('NFKD')
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, '-')
		.replaceAll(/^-+|-+$/g, '')
		.slice(0, 36)
		.replace(/-+$/, '')

/** A readable slug with a random end, so that two organizations of one name do not meet. */
export const slugFor = (name: string): string => `${slugStem(name) || 'org'}-${randomBase62(8).toLowerCase()}`

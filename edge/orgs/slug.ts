import { randomBase62 } from '../platform/ids.ts'

/** A readable slug with a random end, so that two organizations of one name do not meet. */
export function slugFor(name: string): string {
	const readable = name
		.normalize('NFKD')
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, '-')
		.replaceAll(/^-+|-+$/g, '')
		.slice(0, 36)
		.replace(/-+$/, '')
	const end = randomBase62(8).toLowerCase()
	return readable ? `${readable}-${end}` : `org-${end}`
}

import type { Operation } from '#schema/contract/kit/operation.ts'

const ids = [
	'org',
	'ses',
	'key',
	'psk',
	'inv',
	'ast',
	'cmt',
	'col',
	'hlt',
	'whe',
	'bkp',
	'dup',
	'svw',
	'job',
	'mch',
	'evt',
	'dlt',
	'tsk',
]
const candidates = ['1', 'en', '0'.repeat(22), '0'.repeat(16), '0'.repeat(64), crypto.randomUUID()]
const values = [...candidates, '0'.repeat(43), ...ids.map((prefix) => `${prefix}_${'0'.repeat(26)}`)]

/** Returns the path with ids of the right form, so that the request gets as far as its query and body. */
export const wellFormedPath = (op: Operation, orgId: string): string =>
	op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
		if (name === 'orgId') return orgId
		const value = values.find((text) => op.params?.shape[name]?.safeParse(text).success)
		if (!value) throw new Error(`${op.id}: no value for ${name}`)
		return value
	})

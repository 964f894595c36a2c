/**
 * The depth to which objects are spread over lines: paths with their operations, webhooks, and kinds of components
 * with their entries.
 */
const depths: Record<string, number> = { paths: 2, webhooks: 1, components: 2 }

/** Prints a document with one line per operation and schema, so that diffs show which changed. */
export const printOpenapi = (document: object): string =>
	`${printObject(document, (value, key) => print(value, depths[key] ?? 0))}\n`

function print(value: unknown, depth: number): string {
	const isSpread = depth > 0 && typeof value === 'object' && value !== null && !Array.isArray(value)
	return isSpread ? printObject(value, (entry) => print(entry, depth - 1)) : JSON.stringify(value)
}

const printObject = (object: object, printEntry: (value: unknown, key: string) => string): string =>
	`{\n${Object.entries(object)
		.map(([key, value]) => `${JSON.stringify(key)}: ${printEntry(value, key)}`)
		.join(',\n')}\n}`

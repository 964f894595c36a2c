/** Names that need no quotes, and that YAML 1.1 does not read as another type. */
const plainKey = /^(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z_][a-z0-9_]{0,60}$/i

/** Prints JSON as YAML in block style. Strings stay in JSON's form, which YAML reads, too. */
export function toYaml(value: unknown, indent = ''): string {
	if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
		return ` ${JSON.stringify(value)}`
	const entries = Array.isArray(value)
		? value.map((entry) => ['-', entry] as const)
		: Object.entries(value).map(
				([key, entry]) => [`${plainKey.test(key) ? key : JSON.stringify(key)}:`, entry] as const,
			)
	return entries.map(([head, entry]) => `\n${indent}${head}${toYaml(entry, `${indent}  `)}`).join('')
}

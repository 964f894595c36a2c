/** Replaces each `{name}` of a message by its value. */
export const fillPlaceholders = (message: string, values: Record<string, string | number>): string =>
	message.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder))

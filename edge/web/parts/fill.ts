/** Replaces each `{name}` of a message by its value. */
export const fill = (message: string, values: Record<string, string | number>): string =>
	message.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder))

/** Returns a name for use in SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

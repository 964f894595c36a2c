/** Returns a name for use in SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Returns a text as SQL writes it. */
export const textLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

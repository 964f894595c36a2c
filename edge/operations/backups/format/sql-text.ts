/** Returns a name for use in SQL. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Returns a text as SQL writes it. */
export const toTextLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

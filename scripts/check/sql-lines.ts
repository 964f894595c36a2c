import type { TextFile } from './source-text.ts'

/** As code, which the formatter breaks at 110 columns, with some room for what can't be broken. */
const MAX_COLUMNS = 120
const TAB = '  '
/** SQL that begins on the line, or goes on there. */
const sqlLine =
	/\bsql(?:<[^>]*>)?`|^\s*(?:select|from|where|and|or|join|left join|values|set|insert|update|delete) /

/** Returns a line for each line of an SQL template that is wider than code may be. The formatter does not break them. */
export function findWideSql(files: readonly TextFile[]): string[] {
	return files.flatMap(({ path, text }) =>
		text.split('\n').flatMap((line, index) => {
			const columns = line.replaceAll('\t', TAB).length
			if (columns <= MAX_COLUMNS || !sqlLine.test(line)) return []
			return [
				`${path}:${index + 1}: ${columns} columns of SQL; begin a line with each clause, at most ${MAX_COLUMNS}`,
			]
		}),
	)
}

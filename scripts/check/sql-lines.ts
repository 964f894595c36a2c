import type { TextFile } from './source-text.ts'

/** As code, which the formatter breaks at 110 columns, with some room for what can't be broken. */
const MAX_COLUMNS = 120
const TAB = '  '
/** SQL that begins or continues on the line. */
const sqlLine =
	/\bsql(?:<[^>]*>)?`|^\s*(?:select|from|where|and|or|join|left join|values|set|insert|update|delete) /

/** Returns a problem for each SQL template line wider than code may be, which the formatter does not break. */
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

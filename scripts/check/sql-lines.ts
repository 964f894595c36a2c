import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repositoryFiles } from '../lib/repository-files.ts'
import { root } from '../lib/root.ts'

/** As code, which the formatter breaks at 110 columns, with some room for what can't be broken. */
const MAX_COLUMNS = 120
const TAB = '  '
/** SQL that begins on the line, or goes on there. */
const sqlLine =
	/\bsql(?:<[^>]*>)?`|^\s*(?:select|from|where|and|or|join|left join|values|set|insert|update|delete) /

/** Returns a line for each line of an SQL template that is wider than code may be. The formatter does not break them. */
export function findWideSql(files: readonly { path: string; text: string }[]): string[] {
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

if (import.meta.main) {
	const files = await Promise.all(
		repositoryFiles(root, 'edge/**/*.ts').map(async (path) => ({
			path,
			text: await readFile(join(root, path), 'utf8'),
		})),
	)
	const problems = findWideSql(files)
	for (const problem of problems) console.error(problem)
	if (problems.length > 0) process.exitCode = 1
}

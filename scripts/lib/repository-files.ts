import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Lists the files that git tracks or would add, as paths from the root; pathspecs narrow the list. */
export function listRepositoryFiles(root: string, ...pathspecs: readonly string[]): string[] {
	const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...pathspecs]
	const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' })
	// git lists a deleted file until the deletion is committed.
	return listed.split('\n').filter((path) => path !== '' && existsSync(join(root, path)))
}

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the changed files whose tests may not have run: those that a run of changed files does not follow, and if no test
 * ran, all. A document counts only if a test reads it, which is known by its path.
 */
export function listChangedWithoutTests(
	since: string,
	{ root, testFiles, passed }: { root: string; testFiles: readonly string[]; passed: number },
): string[] {
	const isRead = (document: string) =>
		testFiles.some((file) => {
			const text = readFileSync(join(root, file), 'utf8')
			return text.includes(`../${document}'`) || (document.includes('/') && text.includes(`'${document}'`))
		})
	return changedFiles(since, root).filter((path) =>
		path.endsWith('.md') ? isRead(path) : passed === 0 || !isFollowed(path),
	)
}

/**
 * Whether a change in a file runs the tests that import it. Not for files of pages, which a bundler reads, nor for
 * files that a test opens by path.
 */
export const isFollowed = (path: string): boolean =>
	path === 'package.json' || (/\.[cm]?[jt]sx?$/.test(path) && !path.startsWith('edge/web/'))

function changedFiles(since: string, root: string): string[] {
	const git = (...args: string[]) => {
		const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
		if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
		return stdout.split('\n').filter(Boolean)
	}
	return [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')]
}

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findWallProblems, readSources } from './import-walls.ts'

const root = resolve(import.meta.dirname, '..', '..')
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
	cwd: root,
	encoding: 'utf8',
})
// git lists a deleted file until the deletion is committed.
const paths = listed.split('\n').filter((path) => path !== '' && existsSync(join(root, path)))
const problems = findWallProblems(await readSources(root, paths))
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1

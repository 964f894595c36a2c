import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listRepositoryFiles } from '../lib/repository-files.ts'
import { root } from '../lib/root.ts'
import { findCrowdedFolders } from './folder-sizes.ts'
import { findWallProblems, readSources } from './import-walls.ts'
import { findRouteProblems, isRouteFile } from './route-decisions.ts'
import { findWideSql } from './sql-lines.ts'
import { findOwnerProblems } from './table-owners.ts'
import { findTitleProblems } from './titles.ts'

const paths = listRepositoryFiles(root, '*.ts')
const sources = await Promise.all(
	paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })),
)
const problems = [
	...findWallProblems(await readSources(root, paths)),
	...findRouteProblems(sources.filter(({ path }) => isRouteFile(path))),
	...findOwnerProblems(sources),
	...findWideSql(sources.filter(({ path }) => path.startsWith('edge/'))),
	...findTitleProblems(sources.filter(({ path }) => path.startsWith('test/'))),
	...findCrowdedFolders(listRepositoryFiles(root, '.')),
]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1

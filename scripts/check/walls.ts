import { resolve } from 'node:path'
import { repositoryFiles } from '../lib/repository-files.ts'
import { findWallProblems, readSources } from './import-walls.ts'

const root = resolve(import.meta.dirname, '..', '..')
const problems = findWallProblems(await readSources(root, repositoryFiles(root, '*.ts')))
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1

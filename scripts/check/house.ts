import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readFlags } from '../lib/command-options.ts'
import { listRepositoryFiles } from '../lib/repository-files.ts'
import { root } from '../lib/root.ts'
import { readSources } from './import-walls.ts'
import { exceptions } from './table-owners.ts'

readFlags(`Usage: npm run check -- house

Prints the size of each part of the source, its largest folder, the tables of others that it writes, and how many
imports go from one part of edge to another.`)

const areaName = (path: string): string => /^(edge\/[a-z]+)\//.exec(path)?.[1] ?? path.split('/', 1)[0] ?? ''
const folderName = (path: string): string => path.slice(0, path.lastIndexOf('/'))

const paths = listRepositoryFiles(root, '*.ts').filter((path) =>
	/^(edge|transcoder-daemon|schema|scripts)\//.test(path),
)
const sources = await readSources(root, paths)
const lengths = new Map(
	await Promise.all(
		paths.map(
			async (path) => [path, (await readFile(join(root, path), 'utf8')).split('\n').length - 1] as const,
		),
	),
)
const largest = (own: readonly string[]): string =>
	[...Map.groupBy(own, folderName)]
		.map(([folder, files]) => ({ folder, count: files.length }))
		.toSorted((a, b) => b.count - a.count)
		.slice(0, 1)
		.map(({ folder, count }) => `${folder} (${count})`)
		.join('')

console.log(
	'| part | files | lines | folder with most files | tables of others |\n| --- | --- | --- | --- | --- |',
)
for (const [area, own] of Map.groupBy(paths, areaName)) {
	const lines = own.reduce((total, path) => total + (lengths.get(path) ?? 0), 0)
	const foreign = exceptions.filter(({ wing }) => area === `edge/${wing}`).map(({ table }) => table)
	console.log(`| ${area} | ${own.length} | ${lines} | ${largest(own)} | ${foreign.join(', ') || 'none'} |`)
}

const arrows = sources
	.flatMap(({ path, imports }) => imports.map((to) => [areaName(path), areaName(to)] as const))
	.filter(([from, to]) => from !== to && from.startsWith('edge/') && to.startsWith('edge/'))
	.map((arrow) => arrow.join(' → '))
console.log('\n| from → to | imports |\n| --- | --- |')
for (const [arrow, all] of [...Map.groupBy(arrows, String)].toSorted())
	console.log(`| ${arrow} | ${all.length} |`)

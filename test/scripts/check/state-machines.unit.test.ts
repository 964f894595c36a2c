import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { jobs, tasks } from '#schema/tables/video/transcoding.ts'
import { assetMoves } from '../../../edge/video/assets/states.ts'

const text = await readFile(new URL('../../../ARCHITECTURE.md', import.meta.url), 'utf8')

/** The arrows of each diagram in ARCHITECTURE.md: from, to and label. */
const diagrams = [...text.matchAll(/```mermaid\n([\s\S]*?)```/g)].map(([, diagram = '']) =>
	[...diagram.matchAll(/^\s+(\S+) --> (\S+?)(?:: (.*))?$/gm)].map(([, from, to, label]) => ({
		from,
		to,
		label,
	})),
)
const statesOf = (diagram: (typeof diagrams)[number] = []) =>
	[...new Set(diagram.flatMap(({ from, to }) => [from, to]))].filter((state) => state !== '[*]').toSorted()

test('the diagram in ARCHITECTURE.md has exactly the asset transitions of the code', () => {
	const arrows = diagrams[0]?.filter(({ from }) => from !== '[*]') ?? []
	const moves = Object.entries(assetMoves).flatMap(([name, { from, to }]) =>
		from.map((state) => `${state} ${to} ${name}`),
	)
	expect(arrows.map(({ from, to, label }) => `${from} ${to} ${label?.split(' ')[0]}`).toSorted()).toEqual(
		moves.toSorted(),
	)
})

test('the diagram in ARCHITECTURE.md has exactly the job and task states of the tables', () => {
	expect(statesOf(diagrams[1])).toEqual(jobs.status.enumValues.toSorted())
	expect(statesOf(diagrams[2])).toEqual(tasks.state.enumValues.toSorted())
})

import { expect, test } from 'vitest'
import { findWideSql } from '../../../scripts/check/sql-lines.ts'

const wide = 'x'.repeat(120)
const find = (text: string) => findWideSql([{ path: 'edge/store.ts', text }])

test.each([
	['a template of one line', `\tconst isOpen = sql\`${wide}\``],
	['a template with a type', `\tconst count = sql<number>\`${wide}\``],
	['a clause of a longer template', `\t\t\tand ${wide}`],
])('the check of SQL lines reports %s that is too wide', (_, line) => {
	expect(find(`import\n${line}\n`)).toEqual([
		expect.stringMatching(/^edge\/store\.ts:2: \d+ columns of SQL; /),
	])
})

test.each([
	['SQL as wide as code', '\tconst isOpen = sql`closed_at is null`'],
	['a long text that is no SQL', `\tconst text = '${wide}'`],
	['a long comment', `// ${wide}`],
])('the check of SQL lines accepts %s', (_, line) => {
	expect(find(line)).toEqual([])
})

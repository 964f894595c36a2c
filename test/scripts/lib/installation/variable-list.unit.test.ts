import { expect, test } from 'vitest'
import { Variables } from '../../../../edge/platform/env.ts'
import { listVariables } from '../../../../scripts/lib/installation/variable-list.ts'

test('the help lists every variable of the Worker once, under a subject, in lines of at most 100 columns', () => {
	const lines = listVariables().split('\n')
	const names = lines.filter((line) => line.startsWith('    ')).flatMap((line) => line.trim().split(', '))
	expect(names).toEqual(Object.keys(Variables.shape))
	expect(lines[0]).toBe('  Addresses and keys:')
	for (const line of lines) expect(line.length).toBeLessThanOrEqual(100)
})

import { expect, test } from 'vitest'
import { admit, MemoryTakenError, TooLittleMemoryError } from '../../../transcoder-daemon/run/admission.ts'

const GB = 1e9

test.each([
	['nothing runs, and it is small', 1, 0, 'now'],
	['nothing runs, and it takes more than the share of tasks', 9.5, 0, 'now'],
	['it is as large as the machine', 10, 0, 'now'],
	['it is larger than the machine', 10.1, 0, 'never'],
	['it is larger than the machine, and others run', 10.1, 1, 'never'],
	['there is room beside others', 3, 5, 'now'],
	['there is none', 3.1, 5, 'later'],
	['it would fit alone', 9.5, 0.1, 'later'],
] as const)('of 10 GB, when %s: a task of %d GB beside %d GB is taken %s', (_, needed, running, verdict) => {
	expect(admit(needed * GB, running * GB, 10 * GB)).toBe(verdict)
})

test('names the memory that a task needs in its error', () => {
	expect(new MemoryTakenError(2.94 * GB).message).toContain('about 2.9 GB')
	expect(new TooLittleMemoryError(2.94 * GB, 2 * GB).message).toBe(
		'This video needs a machine with about 2.9 GB of memory; one with 2.0 GB returned it.',
	)
})

import { expect, test } from 'vitest'
import {
	MemoryTakenError,
	requireMemory,
	TooLittleMemoryError,
} from '../../../transcoder-daemon/run/admission.ts'

const GB = 1e9

test.each([
	['no other task runs, and the task is small', 1, 0, 'now'],
	['no other task runs, and the task needs more than the share of tasks', 9.5, 0, 'now'],
	['the task needs all memory', 10, 0, 'now'],
	['the task needs more than all memory', 10.1, 0, 'never'],
	['the task needs more than all memory, and others run', 10.1, 1, 'never'],
	['the task fits beside others', 3, 5, 'now'],
	['the task does not fit beside others', 3.1, 5, 'later'],
	['the task fits only alone', 9.5, 0.1, 'later'],
] as const)(
	'admission when %s: of 10 GB, a task of %d GB beside %d GB may start %s',
	(_, needed, running, verdict) => {
		expect(requireMemory(needed * GB, running * GB, 10 * GB)).toBe(verdict)
	},
)

test('the error of a task names the memory that it needs', () => {
	expect(new MemoryTakenError(2.94 * GB).message).toContain('about 2.9 GB')
	expect(new TooLittleMemoryError(2.94 * GB, 2 * GB).message).toBe(
		'this video needs a machine with about 2.9 GB of memory; one with 2.0 GB returned it',
	)
})

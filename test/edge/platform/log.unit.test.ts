import { DrizzleQueryError } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { jsonLog } from '../../../edge/platform/log.ts'

function logged(error: unknown): Record<string, string> {
	const lines: string[] = []
	jsonLog((_, line) => lines.push(line)).error('failed', error)
	return JSON.parse(lines[0] ?? '')
}

test('the log contains no bound parameters of a statement, even with several lines', () => {
	const text = 'first line\nsecond line\n    at somewhere (file.ts:1:1)\nparams: third line'
	const failure = new DrizzleQueryError(
		'insert into posts values (?)',
		[text, 'ada@example.org'],
		new Error('disk I/O'),
	)
	const line = logged(failure)
	expect(JSON.stringify(line)).not.toMatch(/first line|second line|third line|somewhere|ada@/)
	expect(line.error).toBe('Failed query: insert into posts values (?)')
	expect(line.cause).toBe('disk I/O')
	expect(line.stack).toContain('log.unit.test')
})

test('the log omits the stack if it quotes a former message of the error', () => {
	const failure = new DrizzleQueryError('select 1', ['secret'], new Error('gone'))
	failure.message = 'another'
	expect(logged(failure).stack).not.toContain('secret')
})

import { expect, test } from 'vitest'
import type { Log } from '../../../../edge/platform/log.ts'
import { runOrLog } from '../../../../edge/platform/work/sweep.ts'

test('a row that fails is logged, and the next one is worked on', async () => {
	const logged: unknown[] = []
	const log = { error: (...line: unknown[]) => logged.push(line) } as unknown as Log
	const done: number[] = []
	const failure = new Error('broken')
	for (const id of [1, 2, 3])
		await runOrLog(log, 'a row failed', { id }, async () => {
			if (id === 2) throw failure
			done.push(id)
		})
	expect([done, logged]).toEqual([[1, 3], [['a row failed', failure, { id: 2 }]]])
})

import { afterAll } from 'vitest'
import { recordCpu } from './cpu-record.ts'

recordCpu()

// Several test files run in one process. A variable that one of them sets must not reach the next.
const before = { ...process.env }
afterAll(() => {
	for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
	Object.assign(process.env, before)
})

import { afterAll } from 'vitest'

// Files share a process, and some start what changes its environment.
const before = { ...process.env }
afterAll(() => {
	for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
	Object.assign(process.env, before)
})

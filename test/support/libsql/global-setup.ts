import type { TestProject } from 'vitest/node'
import { readMigrations } from '../../../scripts/lib/migrations.ts'
import { startLibsqlServer } from './server.ts'

declare module 'vitest' {
	interface ProvidedContext {
		libsqlBase: string
	}
}

/** For the project that runs the edge tests on libSQL: one server, with a database with all tables for each world. */
export default async function setup(project: TestProject) {
	const migrations = await readMigrations()
	const server = await startLibsqlServer({ template: migrations.flatMap(({ statements }) => statements) })
	project.provide('libsqlBase', server.url)
	return () => server[Symbol.asyncDispose]()
}

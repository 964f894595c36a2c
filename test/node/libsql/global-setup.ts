import type { TestProject } from 'vitest/node'
import { startLibsqlServer } from './server.ts'

declare module 'vitest' {
	interface ProvidedContext {
		libsqlBase: string
	}
}

/** For the project in which the edge's tests run on libSQL: one server, and a database in it for each world. */
export default async function setup(project: TestProject) {
	const server = await startLibsqlServer()
	project.provide('libsqlBase', server.url)
	return () => server[Symbol.asyncDispose]()
}

import { ChildProcess } from 'node:child_process'
import { Server, Socket } from 'node:net'
import fc from 'fast-check'
import { propertyRuns } from '../shared/property-runs.ts'

fc.configureGlobal({ numRuns: propertyRuns(50) })

// Unit tests start no program and open no connection, so that all of them together take seconds.
for (const [owner, method] of [
	[ChildProcess.prototype, 'spawn'],
	[Server.prototype, 'listen'],
	[Socket.prototype, 'connect'],
] as [object, string][])
	Object.defineProperty(owner, method, {
		value() {
			throw new Error(`a unit test called ${method}(); name its file *.test.ts instead of *.unit.test.ts`)
		},
	})

import childProcess, { ChildProcess } from 'node:child_process'
import { Socket as DatagramSocket } from 'node:dgram'
import { syncBuiltinESMExports } from 'node:module'
import { Server, Socket } from 'node:net'
import fc from 'fast-check'
import { recordCpu } from '../node/cpu-record.ts'
import { propertyRuns } from '../shared/property-runs.ts'

recordCpu()

fc.configureGlobal({ numRuns: propertyRuns(50) })

// Unit tests start no program and open no connection, so that all of them together take seconds.
for (const [owner, method] of [
	[ChildProcess.prototype, 'spawn'],
	[childProcess, 'spawnSync'],
	[childProcess, 'execSync'],
	[childProcess, 'execFileSync'],
	[DatagramSocket.prototype, 'bind'],
	[Server.prototype, 'listen'],
	[Socket.prototype, 'connect'],
] as [object, string][])
	Object.defineProperty(owner, method, {
		value() {
			throw new Error(
				`a unit test called ${method}(); name its file *.node.test.ts instead of *.unit.test.ts`,
			)
		},
	})
// Imports by name see them, too.
syncBuiltinESMExports()

import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'

test.each([
	['starts a program', () => spawn('true')],
	['opens a port', () => createServer().listen(0)],
	['opens a connection', () => connect(1, '127.0.0.1')],
])('fails a unit test that %s', (_, act) => {
	expect(act).toThrow('a unit test called')
})

import { execFileSync, execSync, spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'

test.each([
	['starts a program', () => spawn('true')],
	['runs a program', () => spawnSync('true')],
	['runs a shell', () => execSync('true')],
	['reads from a program', () => execFileSync('true')],
	['receives datagrams', () => createSocket('udp4').bind(0)],
	['opens a port', () => createServer().listen(0)],
	['opens a connection', () => connect(1, '127.0.0.1')],
])('a unit test fails if it %s', (_, act) => {
	expect(act).toThrow('a unit test called')
})

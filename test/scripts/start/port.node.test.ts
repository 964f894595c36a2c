import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { reservePort } from '../../../scripts/start/port.ts'

test('port 0 becomes a port that no connection uses as its own', async () => {
	for (let i = 0; i < 50; i++) {
		const port = await reservePort('127.0.0.1', 0)
		expect(port).toBeGreaterThanOrEqual(20_000)
		expect(port).toBeLessThan(32_768)
	}
})

test('a port in use or an address of another machine is rejected with what to do', async () => {
	const server = createServer().listen(0, '127.0.0.1')
	onTestFinished(() => void server.close())
	await once(server, 'listening')
	const { port } = server.address() as { port: number }
	await expect(reservePort('127.0.0.1', port)).rejects.toThrow(`port ${port} on 127.0.0.1 is used by another`)
	await expect(reservePort('203.0.113.1', 8787)).rejects.toThrow('HOST: 203.0.113.1 is not an address')
	await expect(reservePort('203.0.113.1', 0)).rejects.toThrow('HOST: 203.0.113.1 is not an address')
})

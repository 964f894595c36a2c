import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { StartFailure } from '../lib/installation/failure.ts'

/**
 * The system gives higher ports to connections (from 32,768 on with Linux, from 49,152 on with macOS), and might do so between
 * the check and the start.
 */
const FREE_PORTS = { min: 20_000, max: 32_768 }
const TRIES = 20

/** Checks before the start that the address is free. Port 0 becomes the number of a free port. */
export async function reservePort(host: string, port: number): Promise<number> {
	const candidates =
		port === 0 ? Array.from({ length: TRIES }, () => randomInt(FREE_PORTS.min, FREE_PORTS.max)) : [port]
	let problem: string | undefined
	for (const candidate of candidates) {
		problem = await findProblem(host, candidate)
		if (problem === undefined) return candidate
		if (problem !== 'EADDRINUSE') break
	}
	throw new StartFailure(explain(problem, host, port))
}

/** Returns the code of the error that a server on this address gets, if any. */
async function findProblem(host: string, port: number): Promise<string | undefined> {
	const server = createServer()
	try {
		server.listen({ host, port, exclusive: true })
		await once(server, 'listening')
		return undefined
	} catch (error) {
		return (error as NodeJS.ErrnoException).code ?? 'unknown error'
	} finally {
		await new Promise((resolve) => server.close(resolve))
	}
}

function explain(code: string | undefined, host: string, port: number): string {
	switch (code) {
		case 'EADDRINUSE':
			return `port ${port} on ${host} is used by another program; stop it or set PORT to another number`
		case 'EACCES':
			return `port ${port} needs permissions that this user lacks; set PORT to 1024 or higher`
		default:
			return `HOST: ${host} is not an address of this machine (${code}); set HOST to one of its addresses`
	}
}

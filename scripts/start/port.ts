import { createServer } from 'node:net'
import { StartFailure } from './failure.ts'

/** Finds out before anything starts whether the address can be had; port 0 becomes the number of a free one. */
export async function reservePort(host: string, port: number): Promise<number> {
	const server = createServer()
	try {
		await new Promise<void>((resolve, reject) => {
			server.once('error', reject)
			server.listen({ host, port, exclusive: true }, resolve)
		})
		const address = server.address()
		return typeof address === 'object' && address ? address.port : port
	} catch (error) {
		throw new StartFailure(explain((error as NodeJS.ErrnoException).code, host, port))
	} finally {
		await new Promise((resolve) => server.close(resolve))
	}
}

function explain(code: string | undefined, host: string, port: number): string {
	switch (code) {
		case 'EADDRINUSE':
			return `port ${port} on ${host} is taken by another program; stop it or set PORT to another number`
		case 'EACCES':
			return `port ${port} needs permissions this user does not have; set PORT to a number from 1024 up`
		default:
			return `HOST: ${host} is not an address of this machine (${code ?? 'unknown error'})`
	}
}

import { createServer } from 'node:net'
import { StartFailure } from '../lib/installation/failure.ts'

/** Checks before the start that the address is free. Port 0 becomes the number of a free port. */
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
			return `port ${port} on ${host} is used by another program; stop it or set PORT to another number`
		case 'EACCES':
			return `port ${port} needs permissions that this user lacks; set PORT to 1024 or higher`
		default:
			return `HOST: ${host} is not an address of this machine (${code ?? 'unknown error'}); set HOST to one of its addresses`
	}
}

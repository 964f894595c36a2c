import { mkdir, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join, relative } from 'node:path'

const SOCKET = 'daemon.sock'

/** Another daemon already works with this data directory. */
export class AlreadyRunningError extends Error {
	override name = 'AlreadyRunningError'
}

/**
 * Makes the data directory, and sure that one daemon at a time uses an identity: two would end each other's token for ever. Holds a local
 * socket and no pid file, because the kernel lets go of it however the process dies, and pids come again.
 */
export async function holdDataDir(dataDir: string): Promise<AsyncDisposable> {
	await mkdir(dataDir, { recursive: true, mode: 0o700 })
	const path = shortest(join(dataDir, SOCKET))
	let server = await listen(path)
	if (!server) {
		if (await answers(path)) throw new AlreadyRunningError(`another daemon already uses ${dataDir}`)
		await rm(path, { force: true })
		server = await listen(path)
		if (!server) throw new AlreadyRunningError(`another daemon has just started in ${dataDir}`)
	}
	const held = server
	held.unref()
	return { [Symbol.asyncDispose]: () => new Promise((done) => held.close(() => done())) }
}

export const isDataDirHeld = (dataDir: string): Promise<boolean> => answers(shortest(join(dataDir, SOCKET)))

/** null when the name is taken, by the living or by the dead. */
function listen(path: string): Promise<Server | null> {
	return new Promise((done, fail) => {
		const server = createServer((socket) => socket.destroy())
		server.once('error', (error: NodeJS.ErrnoException) =>
			error.code === 'EADDRINUSE' ? done(null) : fail(error),
		)
		server.listen(path, () => done(server))
	})
}

function answers(path: string): Promise<boolean> {
	return new Promise((done) => {
		const socket = connect(path)
		socket.once('connect', () => done(true)).once('error', () => done(false))
		socket.once('close', () => socket.destroy())
	})
}

/** Names of sockets must fit into about 100 bytes; from where we stand the way is often shorter. */
function shortest(path: string): string {
	const fromHere = relative(process.cwd(), path)
	return fromHere.length < path.length ? fromHere : path
}

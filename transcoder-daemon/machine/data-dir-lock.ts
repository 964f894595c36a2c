import { mkdir, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join, relative } from 'node:path'

const SOCKET = 'daemon.sock'

export class AlreadyRunningError extends Error {
	override name = 'AlreadyRunningError'
}

/**
 * Creates the data directory and locks it, since two daemons with one identity would revoke each other's tokens. The
 * lock is a local socket instead of a pid file: the kernel releases it however the process dies, and pids are reused.
 */
export async function lockDataDir(dataDir: string): Promise<AsyncDisposable> {
	await mkdir(dataDir, { recursive: true, mode: 0o700 })
	const path = shorterPath(join(dataDir, SOCKET))
	let server = await listen(path)
	if (!server) {
		if (await isAnswering(path))
			throw new AlreadyRunningError(
				`another daemon already uses ${dataDir}: stop it, or set PLAYHOUSE_DATA_DIR`,
			)
		await rm(path, { force: true })
		server = await listen(path)
		if (!server) throw new AlreadyRunningError(`another daemon has just started in ${dataDir}`)
	}
	const lock = server
	lock.unref()
	return { [Symbol.asyncDispose]: () => new Promise((done) => lock.close(() => done())) }
}

export const isDataDirLocked = (dataDir: string): Promise<boolean> =>
	isAnswering(shorterPath(join(dataDir, SOCKET)))

/** Returns null when the socket file exists, whether or not its process lives. */
function listen(path: string): Promise<Server | null> {
	return new Promise((done, fail) => {
		const server = createServer((socket) => socket.destroy())
		server.once('error', (error: NodeJS.ErrnoException) =>
			error.code === 'EADDRINUSE' ? done(null) : fail(error),
		)
		server.listen(path, () => done(server))
	})
}

function isAnswering(path: string): Promise<boolean> {
	return new Promise((done) => {
		const socket = connect(path)
		socket.once('connect', () => done(true)).once('error', () => done(false))
		socket.once('close', () => socket.destroy())
	})
}

/** Returns the shorter of the absolute and the relative path: socket names are limited to about 100 bytes. */
function shorterPath(path: string): string {
	const relativePath = relative(process.cwd(), path)
	return relativePath.length < path.length ? relativePath : path
}

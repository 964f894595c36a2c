import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const POLL_MS = 50

/** Shared by all processes of `npm test`. Otherwise each process has its own. */
export const runDirectory = process.env.TEST_RUN_DIRECTORY ?? ownDirectory()

function ownDirectory(): string {
	const directory = mkdtempSync(join(tmpdir(), 'playhouse-run-'))
	process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
	return directory
}

const beingMade = new Map<string, Promise<string>>()

/**
 * Returns the path of a file or folder that the first process of this run that needs it creates for all. The others wait,
 * as making it takes seconds.
 */
export function oncePerRun(name: string, make: (path: string) => Promise<unknown>): Promise<string> {
	const path = join(runDirectory, name)
	if (existsSync(path)) return Promise.resolve(path)
	const making = beingMade.get(name) ?? makeOrWait(path, make)
	beingMade.set(name, making)
	// After a failure, the next caller tries again.
	making.catch(() => beingMade.delete(name))
	return making
}

async function makeOrWait(path: string, make: (path: string) => Promise<unknown>): Promise<string> {
	const lock = `${path}.lock`
	while (!(await takeLock(lock))) {
		await setTimeout(POLL_MS)
		if (existsSync(path)) return path
	}
	try {
		// It may have been completed since the caller looked.
		if (existsSync(path)) return path
		// Other processes may read it at any time, so it is renamed when it is complete.
		const partial = `${path}.${randomUUID()}`
		await make(partial)
		await rename(partial, path).catch(async (error) => {
			// A folder can't replace the same folder of a process that removed this lock by mistake.
			if (!existsSync(path)) throw error
			await rm(partial, { recursive: true })
		})
		return path
	} finally {
		await rm(lock, { force: true })
	}
}

/** Returns whether this process now holds the lock. The lock of a process that was killed is removed. */
async function takeLock(lock: string): Promise<boolean> {
	try {
		await writeFile(lock, `${process.pid}`, { flag: 'wx' })
		return true
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
	}
	const holder = Number(await readFile(lock, 'utf8').catch(() => ''))
	if (holder && !isRunning(holder)) await rm(lock, { force: true })
	return false
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0)
		return true
	} catch {
		return false
	}
}

import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { TRY_LATER } from '../frame/exit-codes.ts'
import { CommandFailure } from '../frame/failure.ts'

const MAX_TRIES = 3

/** The locks that this process holds or asks for. */
const held = new Set<string>()

/** Runs `work` unless another process that is still running holds the lock. `subject` names what is locked. */
export async function withLock<Result>(
	path: string,
	subject: string,
	work: () => Promise<Result>,
): Promise<Result> {
	await mkdir(dirname(path), { recursive: true, mode: 0o700 })
	const own = `${process.pid} ${randomUUID()}`
	held.add(own)
	for (let tries = 1; !(await takeLock(path, own)); tries++) {
		const holder = await readFile(path, 'utf8').catch(() => '')
		const [pid = ''] = holder.split(' ')
		if (tries > MAX_TRIES || isHeld(holder, Number(pid)))
			throw new CommandFailure(
				`another process${pid && ` (${pid})`} works on ${subject}; wait until it has ended`,
				TRY_LATER,
			)
		await removeStaleLock(path, holder)
	}
	try {
		return await work()
	} finally {
		await rm(path, { force: true })
		held.delete(own)
	}
}

async function takeLock(path: string, own: string): Promise<boolean> {
	// A link appears with its content, so that no other process reads an empty lock.
	const complete = `${path}.${randomUUID()}`
	await writeFile(complete, own, { flag: 'wx', mode: 0o600 })
	try {
		await link(complete, path)
		return true
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
		throw error
	} finally {
		await rm(complete, { force: true })
	}
}

/** Removes the lock of a process that was killed, but not one that a third process has taken meanwhile. */
async function removeStaleLock(path: string, holder: string): Promise<void> {
	const moved = `${path}.${randomUUID()}`
	const isMoved = await rename(path, moved).then(
		() => true,
		() => false,
	)
	if (!isMoved) return
	if ((await readFile(moved, 'utf8')) === holder) await rm(moved, { force: true })
	else await rename(moved, path)
}

function isHeld(holder: string, pid: number): boolean {
	// In containers, a process often has the id of the one before.
	if (!pid || pid === process.pid) return held.has(holder)
	try {
		process.kill(pid, 0)
		return true
	} catch (error) {
		// The process of another user is running, too.
		return (error as NodeJS.ErrnoException).code === 'EPERM'
	}
}

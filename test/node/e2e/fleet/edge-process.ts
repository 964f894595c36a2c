import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** The Worker in a process of its own, which can be killed like a machine that loses its power. */
export type EdgeProcess = {
	url: string
	pids: readonly number[]
	ask<A>(question: EdgeQuestion): Promise<A>
	kill(): Promise<void>
	stop(): Promise<void>
}

export type EdgeQuestion =
	| { ask: 'sql'; sql: string; values?: unknown[] }
	| { ask: 'list'; bucket: 'VAULT' | 'MEDIA'; prefix: string }
	| { ask: 'cron'; expression: string }

export async function startEdge(persistTo: string, vars: Record<string, string>): Promise<EdgeProcess> {
	const child = fork(join(import.meta.dirname, 'edge-program.ts'), [], {
		env: { ...process.env, PERSIST_TO: persistTo, WORKER_VARS: JSON.stringify(vars) },
		execArgv: ['--disable-warning=ExperimentalWarning'],
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
	})
	const { url, pids } = await answerOf<{ url: string; pids: number[] }>(child, 0)
	let asked = 0
	return {
		url,
		pids: [...pids, child.pid ?? 0],
		async ask<A>(question: EdgeQuestion): Promise<A> {
			const id = ++asked
			const answer = answerOf<A>(child, id)
			child.send({ id, ...question })
			return answer
		},
		async kill() {
			const ended = once(child, 'exit')
			for (const pid of pids) killIfThere(pid)
			child.kill('SIGKILL')
			await ended
		},
		async stop() {
			if (child.exitCode !== null || child.signalCode !== null) return
			const ended = once(child, 'exit')
			child.disconnect()
			await ended
		},
	}
}

function answerOf<A>(child: ChildProcess, id: number): Promise<A> {
	return new Promise((done, failed) => {
		const end = () => {
			child.off('message', hear)
			child.off('exit', die)
		}
		const die = () => {
			end()
			failed(new Error('the edge process ended'))
		}
		const hear = (message: { id: number; answer?: A; error?: string }) => {
			if (message.id !== id) return
			end()
			if (message.error === undefined) done(message.answer as A)
			else failed(new Error(message.error))
		}
		child.on('message', hear)
		child.on('exit', die)
	})
}

function killIfThere(pid: number): void {
	try {
		process.kill(pid, 'SIGKILL')
	} catch {
		// It has ended already.
	}
}

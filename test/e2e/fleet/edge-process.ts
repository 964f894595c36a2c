import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** The Worker in a process of its own, which can be killed like a machine that loses its power. */
export type EdgeProcess = {
	url: string
	ask: AskEdge
	kill(): Promise<void>
	/** Stopped for a while, as under a hypervisor that has more to do. */
	freeze(ms: number): Promise<void>
	stop(): Promise<void>
}

export type AskEdge = <A>(question: EdgeQuestion) => Promise<A>

export type EdgeQuestion =
	| { ask: 'sql'; sql: string; values?: unknown[] }
	| { ask: 'list'; bucket: 'VAULT' | 'MEDIA'; prefix: string }
	| { ask: 'text'; bucket: 'VAULT' | 'MEDIA'; key: string }
	| { ask: 'cron'; expression: string }

type FromEdge = { id: number; answer?: unknown; error?: string } | { reached: string; token: number }

export async function startEdge(
	persistTo: string,
	vars: Record<string, string>,
	/** The Worker is at a point ("before claim") and waits for this. */
	onReach: (point: string) => Promise<void> = async () => {},
): Promise<EdgeProcess> {
	const child = fork(join(import.meta.dirname, 'edge-program.ts'), [], {
		env: { ...process.env, PERSIST_TO: persistTo, WORKER_VARS: JSON.stringify(vars) },
		execArgv: ['--disable-warning=ExperimentalWarning'],
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
	})
	child.on('message', async (message: FromEdge) => {
		if (!('reached' in message)) return
		await onReach(message.reached)
		if (child.connected) child.send({ goOn: message.token })
	})
	const { url, pids } = await answerOf<{ url: string; pids: number[] }>(child, 0)
	let asked = 0
	const signal = (name: NodeJS.Signals) => pids.forEach((pid) => void signalIfThere(pid, name))
	return {
		url,
		async ask<A>(question: EdgeQuestion): Promise<A> {
			if (!child.connected) throw new Error('the edge process has ended')
			const id = ++asked
			const answer = answerOf<A>(child, id)
			child.send({ id, ...question })
			return answer
		},
		async kill() {
			const ended = once(child, 'exit')
			signal('SIGKILL')
			child.kill('SIGKILL')
			await ended
		},
		async freeze(ms) {
			signal('SIGSTOP')
			await new Promise((done) => setTimeout(done, ms))
			signal('SIGCONT')
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
		const hear = (message: FromEdge) => {
			if (!('id' in message) || message.id !== id) return
			end()
			if (message.error === undefined) done(message.answer as A)
			else failed(new Error(message.error))
		}
		child.on('message', hear)
		child.on('exit', die)
	})
}

function signalIfThere(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(pid, name)
	} catch {
		// It has ended already.
	}
}

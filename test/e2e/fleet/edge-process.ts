import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** The Worker in a separate process, which can be killed like a machine in a power failure. */
export type EdgeProcess = {
	url: string
	send: SendToEdge
	kill(): Promise<void>
	/** Stops it for a while, like a machine that a busy hypervisor does not run. */
	freeze(ms: number): Promise<void>
	stop(): Promise<void>
}

export type SendToEdge = <T>(request: EdgeRequest) => Promise<T>

export type EdgeRequest =
	| { type: 'sql'; sql: string; values?: unknown[] }
	| { type: 'list'; bucket: 'VAULT' | 'MEDIA'; prefix: string }
	| { type: 'text'; bucket: 'VAULT' | 'MEDIA'; key: string }
	| { type: 'cron'; expression: string }

type EdgeMessage = { id: number; result?: unknown; error?: string } | { point: string; token: number }

export async function startEdge(
	persistTo: string,
	vars: Record<string, string>,
	/** Called when the Worker is at a point ("before claim"); the Worker waits until it returns. */
	onPoint: (point: string) => Promise<void> = async () => {},
): Promise<EdgeProcess> {
	const child = fork(join(import.meta.dirname, 'edge-program.ts'), [], {
		env: { ...process.env, PERSIST_TO: persistTo, WORKER_VARS: JSON.stringify(vars) },
		execArgv: ['--disable-warning=ExperimentalWarning'],
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
	})
	child.on('message', async (message: EdgeMessage) => {
		if (!('point' in message)) return
		await onPoint(message.point)
		if (child.connected) child.send({ resume: message.token })
	})
	const { url, pids } = await resultOf<{ url: string; pids: number[] }>(child, 0)
	let lastId = 0
	const signal = (name: NodeJS.Signals) => pids.forEach((pid) => void signalIfRunning(pid, name))
	return {
		url,
		async send<T>(request: EdgeRequest): Promise<T> {
			if (!child.connected) throw new Error('the edge process has ended')
			const id = ++lastId
			const result = resultOf<T>(child, id)
			child.send({ id, ...request })
			return result
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

function resultOf<T>(child: ChildProcess, id: number): Promise<T> {
	return new Promise((done, failed) => {
		const removeListeners = () => {
			child.off('message', onMessage)
			child.off('exit', onExit)
		}
		const onExit = () => {
			removeListeners()
			failed(new Error('the edge process ended'))
		}
		const onMessage = (message: EdgeMessage) => {
			if (!('id' in message) || message.id !== id) return
			removeListeners()
			if (message.error === undefined) done(message.result as T)
			else failed(new Error(message.error))
		}
		child.on('message', onMessage)
		child.on('exit', onExit)
	})
}

function signalIfRunning(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(pid, name)
	} catch {
		// It has ended already.
	}
}

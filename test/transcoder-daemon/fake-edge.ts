import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { z } from 'zod'
import type { Operation } from '#schema/contract/kit/operation.ts'
import {
	claimTask,
	completeTask,
	failTask,
	heartbeatTask,
	LeasedTask,
	presignOutputs,
	presignParts,
	releaseTask,
} from '#schema/contract/video/leases.ts'

export type Call = {
	op: string
	taskId: string | null
	body: Record<string, unknown>
	traceparent: string | string[] | undefined
	at: number
}
/** An injected fault of a call. `lost`: the call succeeds, but its response never arrives. */
export type Fault =
	| { status: number; code?: string; headers?: Record<string, string> }
	| 'lost'
	| 'hang'
	| null

const taskOperations = [
	heartbeatTask,
	presignOutputs,
	presignParts,
	completeTask,
	failTask,
	releaseTask,
] as const
type LeaseState = { task: LeasedTask; hasEnded: boolean; completed: string | null }

/**
 * An edge and a store that follow the contract, with a list of tasks instead of a job graph. Every request is checked
 * against the contract, and a test can inject faults.
 */
export async function openFakeEdge() {
	const queue: LeasedTask[] = []
	const leases = new Map<string, LeaseState>()
	const calls: Call[] = []
	const objects = new Map<string, Buffer>()
	const sources = new Map<string, { content: Buffer; etag: string }>()
	const puts: { path: string; length: string | undefined }[] = []
	const gets: { path: string; range: string | undefined }[] = []
	const problems: string[] = []
	let fault: (op: string, count: number, body: Record<string, unknown>) => Fault = () => null
	let storageFault: (method: string, path: string, count: number) => Fault = () => null
	const counts = new Map<string, number>()
	const countOf = (key: string) => {
		const next = (counts.get(key) ?? 0) + 1
		counts.set(key, next)
		return next
	}
	let waiters: (() => void)[] = []
	const notifyWaiters = () => {
		for (const resolve of waiters.splice(0)) resolve()
	}

	const server = createServer((request, response) => {
		serve(request, response).catch((error: unknown) => {
			problems.push(String(error))
			response.destroy()
		})
	})
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

	async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const path = new URL(request.url ?? '/', url).pathname
		if (path.startsWith('/storage/')) return await serveStorage(request, response, path)
		const chunks: Buffer[] = []
		for await (const chunk of request) chunks.push(chunk as Buffer)
		const text = Buffer.concat(chunks).toString()
		const body: Record<string, unknown> = text ? JSON.parse(text) : {}
		const { op, taskId } = operationOf(request.method ?? '', path)
		const { traceparent } = request.headers
		calls.push({ op, taskId, body, traceparent, at: performance.now() })
		const injected = fault(op, countOf(op), body)
		const answer = injected && typeof injected === 'object' ? errorAnswer(injected) : handle(op, taskId, body)
		notifyWaiters()
		if (injected === 'hang') return
		if (injected === 'lost') return void response.destroy()
		response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
		response.end(JSON.stringify(answer.body))
	}

	function handle(op: string, taskId: string | null, body: Record<string, unknown>) {
		if (op === 'registerMachine')
			return ok(201, {
				id: 'mch_01hv0000000000000000000000',
				token: 'machine-token',
				expiresAt: new Date().toISOString(),
				heartbeatSeconds: 30,
			})
		if (op === 'heartbeatMachine') return ok(200, { ok: true, now: new Date().toISOString() })
		if (op === 'leaveMachine') return ok(200, { id: 'mch_01hv0000000000000000000000', left: true })
		if (op === 'claimTask') {
			const { kinds } = claimTask.body.parse(body)
			const index = queue.findIndex(({ spec }) => kinds?.includes(spec.kind) ?? true)
			const [task = null] = index < 0 ? [] : queue.splice(index, 1)
			if (task) leases.set(task.id, { task, hasEnded: false, completed: null })
			return ok(200, { task })
		}
		const operation = taskOperations.find(({ id }) => id === op)
		if (!operation || taskId === null) return errorAnswer({ status: 404, code: 'not_found' })
		const lease = leases.get(taskId)
		const { epoch } = (operation.body as z.ZodType<{ epoch: number }>).parse(body)
		if (!lease) return errorAnswer({ status: 404, code: 'not_found' })
		if (lease.task.epoch !== epoch) return errorAnswer({ status: 409, code: 'conflict' })
		if (op === 'completeTask' && lease.completed === JSON.stringify(body)) return ok(200, { accepted: true })
		if (lease.hasEnded) return errorAnswer({ status: 410, code: 'gone' })
		if (op === 'heartbeatTask') return ok(200, { leaseUntil: new Date().toISOString() })
		const storage = `${url}/storage/${taskId}-${epoch}`
		if (op === 'presignOutputs')
			return ok(200, {
				outputs: (body.names as string[]).map((name) => ({
					url: `${storage}/${name}`,
					headers: { 'if-none-match': '*' },
				})),
			})
		if (op === 'presignParts')
			return ok(200, { urls: (body.partNumbers as number[]).map((number) => `${storage}/part-${number}`) })
		lease.hasEnded = true
		if (op === 'completeTask') lease.completed = JSON.stringify(body)
		return ok(200, { accepted: true })
	}

	async function serveStorage(request: IncomingMessage, response: ServerResponse, path: string) {
		const method = request.method ?? ''
		if (method === 'PUT') puts.push({ path, length: request.headers['content-length'] })
		else gets.push({ path, range: request.headers.range })
		const injected = storageFault(method, path, countOf(`${method} ${path}`))
		if (injected === 'hang') return
		if (injected && typeof injected === 'object') {
			request.resume()
			response.writeHead(injected.status, injected.headers).end()
			return
		}
		if (method === 'PUT') {
			const chunks: Buffer[] = []
			for await (const chunk of request) chunks.push(chunk as Buffer)
			const content = Buffer.concat(chunks)
			if (request.headers['if-none-match'] === '*' && objects.has(path)) {
				response.writeHead(412).end()
				return
			}
			objects.set(path, content)
			notifyWaiters()
			if (injected === 'lost') return void response.destroy()
			response.writeHead(200, { etag: etagOf(content) }).end()
			return
		}
		const object = sources.get(path)
		if (!object) return void response.writeHead(404).end()
		const match = request.headers['if-match']
		if (match !== undefined && match !== object.etag) return void response.writeHead(412).end()
		const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
		const part = object.content.subarray(Number(from), to === '' ? undefined : Number(to) + 1)
		response.writeHead(request.headers.range ? 206 : 200, {
			etag: object.etag,
			'content-length': part.length,
			'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${object.content.length}`,
		})
		if (injected === 'lost') {
			response.write(part.subarray(0, Math.floor(part.length / 2)), () => response.destroy())
			return
		}
		response.end(part)
	}

	return {
		url,
		calls,
		objects,
		puts,
		gets,
		problems,
		callsTo: (op: string) => calls.filter((call) => call.op === op),
		offer: (...tasks: LeasedTask[]) => queue.push(...tasks.map((task) => LeasedTask.parse(task))),
		/** Rejects all further calls for this task, as ended or reassigned. */
		withdraw: (taskId: string, reason: 'conflict' | 'gone') => {
			const lease = leases.get(taskId)
			if (!lease) throw new Error(`${taskId} was not claimed`)
			if (reason === 'gone') lease.hasEnded = true
			else lease.task = { ...lease.task, epoch: lease.task.epoch + 1 }
		},
		addSource(id: string, content: Buffer) {
			const path = `/storage/sources/${id}`
			sources.set(path, { content, etag: etagOf(content) })
			return { id, url: `${url}${path}`, sizeBytes: content.length, etag: etagOf(content) }
		},
		injectFaults(faultOf: typeof fault) {
			fault = faultOf
			counts.clear()
		},
		injectStorageFaults(faultOf: typeof storageFault) {
			storageFault = faultOf
			counts.clear()
		},
		/** Waits until a call makes the condition true. */
		async until<T>(find: () => T | undefined | false | null): Promise<T> {
			for (;;) {
				const found = find()
				if (found) return found
				await new Promise<void>((done) => waiters.push(done))
			}
		},
		async [Symbol.asyncDispose]() {
			waiters = []
			server.close()
			server.closeAllConnections()
			await once(server, 'close')
		},
	}
}

export type FakeEdge = Awaited<ReturnType<typeof openFakeEdge>>

const etagOf = (content: Buffer) => `"${createHash('md5').update(content).digest('hex')}"`
const ok = (status: number, data: unknown) => ({ status, body: { data }, headers: {} })
const errorAnswer = ({ status, code = 'unavailable', headers = {} }: Exclude<Fault, string | null>) => ({
	status,
	body: { error: code },
	headers: { 'x-error-code': code, ...headers },
})

function operationOf(method: string, path: string): { op: string; taskId: string | null } {
	const workers = '/v1/diagnostics/workers'
	if (path === workers) return { op: 'registerMachine', taskId: null }
	if (path === `${workers}/heartbeat`) return { op: 'heartbeatMachine', taskId: null }
	if (path === `${workers}/leave`) return { op: 'leaveMachine', taskId: null }
	if (path === claimTask.path) return { op: claimTask.id, taskId: null }
	for (const operation of taskOperations satisfies readonly Operation[]) {
		const pattern = new RegExp(`^${operation.path.replace('{taskId}', '(tsk_[0-9A-Za-z]+)')}$`)
		const found = pattern.exec(path)
		if (found && method === operation.method.toUpperCase())
			return { op: operation.id, taskId: found[1] ?? null }
	}
	return { op: 'unknown', taskId: null }
}

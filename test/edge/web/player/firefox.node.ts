import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

type Message = {
	id?: number
	method?: string
	params?: { level?: string; text?: string; request?: { url: string } }
	result?: unknown
	error?: string
	message?: string
}
type Evaluated = { type: string; result?: { value?: string }; exceptionDetails?: { text: string } }

const preferences = `
user_pref('browser.shell.checkDefaultBrowser', false);
user_pref('datareporting.policy.dataSubmissionEnabled', false);
user_pref('network.captive-portal-service.enabled', false);
user_pref('network.connectivity-service.enabled', false);
user_pref('app.update.enabled', false);
`

export type Firefox = Awaited<ReturnType<typeof openFirefox>>

/** Starts Firefox with an empty profile and controls it by WebDriver BiDi. playwright-core only knows its own Firefox. */
export async function openFirefox(program: string) {
	const profile = await mkdtemp(join(tmpdir(), 'playhouse-firefox-'))
	await writeFile(join(profile, 'user.js'), preferences)
	const child = spawn(
		program,
		['--headless', '--no-remote', '--remote-debugging-port', '0', '--profile', profile],
		{
			stdio: ['ignore', 'ignore', 'pipe'],
		},
	)
	const close = async () => {
		if (child.exitCode === null && child.signalCode === null) {
			child.kill()
			await once(child, 'exit')
		}
		await rm(profile, { recursive: true, force: true, maxRetries: 5 })
	}
	try {
		const socket = new WebSocket(`${await addressIn(child.stderr)}/session`)
		await once(socket, 'open')
		return await openSession(socket, close)
	} catch (error) {
		await close()
		throw error
	}
}

async function addressIn(output: NodeJS.ReadableStream): Promise<string> {
	const lines: string[] = []
	for await (const line of createInterface({ input: output })) {
		const [, address] = /BiDi listening on (ws:\S+)/.exec(line) ?? []
		if (address !== undefined) {
			// The pipe must not fill up.
			output.resume()
			return address
		}
		lines.push(line)
	}
	throw new Error(`Firefox ended before it could be controlled:\n${lines.join('\n')}`)
}

async function openSession(socket: WebSocket, close: () => Promise<void>) {
	const waiting = new Map<number, PromiseWithResolvers<unknown>>()
	/** Errors on the console, exceptions, and violations of the policy. */
	const problems: string[] = []
	const requests: string[] = []
	let lastId = 0
	socket.addEventListener('message', ({ data }) => {
		const { id, method, params, result, error, message } = JSON.parse(String(data)) as Message
		if (method === 'log.entryAdded' && params?.level === 'error') problems.push(params.text ?? '')
		if (method === 'network.beforeRequestSent') requests.push(params?.request?.url ?? '')
		const answer = waiting.get(id ?? 0)
		if (error === undefined) answer?.resolve(result)
		else answer?.reject(new Error(`${error}: ${message}`))
	})
	const send = <T>(method: string, params: object): Promise<T> => {
		const answer = Promise.withResolvers<unknown>()
		waiting.set(++lastId, answer)
		socket.send(JSON.stringify({ id: lastId, method, params }))
		return answer.promise as Promise<T>
	}
	const { capabilities } = await send<{ capabilities: { browserVersion: string } }>('session.new', {
		capabilities: {},
	})
	await send('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent'] })
	const { contexts } = await send<{ contexts: { context: string }[] }>('browsingContext.getTree', {})
	const context = contexts[0]?.context ?? ''
	/** Evaluates an expression in the page; its value travels as JSON. */
	const evaluate = async <T>(expression: string): Promise<T> => {
		const { result, exceptionDetails } = await send<Evaluated>('script.evaluate', {
			expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value ?? null))`,
			target: { context },
			awaitPromise: true,
		})
		if (exceptionDetails) throw new Error(exceptionDetails.text)
		return JSON.parse(result?.value ?? 'null') as T
	}
	return {
		version: capabilities.browserVersion,
		problems,
		requests,
		evaluate,
		open: (url: string) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
		/** Clicks the middle of an element like a person, so that the page may play sound. */
		async click(selector: string): Promise<void> {
			const { x, y } = await evaluate<{ x: number; y: number }>(
				`(() => { const { left, top, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return { x: left + width / 2, y: top + height / 2 } })()`,
			)
			await send('input.performActions', {
				context,
				actions: [
					{
						type: 'pointer',
						id: 'mouse',
						actions: [
							{ type: 'pointerMove', x: Math.round(x), y: Math.round(y) },
							{ type: 'pointerDown', button: 0 },
							{ type: 'pointerUp', button: 0 },
						],
					},
				],
			})
		},
		async press(key: string): Promise<void> {
			const actions = ['keyDown', 'keyUp'].map((type) => ({ type, value: key }))
			await send('input.performActions', { context, actions: [{ type: 'key', id: 'keyboard', actions }] })
		},
		async screenshot(): Promise<Buffer> {
			const { data } = await send<{ data: string }>('browsingContext.captureScreenshot', { context })
			return Buffer.from(data, 'base64')
		},
		async [Symbol.asyncDispose]() {
			socket.close()
			await close()
		},
	}
}

import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { send } from '../../../src/call.ts'
import { BYTES_BODY, JSON_BODY } from '../../../src/operation.ts'
import { iteratePages } from '../../../src/pages.ts'
import { connect } from '../../frame/connect.ts'
import { USAGE } from '../../frame/exit-codes.ts'
import { CommandFailure } from '../../frame/failure.ts'
import type { Invocation } from '../../frame/invocation.ts'
import type { Terminal } from '../../frame/terminal.ts'
import { composeApiRequest } from './api-request.ts'

type Options = { field?: string[]; jsonField?: string[]; input?: string; paginate?: true }

export async function run({ args, options, terminal }: Invocation<Options, [string, string]>): Promise<void> {
	const { operation, input } = composeApiRequest(...args, options)
	const [route, traits = 0] = operation
	const { client } = await connect(options, terminal.env)
	const signal = terminal.interruption
	if (options.paginate) {
		const load = async (page: Record<string, unknown>) => {
			const sent = await send(client, operation, page, { signal })
			return { ...sent, data: await readPage(sent.data as Response) }
		}
		for await (const item of iteratePages(route, input, load)) terminal.printJson(item)
		return
	}
	if (options.input === undefined)
		return await printBody(terminal, options, await send(client, operation, input, { signal }))
	if (traits & JSON_BODY)
		throw new CommandFailure('--input and fields both give a body; use one of them', USAGE)
	const body = options.input === '-' ? await buffer(terminal.stdin) : await readFile(options.input)
	const headers = { 'content-type': isJson(body) ? 'application/json' : 'application/octet-stream' }
	const request = { ...input, body: new Uint8Array(body) }
	await printBody(
		terminal,
		options,
		await send(client, [route, traits | BYTES_BODY], request, { signal, headers }),
	)
}

/** Most lists are in `data`; numbered pages and a few others are the whole body. */
async function readPage(response: Response): Promise<unknown> {
	const body = (await response.json()) as { data?: unknown }
	return Array.isArray(body.data) ? body.data : body
}

/** Prints JSON readably for a person and on one line for a program, and copies other bodies as they are. */
async function printBody(
	terminal: Terminal,
	{ json }: { json?: true },
	{ data }: { data: unknown },
): Promise<void> {
	const { body, headers } = data as Response
	if (!body) return
	if (!headers.get('content-type')?.includes('json')) {
		for await (const chunk of Readable.fromWeb(body as never)) await terminal.writeBytes(chunk)
		return
	}
	const value: unknown = await (data as Response).json()
	if (json || !terminal.isShown) terminal.printJson(value)
	else for (const line of JSON.stringify(value, null, 2).split('\n')) terminal.print(line)
}

function isJson(body: Buffer): boolean {
	try {
		JSON.parse(body.toString())
		return true
	} catch {
		return false
	}
}
